import { ACCESS_CATEGORY, type AccessEvent, clientSubject, type OidcTenant } from '#domain/accounting/access/access-events.js';
import { CLIENT, ENTITLEMENT, OIDC_TENANT, ofAccessEvent } from '#projections/accounting/partitions.js';
import { defineProjection, type EventOf } from '#projections/shared/define.js';
import { firstPart, inMember, type Partitioning, SHARED } from '#projections/shared/partitions.js';
import { type DocumentChange, type Projection, put, type ReadDocument, remove } from '#projections/shared/projection.js';

export const ACCESS_PROJECTION = 'accounting.access';

export const accessCollections = {
  /** Place → actor as on the wire. Places sort by the order of creation. */
  actors: 'actors',
  /** Actor id → {@link HolderDocument}. */
  holders: 'holders',
  /** Place → entitlement as on the wire. */
  entitlements: 'entitlements',
  /** Entitlement id → {@link EntitlementDocument}. */
  entitlementsById: 'entitlements-by-id',
  /** Place → assignment as on the wire. */
  assignments: 'assignments',
  /** Place → OIDC tenant as on the wire. */
  oidcTenants: 'oidc-tenants',
  /** OIDC tenant id → {@link OidcTenantDocument}. */
  oidcTenantsById: 'oidc-tenants-by-id',
  /** {@link ACCESS_CONFIGURATION} → {@link AccessConfiguration}. */
  configuration: 'configuration',
} as const;

/** The key of the one document of its collection. */
export const ACCESS_CONFIGURATION = 'configuration';

/** The members of an actor on the wire; name and email are empty once they were erased. */
type ActorView = Readonly<{ id: string; oidc_id: string; name: string; email: string; registered_on: string; issuer: string }>;
export type EntitlementView = Readonly<{ id: string; name: string; registered_on: string }>;
/** The secret is there, but nobody reads it. */
export type OidcTenantView = Readonly<{ id: string }> & OidcTenant;

type Placed = Readonly<{ place: string }>;
/** `assigned`: in the order of assignment. */
export type HolderDocument = Readonly<{ assigned: readonly (Placed & Readonly<{ entitlementId: string }>)[] }>;
export type EntitlementDocument = Placed & Readonly<{ view: EntitlementView }>;
export type OidcTenantDocument = Placed & Readonly<{ view: OidcTenantView }>;

/** What the admission of a call needs to know: settings that were changed, and the tenants, without their secrets. */
export type AccessConfiguration = Readonly<{
  settings: Readonly<Record<string, string>>;
  tenants: readonly TenantAccess[];
}>;
export type TenantAccess = Readonly<{
  id: string;
  issuer: string;
  userClaim: string;
  serviceClaim: string;
  namespace: string;
  parent: string;
  entitlementManagement: string;
}>;

/** What stands where the secret of an OIDC tenant would. */
export const HIDDEN_SECRET = '********';

const { actors, holders, entitlements, entitlementsById, assignments, oidcTenants, oidcTenantsById, configuration } = accessCollections;

type Event<Type extends AccessEvent['type']> = Extract<EventOf<AccessEvent>, { type: Type }>;

/** Sorts by the place of the event in the log. */
const placeOf = ({ position }: EventOf<AccessEvent>): string => position.toString().padStart(20, '0');

/** A date-time without zone, its fraction only when it is not zero (accounting contract 3). */
const localTime = ({ metadata }: EventOf<AccessEvent>): string => metadata.time.slice(0, -1).replace(/\.0+$/, '');

const entitlementChanges = (place: string, { id, name, registered_on }: EntitlementView): DocumentChange[] => {
  const view: EntitlementView = { id, name, registered_on };
  const document: EntitlementDocument = { place, view };
  return [put(entitlements, place, view), put(entitlementsById, id, document)];
};

