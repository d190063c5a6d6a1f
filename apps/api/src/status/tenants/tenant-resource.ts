import { Inject } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StreamWrite } from '#api/shared/commands/stream-write.js';
import { noteReadability } from '#api/shared/http/read-model-header.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import * as errors from '#api/status/errors.js';
import { adminAdmission } from '#api/status/http-policy.js';
import type { Clock } from '#domain/shared/clock.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import { TENANTS_STREAM, type TenantCommand, type TenantEvent } from '#domain/status/tenants/tenants.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { TENANTS_PROJECTION, type TenantDocument, tenantCollections } from '#projections/status/tenants/tenants.js';

/** Path parameters of the calls on one tenant and one user of it. */
export type TenantPath = Readonly<{ id: string }>;
export type UserPath = TenantPath & Readonly<{ userId: string }>;

/** What the controllers of tenants share: reads of their documents, and writes to the one stream of all tenants. */
export abstract class TenantResource {
  protected readonly view: ReadView;

  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.view = store.view(TENANTS_PROJECTION);
  }

  /** @throws StatusError `E404` */
  protected async tenant(id: string): Promise<TenantDocument> {
    const bytes = await this.view.get(tenantCollections.tenants, id);
    if (!bytes) throw errors.notFound();
    return parse<TenantDocument>(bytes);
  }

  /** The events that the command led to, now or when its `Idempotency-Key` came first. */
  protected async write(request: FastifyRequest, reply: FastifyReply, command: TenantCommand): Promise<readonly TenantEvent[]> {
    const actor = { kind: 'key', id: adminAdmission(request).caller.actorId } as const;
    const { events, readable } = await this.commands.execute(
      new StreamWrite(TENANTS_STREAM, tenants, command, contextOf(request, 'status', actor, this.clock)),
    );
    noteReadability(reply, readable);
    return events;
  }
}

export const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** The role by which the caller sees tenants: an administrator's key has one. */
export const roleOf = (request: FastifyRequest): string | undefined => adminAdmission(request).caller.roles[0];
