import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Json } from '#domain/shared/events.js';
import { isJsonObject, type Mark, type Marks, secretText } from '#domain/shared/marks.js';
import { ended, type Mapping, none, text } from '#domain/shared/resource-change.js';
import { recordOfTenant, tenantReference } from '#domain/status/audited-records.js';
import { recomputationsOf } from '#domain/status/recomputations/recomputations.js';
import type { EngineStatus } from './engine-status.js';
import type { Readiness } from './readiness.js';

/** A tenant's own data; `created` and `updated` of the wire come from the events' times. */
export type TenantInfo = Readonly<{ name: string; email: string; description: string; image: string; website: string }>;
export type DatabaseConfiguration = Readonly<{
  store: string;
  server: string;
  port: number;
  database: string;
  username: string;
  password: string;
}>;
export type Topology = Readonly<{ type: string; feed: string }>;

/** `apiKeyHash`: the hash by which the key is looked up; equal keys have equal hashes. Never the hash of an empty key, because every user has a key. */
export type ApiKey = Readonly<{ apiKey: string; apiKeyHash: string }>;
/** `component`: the part of the infrastructure whose integration uses the key, free text; absent where it is none. */
export type UserProfile = Readonly<{ name: string; email: string; roles: readonly string[]; component?: string }>;
export type TenantUser = Readonly<{ userId: string }> & UserProfile & ApiKey;

type OfTenant = Readonly<{ tenantId: string }>;
type OfUser = OfTenant & Readonly<{ userId: string }>;

/** The name stays readable, because names are unique; what may be personal or secret is sealed, a URL because it may hold credentials. */
export type TenantRegistered = OfTenant & TenantInfo & Readonly<{ topology: Topology; databases: readonly DatabaseConfiguration[] }>;
/** The tenant's data were replaced as a whole. `userIds`: its users from now on, in the order in which they are shown. */
type TenantRevised = TenantRegistered & Readonly<{ userIds: readonly string[] }>;
type TenantUserAdded = OfTenant & TenantUser;

/** The tenant was deleted with all that belongs to it; every projection with documents of tenants drops those of this one. `userIds`: its users. */
export type TenantDeleted = Readonly<{ type: 'TenantDeleted'; data: OfTenant & Readonly<{ userIds: readonly string[] }> }>;

export type TenantEvent =
  | Readonly<{ type: 'TenantRegistered'; data: TenantRegistered }>
  /** Comes after the events of its users that the same command caused. */
  | Readonly<{ type: 'TenantRevised'; data: TenantRevised }>
  | TenantDeleted
  | Readonly<{ type: 'TenantUserAdded'; data: TenantUserAdded }>
  | Readonly<{ type: 'TenantUserRevised'; data: OfUser & UserProfile }>
  | Readonly<{ type: 'TenantUserRemoved'; data: OfUser }>
  /** The user got another key, generated or chosen. */
  | Readonly<{ type: 'TenantUserKeyRenewed'; data: OfUser & ApiKey }>
  | Readonly<{ type: 'TenantEngineStatusReported'; data: OfTenant & Readonly<{ status: EngineStatus }> }>
  /** One part of the tenant was replaced as a whole; the others stay. */
  | Readonly<{ type: 'TenantInfoRevised'; data: OfTenant & TenantInfo }>
  | Readonly<{ type: 'TenantDatabasesReplaced'; data: OfTenant & Readonly<{ databases: readonly DatabaseConfiguration[] }> }>
  | Readonly<{ type: 'TenantTopologyReplaced'; data: OfTenant & Readonly<{ topology: Topology }> }>
  | Readonly<{ type: 'TenantReadinessReported'; data: OfTenant & Readonly<{ readiness: Readiness }> }>
  /** The tenant is a node of a federation from now on, or is none any more. */
  | Readonly<{ type: 'TenantSetAsNode'; data: OfTenant }>
  | Readonly<{ type: 'TenantUnsetAsNode'; data: OfTenant }>;

/** Everything of a tenant that a caller writes at once. */
type TenantContent = OfTenant &
  Readonly<{ info: TenantInfo; databases: readonly DatabaseConfiguration[]; topology: Topology; users: readonly TenantUser[] }>;