const tenantView = ({ oidcTenantId: id, ...tenant }: Event<'OidcTenantCreated' | 'OidcTenantRevised'>['data']): OidcTenantView => ({
  id,
  issuer: tenant.issuer,
  tenant_id: tenant.tenant_id,
  client_id: tenant.client_id,
  secret: HIDDEN_SECRET,
  authorization_path: tenant.authorization_path,
  introspection_path: tenant.introspection_path,
  user_info_path: tenant.user_info_path,
  token_path: tenant.token_path,
  auth_server_url: tenant.auth_server_url,
  user_id_token_claim: tenant.user_id_token_claim,
  service_id_token_claim: tenant.service_id_token_claim,
  group_management_namespace: tenant.group_management_namespace,
  group_management_parent: tenant.group_management_parent,
  entitlement_management: tenant.entitlement_management,
});

const tenantAccess = (view: OidcTenantView): TenantAccess => ({
  id: view.id,
  issuer: view.issuer,
  userClaim: view.user_id_token_claim,
  serviceClaim: view.service_id_token_claim,
  namespace: view.group_management_namespace,
  parent: view.group_management_parent,
  entitlementManagement: view.entitlement_management,
});

const configurationBefore = (read: ReadDocument): AccessConfiguration =>
  (read(configuration, ACCESS_CONFIGURATION) as AccessConfiguration | undefined) ?? { settings: {}, tenants: [] };

/** The configuration with another list of tenants, whose order does not depend on that of the changes. */
const withTenants = (read: ReadDocument, change: (tenants: readonly TenantAccess[]) => readonly TenantAccess[]): DocumentChange => {
  const { settings, tenants } = configurationBefore(read);
  const after = change(tenants).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return put(configuration, ACCESS_CONFIGURATION, { settings, tenants: after });
};

const stored = <Document>(read: ReadDocument, collection: string, key: string): Document => {
  const document = read(collection, key);
  if (document === undefined) throw new Error(`there is no ${key} in ${collection}`);
  return document as Document;
};

const ofActors = (
  event: Event<'ClientRegistered' | 'EntitlementAssigned' | 'EntitlementDissociated'>,
  read: ReadDocument,
): DocumentChange[] => {
  const place = placeOf(event);
  switch (event.type) {
    case 'ClientRegistered': {
      const { actorId: id, oidcId: oidc_id, issuer, name, email } = event.data;
      const view: ActorView = { id, oidc_id, name: name ?? '', email: email ?? '', registered_on: localTime(event), issuer };
      const holder: HolderDocument = { assigned: [] };
      return [put(actors, place, view), put(holders, id, holder)];
    }
    case 'EntitlementAssigned': {
      const { actorId, entitlementId, assignmentId } = event.data;
      const { assigned } = stored<HolderDocument>(read, holders, actorId);
      const view = { id: assignmentId, actor_id: actorId, entitlement_id: entitlementId, assigned_at: localTime(event) };
      return [put(assignments, place, view), put(holders, actorId, { assigned: [...assigned, { entitlementId, place }] })];
    }
    case 'EntitlementDissociated': {
      const { actorId, entitlementId } = event.data;
      const { assigned } = stored<HolderDocument>(read, holders, actorId);
      const gone = assigned.filter((one) => one.entitlementId === entitlementId);
      return [
        put(holders, actorId, { assigned: assigned.filter((one) => one.entitlementId !== entitlementId) }),
        ...gone.map((one) => remove(assignments, one.place)),
      ];
    }
  }
};

const ofEntitlements = (
  event: Event<'EntitlementCreated' | 'EntitlementRenamed' | 'EntitlementDeleted'>,
  read: ReadDocument,
): DocumentChange[] => {
  const { entitlementId } = event.data;
  switch (event.type) {
    case 'EntitlementCreated':
      return entitlementChanges(placeOf(event), { id: entitlementId, name: event.data.name, registered_on: localTime(event) });
    case 'EntitlementRenamed': {
      const { place, view } = stored<EntitlementDocument>(read, entitlementsById, entitlementId);
      return entitlementChanges(place, { ...view, name: event.data.name });
    }
    case 'EntitlementDeleted': {
      const { place } = stored<EntitlementDocument>(read, entitlementsById, entitlementId);
      return [remove(entitlements, place), remove(entitlementsById, entitlementId)];
    }
  }
};

