import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Json } from '#domain/shared/events.js';
import { isJsonObject, type Mark, type Marks, secretText } from '#domain/shared/marks.js';
import { ended, type Mapping, none, text } from '#domain/shared/resource-change.js';
import { recordOfTenant, tenantReference } from '#domain/status/audited-records.js';
import { recomputationsOf } from '#domain/status/recomputations/recomputations.js';
import type { EngineStatus } from './engine-status.js';
import type { Readiness } from './readiness.js';

/** Data of a tenant itself. `created` and `updated` on the wire are the times of events. */
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

/** `apiKeyHash`: lookup hash of the key. Equal keys have equal hashes. It is never the hash of an empty key, because every user has a key. */
export type ApiKey = Readonly<{ apiKey: string; apiKeyHash: string }>;
/** `component`: component of the infrastructure whose integration uses the key, free text. Absent if it is not a component. */
export type UserProfile = Readonly<{ name: string; email: string; roles: readonly string[]; component?: string }>;
export type TenantUser = Readonly<{ userId: string }> & UserProfile & ApiKey;

type OfTenant = Readonly<{ tenantId: string }>;
type OfUser = OfTenant & Readonly<{ userId: string }>;

/** The name stays readable, because names are unique. Personal and secret members are sealed, including URLs, which may contain credentials. */
export type TenantRegistered = OfTenant & TenantInfo & Readonly<{ topology: Topology; databases: readonly DatabaseConfiguration[] }>;
/** The tenant's data was replaced as a whole. `userIds`: all users after the revision, in display order. */
type TenantRevised = TenantRegistered & Readonly<{ userIds: readonly string[] }>;
type TenantUserAdded = OfTenant & TenantUser;

/** The tenant was deleted with all its data. Every projection with documents of tenants deletes those of this one. `userIds`: its users. */
export type TenantDeleted = Readonly<{ type: 'TenantDeleted'; data: OfTenant & Readonly<{ userIds: readonly string[] }> }>;

export type TenantEvent =
  | Readonly<{ type: 'TenantRegistered'; data: TenantRegistered }>
  /** Follows the events about its users that the same command caused. */
  | Readonly<{ type: 'TenantRevised'; data: TenantRevised }>
  | TenantDeleted
  | Readonly<{ type: 'TenantUserAdded'; data: TenantUserAdded }>
  | Readonly<{ type: 'TenantUserRevised'; data: OfUser & UserProfile }>
  | Readonly<{ type: 'TenantUserRemoved'; data: OfUser }>
  /** The user got a new key, generated or chosen. */
  | Readonly<{ type: 'TenantUserKeyRenewed'; data: OfUser & ApiKey }>
  | Readonly<{ type: 'TenantEngineStatusReported'; data: OfTenant & Readonly<{ status: EngineStatus }> }>
  /** One part of the tenant was replaced as a whole. The others are unchanged. */
  | Readonly<{ type: 'TenantInfoRevised'; data: OfTenant & TenantInfo }>
  | Readonly<{ type: 'TenantDatabasesReplaced'; data: OfTenant & Readonly<{ databases: readonly DatabaseConfiguration[] }> }>
  | Readonly<{ type: 'TenantTopologyReplaced'; data: OfTenant & Readonly<{ topology: Topology }> }>
  | Readonly<{ type: 'TenantReadinessReported'; data: OfTenant & Readonly<{ readiness: Readiness }> }>
  /** The tenant became a node of a federation, or is no longer one. */
  | Readonly<{ type: 'TenantSetAsNode'; data: OfTenant }>
  | Readonly<{ type: 'TenantUnsetAsNode'; data: OfTenant }>;

/** Everything that a caller writes about a tenant at once. */
type TenantContent = OfTenant &
  Readonly<{ info: TenantInfo; databases: readonly DatabaseConfiguration[]; topology: Topology; users: readonly TenantUser[] }>;

export type TenantCommand =
  | (Readonly<{ type: 'RegisterTenant' }> & TenantContent)
  /** A user with the key of an existing user of the tenant is that user and keeps its id. The given `userId` is used only for new users. */
  | (Readonly<{ type: 'ReviseTenant' }> & TenantContent)
  | (Readonly<{ type: 'DeleteTenant' }> & OfTenant)
  /** Records nothing. Rejected if the tenant does not exist. */
  | (Readonly<{ type: 'RequireTenant' }> & OfTenant)
  | (Readonly<{ type: 'AddTenantUser'; user: TenantUser }> & OfTenant)
  /** Empty members change nothing. Without `key`, the key is unchanged. */
  | (Readonly<{ type: 'ReviseTenantUser'; changes: UserProfile; key?: ApiKey }> & OfUser)
  | (Readonly<{ type: 'RemoveTenantUser' }> & OfUser)
  | (Readonly<{ type: 'RenewTenantUserKey'; key: ApiKey }> & OfUser)
  /** Renews the key of the user who was first added with the component, in the tenant with this name. */
  | Readonly<{ type: 'RenewComponentKey'; tenantName: string; component: string; key: ApiKey }>
  | (Readonly<{ type: 'ReportTenantEngineStatus'; status: EngineStatus }> & OfTenant)
  | (Readonly<{ type: 'ReviseTenantInfo'; info: TenantInfo }> & OfTenant)
  | (Readonly<{ type: 'ReplaceTenantDatabases'; databases: readonly DatabaseConfiguration[] }> & OfTenant)
  | (Readonly<{ type: 'ReplaceTenantTopology'; topology: Topology }> & OfTenant)
  | (Readonly<{ type: 'ReportTenantReadiness'; readiness: Readiness }> & OfTenant)
  | (Readonly<{ type: 'SetTenantAsNode' | 'UnsetTenantAsNode' }> & OfTenant);

export const TENANTS_CATEGORY = 'status.tenants';
/** One stream for all tenants, because names and API keys are unique across all of them. */
export const TENANTS_STREAM = `${TENANTS_CATEGORY}-global`;

/** Encryption subject of a tenant's personal and secret data. */
export const tenantSubject = (tenantId: unknown): string => `tenant-${tenantId}`;
/** Encryption subject of a user's personal and secret data. */
export const userSubject = (userId: unknown): string => `user-${userId}`;

/** For events with data of a tenant as a whole: seals these members with the tenant's key. */
export const sealedForTenant = (...members: string[]) => ({
  sensitive: { subject: ({ tenantId }: { tenantId?: unknown }) => tenantSubject(tenantId), members },
});
const ofUser = (marks: Marks, ...members: string[]) => ({
  sensitive: { subject: ({ userId }: { userId?: unknown }) => userSubject(userId), members },
  marks,
});

/** User names and passwords of a tenant's databases are secret. */
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
/** A change of a user is also a change of the tenant. */
const inTenant =
  (changes: Mapping): Mapping =>
  (event) => [...changes(event), { ...tenantReference(text(event.data, 'tenantId')), beside: true }];

/** Users are records of their own. Each change of a user also updates `info.updated` of the tenant. */
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
