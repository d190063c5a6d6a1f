import type { FastifyRequest } from 'fastify';
import type { ReceivedBody } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf, firstOf, receivedBodyOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import type { ServiceName } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Day as DayText } from '#domain/shared/time.js';
import type { StatusCaller } from './access.js';
import type { WireFormat } from './answers/accept.js';
import { givenDay } from './day-query.js';
import { adminAdmission, tenantAdmission } from './http-policy.js';
import { Work } from './work.js';

/** A user of a tenant, as the caller of a route that accepts keys of tenants. */
export type TenantCaller = Extract<StatusCaller, { kind: 'tenant' }>;

export const callerOf = (request: FastifyRequest): TenantCaller => tenantAdmission(request).caller;

/** UTC day of the call: the query parameter `date`, default today. @throws StatusError `E400D` */
export const dayOf = ({ query, server }: FastifyRequest): DayText => givenDay(query as Readonly<Record<string, unknown>>) ?? server.today();

export const Day = parameter(dayOf);

/** The path of a record. */
export type WithId = Readonly<{ id: string }>;

/** `links.self` of this call, or of the record that it creates: the public URL of the server, the path without its query, and the id of the record. */
type Link = (newId?: string) => string;

class AnyCall {
  constructor(protected readonly request: FastifyRequest) {}

  /** Unparsed body. */
  get body(): ReceivedBody | undefined {
    return receivedBodyOf(this.request);
  }

  get self(): Link {
    const self = `${this.request.publicUrl}${pathOf(this.request.url)}`;
    return (newId) => (newId === undefined ? self : `${self}/${newId}`);
  }
}

/** A call as handlers of routes with administrator keys see it. */
export class AdminCall extends AnyCall {
  /** Roles of the key: one, except for integrations. */
  get roles(): readonly string[] {
    return adminAdmission(this.request).caller.roles;
  }

  get tenantId(): string {
    return (this.request.params as WithId).id;
  }

  /** Returns whether reads show all that a service has acknowledged here. */
  shows(service: ServiceName): boolean {
    return !this.request.server.debts.isOwing(service);
  }

  get context(): CommandContext {
    return contextOf(this.request, 'status', { kind: 'key', id: adminAdmission(this.request).caller.actorId });
  }
}

export const Admin = parameter((request) => new AdminCall(request));

/** A call as handlers of routes with tenant keys see it. */
export class StatusCall extends AnyCall {
  get caller(): TenantCaller {
    return callerOf(this.request);
  }

  get tenantId(): string {
    return this.caller.tenantId;
  }

  get context(): CommandContext {
    const { actorId, isKey, tenantId } = this.caller;
    // An administrator may call the same path for several tenants.
    return isKey
      ? contextOf(this.request, 'status', { kind: 'key', id: actorId }, tenantId)
      : contextOf(this.request, 'status', { kind: 'user', id: actorId });
  }

  get format(): WireFormat {
    return tenantAdmission(this.request).format;
  }

  get query(): Readonly<Record<string, unknown>> {
    return this.request.query as Readonly<Record<string, unknown>>;
  }

  /** A query parameter: the first if it is repeated, `undefined` if it is absent. */
  readonly queryText = (name: string): string | undefined => firstOf(this.query[name]);

  /** Work of the call, which ends with its connection. */
  get work(): Work {
    return new Work(() => this.request.raw.socket.destroyed);
  }
}

export const Call = parameter((request) => new StatusCall(request));

/** A call as handlers of large reads see it: plain data except for the work, so that another thread can answer it. */
export type ReadingCall = Pick<StatusCall, 'caller' | 'format' | 'query' | 'work'>;

export const Reading = parameter((request): ReadingCall => {
  const { caller, format, query, work } = new StatusCall(request);
  return { caller, format, query, work };
});