const ofTenants = (event: Event<'OidcTenantCreated' | 'OidcTenantRevised' | 'OidcTenantDeleted'>, read: ReadDocument): DocumentChange[] => {
  const { oidcTenantId } = event.data;
  if (event.type === 'OidcTenantDeleted') {
    const { place } = stored<OidcTenantDocument>(read, oidcTenantsById, oidcTenantId);
    const others = withTenants(read, (tenants) => tenants.filter(({ id }) => id !== oidcTenantId));
    return [remove(oidcTenants, place), remove(oidcTenantsById, oidcTenantId), others];
  }
  const view = tenantView(event.data);
  const created = event.type === 'OidcTenantCreated';
  const { place } = created ? { place: placeOf(event) } : stored<OidcTenantDocument>(read, oidcTenantsById, oidcTenantId);
  return [
    put(oidcTenants, place, view),
    put(oidcTenantsById, oidcTenantId, { place, view }),
    withTenants(read, (tenants) => [...tenants.filter(({ id }) => id !== oidcTenantId), tenantAccess(view)]),
  ];
};

const partitions: Partitioning = {
  ofEvent: ofAccessEvent,
  owners: {
    [actors]: inMember(CLIENT, 'id'),
    [holders]: firstPart(CLIENT),
    [assignments]: inMember(CLIENT, 'actor_id'),
    [entitlements]: inMember(ENTITLEMENT, 'id'),
    [entitlementsById]: firstPart(ENTITLEMENT),
    [oidcTenants]: inMember(OIDC_TENANT, 'id'),
    [oidcTenantsById]: firstPart(OIDC_TENANT),
    [configuration]: SHARED,
  },
};

/** Clients with what they hold, entitlements, OIDC tenants and settings. */
export const accessProjection: Projection = defineProjection<AccessEvent>({
  name: ACCESS_PROJECTION,
  version: 2,
  service: 'accounting',
  categories: [ACCESS_CATEGORY],
  handles: [
    'ClientRegistered',
    'EntitlementCreated',
    'EntitlementRenamed',
    'EntitlementDeleted',
    'EntitlementAssigned',
    'EntitlementDissociated',
    'OidcTenantCreated',
    'OidcTenantRevised',
    'OidcTenantDeleted',
    'SettingChanged',
  ],
  sealed: {
    [actors]: ['name', 'email'].map((path) => ({ path, subject: ({ document }) => clientSubject(document.id) })),
  },
  partitions,
  reads: (event) => {
    switch (event.type) {
      case 'ClientRegistered':
      case 'EntitlementCreated':
        return [];
      case 'EntitlementRenamed':
      case 'EntitlementDeleted':
        return [{ collection: entitlementsById, key: event.data.entitlementId }];
      case 'EntitlementAssigned':
      case 'EntitlementDissociated':
        return [{ collection: holders, key: event.data.actorId }];
      case 'OidcTenantCreated':
      case 'OidcTenantRevised':
      case 'OidcTenantDeleted':
        return [
          { collection: oidcTenantsById, key: event.data.oidcTenantId },
          { collection: configuration, key: ACCESS_CONFIGURATION },
        ];
      case 'SettingChanged':
        return [{ collection: configuration, key: ACCESS_CONFIGURATION }];
    }
  },
  apply: (event, read) => {
    switch (event.type) {
      case 'ClientRegistered':
      case 'EntitlementAssigned':
      case 'EntitlementDissociated':
        return ofActors(event, read);
      case 'EntitlementCreated':
      case 'EntitlementRenamed':
      case 'EntitlementDeleted':
        return ofEntitlements(event, read);
      case 'OidcTenantCreated':
      case 'OidcTenantRevised':
      case 'OidcTenantDeleted':
        return ofTenants(event, read);
      case 'SettingChanged': {
        const { settings, tenants } = configurationBefore(read);
        return [put(configuration, ACCESS_CONFIGURATION, { settings: { ...settings, [event.data.key]: event.data.value }, tenants })];
      }
    }
  },
});
