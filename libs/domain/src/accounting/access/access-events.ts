import { record } from '#domain/accounting/record.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';
import { ended, none } from '#domain/shared/resource-change.js';

/** One stream for clients, entitlements, assignments, tenants' OIDC configuration and settings: their names are unique over all of them. */
export const ACCESS_CATEGORY = 'accounting.access';
export const ACCESS_STREAM = `${ACCESS_CATEGORY}-global`;

/** Members of an OIDC tenant in the order of the wire. */
export const OIDC_TENANT_FIELDS = [
  'issuer',
  'tenant_id',
  'client_id',
  'secret',
  'authorization_path',
  'introspection_path',
  'user_info_path',
  'token_path',
  'auth_server_url',
  'user_id_token_claim',
  'service_id_token_claim',
  'group_management_namespace',
  'group_management_parent',
  'entitlement_management',
] as const;

/** An OIDC issuer, and the names of the claims in its tokens (accounting contract 3.12). Members as on the wire. */
export type OidcTenant = Readonly<Record<(typeof OIDC_TENANT_FIELDS)[number], string>>;

/** A tenant of the values of its members, which are asked for in their order. */
export const oidcTenantOf = (value: (member: keyof OidcTenant) => string): OidcTenant =>
  Object.fromEntries(OIDC_TENANT_FIELDS.map((member) => [member, value(member)])) as OidcTenant;

/** Ids are 24 lower-case hex characters. */
export type AccessEvent =
  /** `oidcId` and `issuer` identify the holder of a token; a client is registered once. `actorId` follows from them, but of clients that were brought over. */
  | Readonly<{ type: 'ClientRegistered'; data: Readonly<{ actorId: string; oidcId: string; issuer: string; name: string; email: string }> }>
  | Readonly<{ type: 'EntitlementCreated'; data: Readonly<{ entitlementId: string; name: string }> }>
  | Readonly<{ type: 'EntitlementRenamed'; data: Readonly<{ entitlementId: string; name: string }> }>
  | Readonly<{ type: 'EntitlementDeleted'; data: Readonly<{ entitlementId: string }> }>
  | Readonly<{ type: 'EntitlementAssigned'; data: Readonly<{ assignmentId: string; entitlementId: string; actorId: string }> }>
  | Readonly<{ type: 'EntitlementDissociated'; data: Readonly<{ assignmentId: string; entitlementId: string; actorId: string }> }>
  | Readonly<{ type: 'OidcTenantCreated'; data: Readonly<{ oidcTenantId: string }> & OidcTenant }>
  /** The values that hold from now on. */
  | Readonly<{ type: 'OidcTenantRevised'; data: Readonly<{ oidcTenantId: string }> & OidcTenant }>
  | Readonly<{ type: 'OidcTenantDeleted'; data: Readonly<{ oidcTenantId: string }> }>
  | Readonly<{ type: 'SettingChanged'; data: Readonly<{ key: string; value: string }> }>;

/** Subject whose key seals the personal data of a client. */
export const clientSubject = (actorId: unknown): string => `client-${actorId}`;
const ofClient = ({ actorId }: JsonObject): string => clientSubject(actorId);
/** Subject whose key seals the secret of an OIDC tenant. */
export const oidcTenantSubject = (oidcTenantId: unknown): string => `oidc-tenant-${oidcTenantId}`;
const ofOidcTenant = ({ oidcTenantId }: JsonObject): string => oidcTenantSubject(oidcTenantId);

const client = record('client', 'actorId');
const entitlement = record('entitlement', 'entitlementId');
const oidcTenant = record('oidc_tenant', 'oidcTenantId');

/** Assignments are relations between records: members of neither. */
export const accessEvents: CatalogueOf<AccessEvent> = {
  ClientRegistered: {
    resource: client,
    sensitive: { subject: ofClient, members: ['name', 'email'] },
    marks: { name: 'personal', email: 'personal' },
  },
  EntitlementCreated: { resource: entitlement },
  EntitlementRenamed: { resource: entitlement },
  EntitlementDeleted: { resource: ended(entitlement) },
  EntitlementAssigned: { resource: none },
  EntitlementDissociated: { resource: none },
  OidcTenantCreated: { resource: oidcTenant, sensitive: { subject: ofOidcTenant, members: ['secret'] }, marks: { secret: 'secret' } },
  OidcTenantRevised: { resource: oidcTenant, sensitive: { subject: ofOidcTenant, members: ['secret'] }, marks: { secret: 'secret' } },
  OidcTenantDeleted: { resource: ended(oidcTenant), forgets: (data) => [ofOidcTenant(data)] },
  SettingChanged: { resource: none },
};
