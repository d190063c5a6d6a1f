import type { Provider } from '@nestjs/common';
import { ObjectIds } from '#api/accounting/object-ids.js';
import type { WrittenRecord } from '#api/accounting/written.js';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, passOn } from '#api/shared/commands/handlers.js';
import type { AccessCommand } from '#domain/accounting/access/access-commands.js';
import { ACCESS_STREAM, type AccessEvent, type OidcTenant } from '#domain/accounting/access/access-events.js';
import { type AccessState, access } from '#domain/accounting/access/access-rules.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import type { CommandContext, StreamCommand } from '#domain/shared/execution.js';

/** The holder of a token according to its claims. `oidcId`: value of the id claim. */
type NewClient = Readonly<{ oidcId: string; issuer: string; name: string; email: string }>;

/** Registers a client, so that entitlements can be assigned to it. A registered client stays unchanged. */
export class RegisterClient extends CommandWith<NewClient, Outcome<AccessEvent>> {}

/** Creates an entitlement with a new name. The record is its id. */
export class CreateEntitlement extends CommandWith<Readonly<{ name: string }>, WrittenRecord<string>> {}

/** Renames an entitlement. The rights of all its holders change at once. */
export class RenameEntitlement extends CommandOf<AccessCommand, 'RenameEntitlement', AccessEvent> {}

/** Deletes an entitlement that no client holds. */
export class DeleteEntitlement extends CommandOf<AccessCommand, 'DeleteEntitlement', AccessEvent> {}

/** Gives an entitlement to a registered client. */
export class AssignEntitlement extends CommandWith<Readonly<{ entitlementId: string; actorId: string }>, Outcome<AccessEvent>> {}

/** Takes an entitlement from a client. */
export class DissociateEntitlement extends CommandOf<AccessCommand, 'DissociateEntitlement', AccessEvent> {}

/** Registers an issuer, whose tokens are accepted from then on. The record is its id. */
export class CreateOidcTenant extends CommandWith<OidcTenant, WrittenRecord<string>> {}

/** Changes an issuer. The record has the new values; it is `undefined` if nothing changed. */
export class ReviseOidcTenant extends CommandWith<DataOf<AccessCommand, 'ReviseOidcTenant'>, WrittenRecord<OidcTenant | undefined>> {}

/** Removes an issuer. Its tokens are refused at once. */
export class DeleteOidcTenant extends CommandOf<AccessCommand, 'DeleteOidcTenant', AccessEvent> {}

/** Sets a setting to one of its permitted values. */
export class ChangeSetting extends CommandOf<AccessCommand, 'ChangeSetting', AccessEvent> {}

/** For the stream of clients, entitlements, OIDC tenants and settings. */
const toAccess = (context: CommandContext, command: AccessCommand): StreamCommand<AccessState, AccessCommand, AccessEvent> => ({
  stream: ACCESS_STREAM,
  decider: access,
  context,
  command,
});

export const accessHandlers: readonly Provider[] = [
  ...passOn(toAccess, { RenameEntitlement, DeleteEntitlement, DissociateEntitlement, DeleteOidcTenant, ChangeSetting }),

  handles(RegisterClient, [CommandGateway], ({ context, data }, gateway) => {
    const actorId = actorIdOf(data.issuer, data.oidcId);
    return gateway.execute(toAccess(context, { type: 'RegisterClient', actorId, ...data }));
  }),

  handles(CreateEntitlement, [CommandGateway, ObjectIds], async ({ context, data }, gateway, ids) => {
    const command = { type: 'CreateEntitlement', entitlementId: ids.next(), ...data } as const;
    const { events, readable } = await gateway.execute(toAccess(context, command));
    return { record: eventOf(events, 'EntitlementCreated').data.entitlementId, readable };
  }),

  handles(AssignEntitlement, [CommandGateway, ObjectIds], ({ context, data }, gateway, ids) =>
    gateway.execute(toAccess(context, { type: 'AssignEntitlement', assignmentId: ids.next(), ...data })),
  ),

  handles(CreateOidcTenant, [CommandGateway, ObjectIds], async ({ context, data: tenant }, gateway, ids) => {
    const command = { type: 'CreateOidcTenant', oidcTenantId: ids.next(), tenant } as const;
    const { events, readable } = await gateway.execute(toAccess(context, command));
    return { record: eventOf(events, 'OidcTenantCreated').data.oidcTenantId, readable };
  }),

  handles(ReviseOidcTenant, [CommandGateway], async ({ context, data }, gateway) => {
    const { events, readable } = await gateway.execute(toAccess(context, { type: 'ReviseOidcTenant', ...data }));
    const [event] = events;
    if (event?.type !== 'OidcTenantRevised') return { record: undefined, readable };
    const { oidcTenantId: _, ...record } = event.data;
    return { record, readable };
  }),
];
