import { clientSubject, type OidcTenant, oidcTenantSubject } from '#domain/accounting/access/access-events.js';
import { CLIENT, ENTITLEMENT, OIDC_TENANT } from '#projections/accounting/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember, SHARED } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const ACCESS = 'accounting.access';

/** The members of a client on the wire; name and email are empty once they were erased. */
type ClientView = Readonly<{ id: string; oidc_id: string; name: string; email: string; registered_on: string; issuer: string }>;
export type EntitlementView = Readonly<{ id: string; name: string; registered_on: string }>;
type AssignmentView = Readonly<{ id: string; actor_id: string; entitlement_id: string; assigned_at: string }>;
/** With {@link HIDDEN_SECRET} in place of the secret. */
export type OidcTenantView = Readonly<{ id: string }> & OidcTenant;

/** Stands in place of the secret of an OIDC tenant. */
export const HIDDEN_SECRET = '********';

/** `place`: key of the record in the list of its kind, 20 digits of the log position of its creation. */
type Placed = Readonly<{ place: string }>;
/** `assigned`: in the order of assignment. */
type HolderDocument = Readonly<{ assigned: readonly (Placed & Readonly<{ entitlementId: string }>)[] }>;
type EntitlementDocument = Placed & Readonly<{ view: EntitlementView }>;
type OidcTenantDocument = Placed & Readonly<{ view: OidcTenantView }>;

/** How the tokens of an OIDC tenant are read. */
export type TenantAccess = Readonly<{
  id: string;
  issuer: string;
  userClaim: string;
  serviceClaim: string;
  namespace: string;
  parent: string;
  entitlementManagement: string;
}>;
/** What authorization needs for every call: settings that were changed, and the tenants, without their secrets. */
export type AccessConfiguration = Readonly<{
  settings: Readonly<Record<string, string>>;
  tenants: readonly TenantAccess[];
}>;

/** By place, as they stand in an answer. */
export const clients = collection<ClientView>('actors', {
  owner: inMember(CLIENT, 'id'),
  sealed: ['name', 'email'].map((path) => ({ path, subject: ({ document }) => clientSubject(document.id), mark: 'personal' })),
});
/** The id of a client that was brought over with another one, by the one that follows from its claims. */
export const broughtOver = collection<Readonly<{ actorId: string }>>('brought-over', { owner: inMember(CLIENT, 'actorId') });
/** By client id. */
export const holders = collection<HolderDocument>('holders', { owner: firstPart(CLIENT) });
/** By place, as they stand in an answer. */
export const entitlements = collection<EntitlementView>('entitlements', { owner: inMember(ENTITLEMENT, 'id') });
export const entitlementsById = collection<EntitlementDocument>('entitlements-by-id', { owner: firstPart(ENTITLEMENT) });
/** By place, as they stand in an answer. */
export const assignments = collection<AssignmentView>('assignments', { owner: inMember(CLIENT, 'actor_id') });
/** By place, as they stand in an answer. Their secrets are not here; what stands in place of one is sealed, so that it is empty once that is erased. */
export const oidcTenants = collection<OidcTenantView>('oidc-tenants', {
  owner: inMember(OIDC_TENANT, 'id'),
  sealed: [{ path: 'secret', subject: ({ document }) => oidcTenantSubject(document.id), mark: 'secret' }],
});
export const oidcTenantsById = collection<OidcTenantDocument>('oidc-tenants-by-id', {
  owner: firstPart(OIDC_TENANT),
  sealed: [{ path: 'view.secret', subject: ({ key }) => oidcTenantSubject(key), mark: 'secret' }],
});

/** The key of the only document of its collection. */
export const ONLY = 'configuration';
export const configuration = collection<AccessConfiguration, typeof ONLY>('configuration', { owner: SHARED });

/** Every collection of the read model. */
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
