import { randomUUID } from 'node:crypto';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { commandTo, commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { WriteOutcome } from '#api/status/answers/written.js';
import { DomainError } from '#domain/shared/decider.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import {
  type ApiKey,
  type DatabaseConfiguration,
  TENANTS_STREAM,
  type TenantEvent,
  type TenantInfo,
  type TenantUser,
  type Topology,
  tenantSubject,
  type UserProfile,
  userSubject,
} from '#domain/status/tenants/tenants.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** A user in a call. With an empty `apiKey` a key is generated. */
export type NewUser = UserProfile & Readonly<{ apiKey: string }>;

/** A tenant in a call. */
export type TenantData = Readonly<{
  info: TenantInfo;
  databases: readonly DatabaseConfiguration[];
  topology: Topology;
  users: readonly NewUser[];
}>;

const apiKeyOf = (apiKey: string, hashes: CredentialHashes): ApiKey => ({ apiKey, apiKeyHash: hashes.of(apiKey) });

const tenantUser = ({ apiKey, ...profile }: NewUser, hashes: CredentialHashes): TenantUser => ({
  userId: randomUUID(),
  ...profile,
  ...apiKeyOf(apiKey || newKey(), hashes),
});

/** All tenants share a stream. */
export const toTenants = toStreams(tenants, () => TENANTS_STREAM);

type OfTenant = Readonly<{ tenantId: string }>;
type OfUser = OfTenant & Readonly<{ userId: string }>;

type RenewedKey = WriteOutcome & Readonly<{ apiKey: string }>;

/** @throws DomainError for a repeated request whose user was removed since */
const renewedKey = ({ events, readable }: Outcome<TenantEvent>, missing: DomainError): RenewedKey => {
  const { apiKey } = eventOf(events, 'TenantUserKeyRenewed').data;
  if (!apiKey) throw missing;
  return { apiKey, readable };
};

/** Removes a tenant with its users and all its data. */
export class DeleteTenant extends commandTo(toTenants, 'DeleteTenant') {}

/** Removes a user. The api key stops working at once. */
export class RemoveTenantUser extends commandTo(toTenants, 'RemoveTenantUser') {}

/** Replaces the engine status of a tenant. */
export class ReportTenantEngineStatus extends commandTo(toTenants, 'ReportTenantEngineStatus') {}

// Each of these replaces one part of a tenant; all other parts stay.
export class ReviseTenantInfo extends commandTo(toTenants, 'ReviseTenantInfo') {}
export class ReplaceTenantDatabases extends commandTo(toTenants, 'ReplaceTenantDatabases') {}
export class ReplaceTenantTopology extends commandTo(toTenants, 'ReplaceTenantTopology') {}
export class ReportTenantReadiness extends commandTo(toTenants, 'ReportTenantReadiness') {}
export class SetTenantAsNode extends commandTo(toTenants, 'SetTenantAsNode') {}
export class UnsetTenantAsNode extends commandTo(toTenants, 'UnsetTenantAsNode') {}

/** Registers a tenant with its users. */
export class RegisterTenant extends commandWith([CredentialHashes], async (data: TenantData, { context, gateway }, hashes) => {
  const users = data.users.map((user) => tenantUser(user, hashes));
  const command = { ...data, type: 'RegisterTenant', tenantId: randomUUID(), users } as const;
  const { events, readable } = await gateway.execute(toTenants(context, command));
  return { id: eventOf(events, 'TenantRegistered').data.tenantId, readable };
}) {}

/** Replaces a tenant and its users. A user with the api key of an existing user of the tenant remains that user. */
export class ReviseTenant extends commandWith(
  [CredentialHashes, ErasedSubjects, TenantQueries],
  async (data: OfTenant & TenantData, { context, gateway }, hashes, erased, queries) => {
    const users = data.users.map((user) => tenantUser(user, hashes));
    const holders = await Promise.all(users.map(({ apiKeyHash }) => queries.apiKeyHolder(apiKeyHash)));
    await erased.refuse(tenantSubject(data.tenantId), ...holders.flatMap((holder) => (holder ? [userSubject(holder.userId)] : [])));
    return gateway.execute(toTenants(context, { ...data, type: 'ReviseTenant', users }));
  },
) {}

/** Adds a user with a generated api key to a tenant. */
export class AddTenantUser extends commandWith(
  [CredentialHashes, ErasedSubjects],
  async ({ tenantId, profile }: OfTenant & Readonly<{ profile: UserProfile }>, { context, gateway }, hashes, erased) => {
    await erased.refuse(tenantSubject(tenantId)); // the user's key would not be accepted
    const user = tenantUser({ ...profile, apiKey: '' }, hashes);
    const { events, readable } = await gateway.execute(toTenants(context, { type: 'AddTenantUser', tenantId, user }));
    return { id: eventOf(events, 'TenantUserAdded').data.userId, readable };
  },
) {}

/** Changes a user. Empty members change nothing, and an empty `apiKey` keeps the key. */
export class ReviseTenantUser extends commandWith(
  [CredentialHashes, ErasedSubjects],
  async ({ tenantId, userId, changes }: OfUser & Readonly<{ changes: NewUser }>, { context, gateway }, hashes, erased) => {
    await erased.refuse(tenantSubject(tenantId), userSubject(userId));
    const { apiKey, ...profile } = changes;
    const key = apiKey ? { key: apiKeyOf(apiKey, hashes) } : {};
    return gateway.execute(toTenants(context, { type: 'ReviseTenantUser', tenantId, userId, changes: profile, ...key }));
  },
) {}

/** Gives a user a new api key. The old one stops working at once. */
export class RenewTenantUserKey extends commandWith(
  [CredentialHashes, ErasedSubjects],
  async (data: OfUser, { context, gateway }, hashes, erased) => {
    await erased.refuse(tenantSubject(data.tenantId), userSubject(data.userId));
    const command = { type: 'RenewTenantUserKey', ...data, key: apiKeyOf(newKey(), hashes) } as const;
    return renewedKey(await gateway.execute(toTenants(context, command)), new DomainError('TENANT_USER_NOT_FOUND'));
  },
) {}

/** Gives the user of a component in the tenant of that name a new api key. The old one stops working at once. */
export class RenewComponentKey extends commandWith(
  [CredentialHashes, ErasedSubjects, TenantQueries],
  async (data: Readonly<{ tenantName: string; component: string }>, { context, gateway }, hashes, erased, queries) => {
    const { tenantName } = data;
    const named = await queries.named(tenantName);
    if (named) await erased.refuse(tenantSubject(named.tenantId));
    const command = { type: 'RenewComponentKey', ...data, key: apiKeyOf(newKey(), hashes) } as const;
    return renewedKey(await gateway.execute(toTenants(context, command)), new DomainError('COMPONENT_NOT_CONFIGURED', { tenantName }));
  },
) {}
