import type { FastifyRequest } from 'fastify';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf } from '#api/shared/http/request-context.js';
import type { Day as DayText } from '#domain/shared/time.js';
import type { WireFormat } from './accept.js';
import type { StatusCaller } from './access.js';
import { givenDay } from './day-query.js';
import { adminAdmission, tenantAdmission } from './http-policy.js';
import { linkTo } from './responses.js';

/** A user of a tenant, as the caller of a route that takes keys of tenants. */
export type TenantCaller = Extract<StatusCaller, { kind: 'tenant' }>;

export const callerOf = (request: FastifyRequest): TenantCaller => tenantAdmission(request).caller;

export const Caller = parameter(callerOf);

/** The form of the answer that the caller prefers. */
export const Format = parameter((request): WireFormat => tenantAdmission(request).format);

/** What surrounds a command inside a tenant. */
export const TenantContext = parameter((request) => {
  const { actorId, isKey, tenantId } = tenantAdmission(request).caller;
  // An administrator may call the same path for several tenants.
  return isKey
    ? contextOf(request, 'status', { kind: 'key', id: actorId }, tenantId)
    : contextOf(request, 'status', { kind: 'user', id: actorId });
});

/** What surrounds a command of an administrator. */
export const AdminContext = parameter((request) =>
  contextOf(request, 'status', { kind: 'key', id: adminAdmission(request).caller.actorId }),
);

/** The role by which an administrator sees tenants: a key has one. */
export const AdminRole = parameter((request): string | undefined => adminAdmission(request).caller.roles[0]);

/** The UTC day that the call is about: the query parameter `date`, default today. @throws StatusError `E400D` */
export const dayOf = ({ query, server }: FastifyRequest): DayText => givenDay(query as Readonly<Record<string, unknown>>) ?? server.today();

export const Day = parameter(dayOf);

/** `links.self` of this call, or of the record that it creates. */
export type Link = (newId?: string) => string;

export const Self = parameter(
  (request): Link =>
    (newId) =>
      linkTo(request, newId),
);
