import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ObjectIds } from '#api/accounting/object-ids.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccessCommand, OidcTenantChanges } from '#domain/accounting/access/access-commands.js';
import type { AccessEvent, OidcTenant } from '#domain/accounting/access/access-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toAccess } from './stream-commands.js';

/** Registers an issuer: its tokens are accepted from then on. The record is its id. */
export class CreateOidcTenant extends Command<WrittenRecord<string>> {
  constructor(
    readonly context: CommandContext,
    readonly tenant: OidcTenant,
  ) {
    super();
  }
}

/** Changes an issuer. The record is what holds now, or `undefined` if nothing changed. */
export class ReviseOidcTenant extends Command<WrittenRecord<OidcTenant | undefined>> {
  constructor(
    readonly context: CommandContext,
    readonly oidcTenantId: string,
    readonly changes: OidcTenantChanges,
  ) {
    super();
  }
}

/** Forgets an issuer: its tokens are refused at once. */
export class DeleteOidcTenant extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly oidcTenantId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateOidcTenant)
export class CreateOidcTenantHandler implements ICommandHandler<CreateOidcTenant> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly ids: ObjectIds,
  ) {}

  async execute({ context, tenant }: CreateOidcTenant): Promise<WrittenRecord<string>> {
    const command: AccessCommand = { type: 'CreateOidcTenant', oidcTenantId: this.ids.next(), tenant };
    const { events, readable } = await this.gateway.execute(toAccess(context, command));
    const [event] = events;
    if (event?.type !== 'OidcTenantCreated') throw new Error('a creation made no tenant');
    return { record: event.data.oidcTenantId, readable };
  }
}

@CommandHandler(ReviseOidcTenant)
export class ReviseOidcTenantHandler implements ICommandHandler<ReviseOidcTenant> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, oidcTenantId, changes }: ReviseOidcTenant): Promise<WrittenRecord<OidcTenant | undefined>> {
    const { events, readable } = await this.gateway.execute(toAccess(context, { type: 'ReviseOidcTenant', oidcTenantId, changes }));
    const [event] = events;
    if (event?.type !== 'OidcTenantRevised') return { record: undefined, readable };
    const { oidcTenantId: _, ...record } = event.data;
    return { record, readable };
  }
}

@CommandHandler(DeleteOidcTenant)
export class DeleteOidcTenantHandler implements ICommandHandler<DeleteOidcTenant> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, oidcTenantId }: DeleteOidcTenant): Promise<Outcome<AccessEvent>> {
    return this.gateway.execute(toAccess(context, { type: 'DeleteOidcTenant', oidcTenantId }));
  }
}

export const oidcTenantHandlers = [CreateOidcTenantHandler, ReviseOidcTenantHandler, DeleteOidcTenantHandler];
