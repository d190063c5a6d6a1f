import { ObjectIds } from '#api/accounting/object-ids.js';
import { commandTo, commandWith, type DataOf } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import type { AccessCommand } from '#domain/accounting/access/access-commands.js';
import { ACCESS_STREAM, type OidcTenant, oidcTenantSubject } from '#domain/accounting/access/access-events.js';
import { access } from '#domain/accounting/access/access-rules.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';

/** The holder of a token according to its claims. `oidcId`: value of the id claim. */
type NewClient = Readonly<{ oidcId: string; issuer: string; name: string; email: string }>;

/** For the stream of clients, entitlements, OIDC tenants and settings. */
const toAccess = toStreams(access, () => ACCESS_STREAM);

/** Renames an entitlement. The rights of all its holders change at once. */
export class RenameEntitlement extends commandTo(toAccess, 'RenameEntitlement') {}

/** Deletes an entitlement that no client holds. */
export class DeleteEntitlement extends commandTo(toAccess, 'DeleteEntitlement') {}

/** Takes an entitlement from a client. */
export class DissociateEntitlement extends commandTo(toAccess, 'DissociateEntitlement') {}

/** Removes an issuer. Its tokens are refused at once. */
export class DeleteOidcTenant extends commandTo(toAccess, 'DeleteOidcTenant') {}

/** Sets a setting to one of its permitted values. */
export class ChangeSetting extends commandTo(toAccess, 'ChangeSetting') {}

/** Registers a client, so that entitlements can be assigned to it. A registered client stays unchanged. */
export class RegisterClient extends commandWith([], (data: NewClient, { context, gateway }) => {
  const actorId = actorIdOf(data.issuer, data.oidcId);
  return gateway.execute(toAccess(context, { type: 'RegisterClient', actorId, ...data }));
}) {}

/** Creates an entitlement with a new name. The record is its id. */
export class CreateEntitlement extends commandWith([ObjectIds], async (data: Readonly<{ name: string }>, { context, gateway }, ids) => {
  const command = { type: 'CreateEntitlement', entitlementId: ids.next(), ...data } as const;
  const { events, readable } = await gateway.execute(toAccess(context, command));
  return { record: eventOf(events, 'EntitlementCreated').data.entitlementId, readable };
}) {}

/** Gives an entitlement to a registered client. */
export class AssignEntitlement extends commandWith(
  [ObjectIds],
  (data: Readonly<{ entitlementId: string; actorId: string }>, { context, gateway }, ids) =>
    gateway.execute(toAccess(context, { type: 'AssignEntitlement', assignmentId: ids.next(), ...data })),
) {}

/** Registers an issuer, whose tokens are accepted from then on. The record is its id. */
export class CreateOidcTenant extends commandWith([ObjectIds], async (tenant: OidcTenant, { context, gateway }, ids) => {
  const command = { type: 'CreateOidcTenant', oidcTenantId: ids.next(), tenant } as const;
  const { events, readable } = await gateway.execute(toAccess(context, command));
  return { record: eventOf(events, 'OidcTenantCreated').data.oidcTenantId, readable };
}) {}

/** Changes an issuer. The record has the new values; it is `undefined` if nothing changed. */
export class ReviseOidcTenant extends commandWith(
  [ErasedSubjects],
  async (data: DataOf<AccessCommand, 'ReviseOidcTenant'>, { context, gateway }, erased) => {
    await erased.refuse(oidcTenantSubject(data.oidcTenantId));
    const { events, readable } = await gateway.execute(toAccess(context, { type: 'ReviseOidcTenant', ...data }));
    const [event] = events;
    if (event?.type !== 'OidcTenantRevised') return { record: undefined, readable };
    const { oidcTenantId: _, ...record } = event.data;
    return { record, readable };
  },
) {}
