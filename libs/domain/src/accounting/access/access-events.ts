import { record } from '#domain/accounting/record.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';
import { ended, none } from '#domain/shared/resource-change.js';

/** One stream for clients, entitlements, assignments, OIDC tenants and settings, because their names are unique across all of them. */
export const ACCESS_CATEGORY = 'accounting.access';
export const ACCESS_STREAM = `${ACCESS_CATEGORY}-global`;

/** Members of an OIDC tenant, in wire order. */
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

type OidcTenantTexts = Readonly<Record<(typeof OIDC_TENANT_FIELDS)[number], string>>;

/**
 * An OIDC issuer and the names of the claims in its tokens (accounting contract 3.12). Members are named as on the wire. `entitlement_management`:
 * `null` only of migrated ones.
 */
export type OidcTenant = Omit<OidcTenantTexts, 'entitlement_management'> & Readonly<{ entitlement_management: string | null }>;

/** Builds a tenant from `value`, which is called for each member in wire order. */
export const oidcTenantOf = (value: (member: keyof OidcTenant) => string): OidcTenantTexts =>
  Object.fromEntries(OIDC_TENANT_FIELDS.map((member) => [member, value(member)])) as OidcTenantTexts;

/** Ids are 24 lower-case hex characters. */
export type AccessEvent =
  /** `oidcId` and `issuer` identify the token's holder. A client is registered once. `actorId` is derived from them, except for migrated clients. */
  | Readonly<{ type: 'ClientRegistered'; data: Readonly<{ actorId: string; oidcId: string; issuer: string; name: string; email: string }> }>
  | Readonly<{ type: 'EntitlementCreated'; data: Readonly<{ entitlementId: string; name: string }> }>
  | Readonly<{ type: 'EntitlementRenamed'; data: Readonly<{ entitlementId: string; name: string }> }>
  | Readonly<{ type: 'EntitlementDeleted'; data: Readonly<{ entitlementId: string }> }>
  | Readonly<{ type: 'EntitlementAssigned'; data: Readonly<{ assignmentId: string; entitlementId: string; actorId: string }> }>
  | Readonly<{ type: 'EntitlementDissociated'; data: Readonly<{ assignmentId: string; entitlementId: string; actorId: string }> }>
  | Readonly<{ type: 'OidcTenantCreated'; data: Readonly<{ oidcTenantId: string }> & OidcTenant }>
  /** All values after the revision. */
  | Readonly<{ type: 'OidcTenantRevised'; data: Readonly<{ oidcTenantId: string }> & OidcTenant }>
  | Readonly<{ type: 'OidcTenantDeleted'; data: Readonly<{ oidcTenantId: string }> }>
  | Readonly<{ type: 'SettingChanged'; data: Readonly<{ key: string; value: string }> }>;

/** Encryption subject of a client's personal data. */
export const clientSubject = (actorId: unknown): string => `client-${actorId}`;
const ofClient = ({ actorId }: JsonObject): string => clientSubject(actorId);
/** Encryption subject of an OIDC tenant's secret. */
export const oidcTenantSubject = (oidcTenantId: unknown): string => `oidc-tenant-${oidcTenantId}`;
const ofOidcTenant = ({ oidcTenantId }: JsonObject): string => oidcTenantSubject(oidcTenantId);

const client = record('client', 'actorId');
const entitlement = record('entitlement', 'entitlementId');
const oidcTenant = record('oidc_tenant', 'oidcTenantId');

/** Assignments relate records and belong to none of them. */
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
