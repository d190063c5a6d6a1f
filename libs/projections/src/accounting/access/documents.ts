import { clientSubject, type OidcTenant, oidcTenantSubject } from '#domain/accounting/access/access-events.js';
import type { Static } from '#domain/shared/shape.js';
import type * as answers from '#projections/accounting/components.js';
import { CLIENT, ENTITLEMENT, OIDC_TENANT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember, SHARED } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const ACCESS = 'accounting.access';

/** A client on the wire. Name and email are empty once they are erased. */
export type ClientView = Required<Static<typeof answers.ACTOR>>;
export type EntitlementView = Static<typeof answers.ENTITLEMENT>;
/** The secret is replaced by {@link HIDDEN_SECRET}. */
export type OidcTenantView = Readonly<{ id: string }> & OidcTenant;

/** Placeholder for the secret of an OIDC tenant. */
export const HIDDEN_SECRET = '********';

/** `place`: key of the record in the list of its kind: the log position of its creation in 20 digits. */
type Placed = Readonly<{ place: string }>;
/** `assigned`: in the order of assignment. */
type HolderDocument = Placed & Readonly<{ assigned: readonly (Placed & Readonly<{ entitlementId: string }>)[] }>;
type EntitlementDocument = Placed & Readonly<{ view: EntitlementView }>;
type OidcTenantDocument = Placed & Readonly<{ view: OidcTenantView }>;

/** Settings for reading the tokens of an OIDC tenant. */
export type TenantAccess = Readonly<{
  id: string;
  issuer: string;
  userClaim: string;
  serviceClaim: string;
  namespace: string;
  parent: string;
  entitlementManagement: string | null;
}>;
/** Data needed to authorize every call: changed settings, and the tenants without their secrets. */
export type AccessConfiguration = Readonly<{
  settings: Readonly<Record<string, string>>;
  tenants: readonly TenantAccess[];
}>;

/** By place, in the format of answers. */
export const clients = collection<ClientView>('actors', {
  owner: inMember(CLIENT, 'id'),
  sealed: ['name', 'email'].map((path) => ({ path, subject: ({ document }) => clientSubject(document.id), mark: 'personal' })),
});
/** Ids of migrated clients, by the id derived from their claims. */
export const broughtOver = collection<Readonly<{ actorId: string }>>('brought-over', { owner: inMember(CLIENT, 'actorId') });
/** By client id. */
export const holders = collection<HolderDocument>('holders', { owner: firstPart(CLIENT) });
/** By place, in the format of answers. */
export const entitlements = collection<EntitlementView>('entitlements', { owner: inMember(ENTITLEMENT, 'id') });
export const entitlementsById = collection<EntitlementDocument>('entitlements-by-id', { owner: firstPart(ENTITLEMENT) });
/** By place, in the format of answers. */
export const assignments = collection<Static<typeof answers.ASSIGNMENT>>('assignments', { owner: inMember(CLIENT, 'actor_id') });
/** By place, in the format of answers. Secrets are not stored. Their placeholders are sealed, so that they are empty once a secret is erased. */
export const oidcTenants = collection<OidcTenantView>('oidc-tenants', {
  owner: inMember(OIDC_TENANT, 'id'),
  sealed: [{ path: 'secret', subject: ({ document }) => oidcTenantSubject(document.id), mark: 'secret' }],
});
export const oidcTenantsById = collection<OidcTenantDocument>('oidc-tenants-by-id', {
  owner: firstPart(OIDC_TENANT),
  sealed: [{ path: 'view.secret', subject: ({ key }) => oidcTenantSubject(key), mark: 'secret' }],
});

/** Key of the only document in its collection. */
export const ONLY = 'configuration';
export const configuration = collection<AccessConfiguration, typeof ONLY>('configuration', { owner: SHARED });

export const accessCollections = [
  clients,
  broughtOver,
  holders,
  entitlements,
  entitlementsById,
  assignments,
  oidcTenants,
  oidcTenantsById,
  configuration,
] as const;