export type TenantCommand =
  | (Readonly<{ type: 'RegisterTenant' }> & TenantContent)
  /** A user whose key is that of a user of the tenant is that user and keeps its id; the given `userId` counts for new users only. */
  | (Readonly<{ type: 'ReviseTenant' }> & TenantContent)
  | (Readonly<{ type: 'DeleteTenant' }> & OfTenant)
  | (Readonly<{ type: 'AddTenantUser'; user: TenantUser }> & OfTenant)
  /** Empty members change nothing; without `key` the key stays. */
  | (Readonly<{ type: 'ReviseTenantUser'; changes: UserProfile; key?: ApiKey }> & OfUser)
  | (Readonly<{ type: 'RemoveTenantUser' }> & OfUser)
  | (Readonly<{ type: 'RenewTenantUserKey'; key: ApiKey }> & OfUser)
  /** Of the tenant of that name, the user who was first added with that component gets another key. */
  | Readonly<{ type: 'RenewComponentKey'; tenantName: string; component: string; key: ApiKey }>
  | (Readonly<{ type: 'ReportTenantEngineStatus'; status: EngineStatus }> & OfTenant)
  | (Readonly<{ type: 'ReviseTenantInfo'; info: TenantInfo }> & OfTenant)
  | (Readonly<{ type: 'ReplaceTenantDatabases'; databases: readonly DatabaseConfiguration[] }> & OfTenant)
  | (Readonly<{ type: 'ReplaceTenantTopology'; topology: Topology }> & OfTenant)
  | (Readonly<{ type: 'ReportTenantReadiness'; readiness: Readiness }> & OfTenant)
  | (Readonly<{ type: 'SetTenantAsNode' | 'UnsetTenantAsNode' }> & OfTenant);

export const TENANTS_CATEGORY = 'status.tenants';
/** One stream for all tenants, because names and api keys are unique over all of them. */
export const TENANTS_STREAM = `${TENANTS_CATEGORY}-global`;

/** The subject whose key seals what is personal or secret of a tenant. */
export const tenantSubject = (tenantId: unknown): string => `tenant-${tenantId}`;
/** The same for a user. */
export const userSubject = (userId: unknown): string => `user-${userId}`;

/** For events with data of a tenant as a whole: these members are sealed with its key. */
export const sealedForTenant = (...members: string[]) => ({
  sensitive: { subject: ({ tenantId }: { tenantId?: unknown }) => tenantSubject(tenantId), members },
});
const ofUser = (marks: Marks, ...members: string[]) => ({
  sensitive: { subject: ({ userId }: { userId?: unknown }) => userSubject(userId), members },
  marks,
});

/** Of the databases of a tenant, user names and passwords are secret. */
export const withoutDatabaseSecrets: Mark = (databases) => (Array.isArray(databases) ? databases.map(withoutCredentials) : databases);
const withoutCredentials = (database: Json): Json =>
  isJsonObject(database) ? { ...database, username: secretText(database.username), password: secretText(database.password) } : database;

const ofTenant = {
  ...sealedForTenant('email', 'databases', 'topology.feed'),
  marks: { email: 'personal', databases: withoutDatabaseSecrets, 'topology.feed': 'url' },
} as const;
const personal: Marks = { name: 'personal', email: 'personal' };
const apiKey: Marks = { apiKey: 'secret', apiKeyHash: 'hash' };

const tenant: Mapping = ({ data }) => [tenantReference(text(data, 'tenantId'))];
const user: Mapping = ({ data }) => [recordOfTenant('user', text(data, 'userId'), text(data, 'tenantId'))];
/** A change of a user is the tenant's latest one too. */
const inTenant =
  (changes: Mapping): Mapping =>
  (event) => [...changes(event), { ...tenantReference(text(event.data, 'tenantId')), beside: true }];

/** Users are records of their own; `info.updated` of their tenant follows each change of theirs. */
export const tenantEvents: CatalogueOf<TenantEvent> = {
  TenantRegistered: { resource: tenant, ...ofTenant },
  TenantRevised: { resource: tenant, ...ofTenant },
  TenantDeleted: {
    resource: ended(tenant),
    forgets: ({ tenantId, userIds }) => [tenantSubject(tenantId), ...(Array.isArray(userIds) ? userIds.map(userSubject) : [])],
    forgetsMentioned: ({ tenantId }) => recomputationsOf(tenantId),
  },
  TenantUserAdded: { resource: inTenant(user), ...ofUser({ ...personal, ...apiKey }, 'name', 'email', 'apiKey') },
  TenantUserRevised: { resource: inTenant(user), ...ofUser(personal, 'name', 'email') },
  TenantUserRemoved: { resource: inTenant(ended(user)), forgets: ({ userId }) => [userSubject(userId)] },
  TenantUserKeyRenewed: { resource: inTenant(user), ...ofUser(apiKey, 'apiKey') },
  TenantEngineStatusReported: { resource: none },
  TenantInfoRevised: { resource: tenant, ...sealedForTenant('email'), marks: { email: 'personal' } },
  TenantDatabasesReplaced: { resource: tenant, ...sealedForTenant('databases'), marks: { databases: withoutDatabaseSecrets } },
  TenantTopologyReplaced: { resource: tenant, ...sealedForTenant('topology.feed'), marks: { 'topology.feed': 'url' } },
  TenantReadinessReported: { resource: none },
  TenantSetAsNode: { resource: tenant },
  TenantUnsetAsNode: { resource: tenant },
};
