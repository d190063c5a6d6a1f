import { ACCESS_CATEGORY, ACCESS_STREAM, type AccessEvent, type OidcTenant } from '#domain/accounting/access/access-events.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { known } from '#projections/accounting/known.js';
import { orderOf } from '#projections/accounting/log-order.js';
import { ofAccessEvent } from '#projections/accounting/partitions.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import {
  ACCESS,
  type AccessConfiguration,
  accessCollections,
  assignments,
  broughtOver,
  clients,
  configuration,
  type EntitlementView,
  entitlements,
  entitlementsById,
  HIDDEN_SECRET,
  holders,
  type OidcTenantView,
  ONLY,
  oidcTenants,
  oidcTenantsById,
  type TenantAccess,
} from './documents.js';

type Event<Type extends AccessEvent['type']> = EventOf<Extract<AccessEvent, { type: Type }>>;

const NOTHING_CHANGED: AccessConfiguration = { settings: {}, tenants: [] };

/** A date-time without time zone, with a fraction only if it is not zero (accounting contract 3). */
const localTime = ({ metadata }: EventOf<AccessEvent>): string => metadata.time.slice(0, -1).replace(/\.0+$/, '');

const entitlementWritten = (place: string, { id, name, registered_on }: EntitlementView): readonly DocumentChange[] => {
  const view = { id, name, registered_on };
  return [entitlements.put(place, view), entitlementsById.put(id, { place, view })];
};

const tenantView = (id: string, tenant: OidcTenant): OidcTenantView => ({
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

/** Replaces the list of tenants in the configuration. The list is sorted by id, because changes of different tenants may be applied in any order. */
const withTenants = ({ settings }: AccessConfiguration, tenants: readonly TenantAccess[]): DocumentChange =>
  configuration.put(ONLY, { settings, tenants: tenants.toSorted((one, other) => (one.id < other.id ? -1 : 1)) });

const tenantWritten = (place: string, view: OidcTenantView, before: AccessConfiguration): readonly DocumentChange[] => [
  oidcTenants.put(place, view),
  oidcTenantsById.put(view.id, { place, view }),
  withTenants(before, [...before.tenants.filter(({ id }) => id !== view.id), tenantAccess(view)]),
];

const ofHolder = ({ data }: Event<'EntitlementAssigned' | 'EntitlementDissociated'>) => ({ holder: holders.at(data.actorId) });
const ofEntitlement = ({ data }: Event<'EntitlementRenamed' | 'EntitlementDeleted'>) => ({
  entitlement: entitlementsById.at(data.entitlementId),
});
const ofTenant = ({ data }: Event<'OidcTenantRevised' | 'OidcTenantDeleted'>) => ({
  tenant: oidcTenantsById.at(data.oidcTenantId),
  before: configuration.at(ONLY),
});
const ofConfiguration = () => ({ before: configuration.at(ONLY) });

/** Clients with their entitlements, OIDC tenants and settings. */
export const accessProjection = readModel<AccessEvent>(
  {
    name: ACCESS,
    version: 5,
    service: 'accounting',
    needed: { fixed: [ACCESS_STREAM] },
    categories: [ACCESS_CATEGORY],
    collections: accessCollections,
    partitionsOf: ofAccessEvent,
  },
  {
    ClientRegistered: (event) => {
      const { actorId: id, oidcId: oidc_id, issuer, name, email } = event.data;
      const view = { id, oidc_id, name: name ?? '', email: email ?? '', registered_on: localTime(event), issuer };
      const ownId = actorIdOf(issuer, oidc_id);
      const found = id === ownId ? [] : [broughtOver.put(ownId, { actorId: id })];
      const place = orderOf(event);
      return [clients.put(place, view), holders.put(id, { place, assigned: [] }), ...found];
    },

    EntitlementCreated: (event) => {
      const { entitlementId: id, name } = event.data;
      return entitlementWritten(orderOf(event), { id, name, registered_on: localTime(event) });
    },

    EntitlementRenamed: reading(ofEntitlement, ({ data }: Event<'EntitlementRenamed'>, { entitlement }) => {
      const { place, view } = known(entitlement, data.entitlementId);
      return entitlementWritten(place, { ...view, name: data.name });
    }),

    EntitlementDeleted: reading(ofEntitlement, ({ data: { entitlementId } }: Event<'EntitlementDeleted'>, { entitlement }) => {
      const { place } = known(entitlement, entitlementId);
      return [entitlements.remove(place), entitlementsById.remove(entitlementId)];
    }),

    EntitlementAssigned: reading(ofHolder, (event: Event<'EntitlementAssigned'>, { holder }) => {
      const { actorId, entitlementId, assignmentId } = event.data;
      const { assigned, ...rest } = known(holder, actorId);
      const place = orderOf(event);
      const view = { id: assignmentId, actor_id: actorId, entitlement_id: entitlementId, assigned_at: localTime(event) };
      return [assignments.put(place, view), holders.put(actorId, { ...rest, assigned: [...assigned, { entitlementId, place }] })];
    }),

    EntitlementDissociated: reading(ofHolder, ({ data }: Event<'EntitlementDissociated'>, { holder }) => {
      const { actorId, entitlementId } = data;
      const { assigned, ...rest } = known(holder, actorId);
      const gone = assigned.filter((one) => one.entitlementId === entitlementId);
      const left = assigned.filter((one) => one.entitlementId !== entitlementId);
      return [holders.put(actorId, { ...rest, assigned: left }), ...gone.map(({ place }) => assignments.remove(place))];
    }),

    OidcTenantCreated: reading(ofConfiguration, (event: Event<'OidcTenantCreated'>, { before = NOTHING_CHANGED }) => {
      const { oidcTenantId, ...tenant } = event.data;
      return tenantWritten(orderOf(event), tenantView(oidcTenantId, tenant), before);
    }),

    OidcTenantRevised: reading(ofTenant, ({ data }: Event<'OidcTenantRevised'>, found) => {
      const { oidcTenantId, ...tenant } = data;
      const { place } = known(found.tenant, oidcTenantId);
      return tenantWritten(place, tenantView(oidcTenantId, tenant), found.before ?? NOTHING_CHANGED);
    }),

    OidcTenantDeleted: reading(ofTenant, ({ data: { oidcTenantId } }: Event<'OidcTenantDeleted'>, found) => {
      const { place } = known(found.tenant, oidcTenantId);
      const before = found.before ?? NOTHING_CHANGED;
      const others = before.tenants.filter(({ id }) => id !== oidcTenantId);
      return [oidcTenants.remove(place), oidcTenantsById.remove(oidcTenantId), withTenants(before, others)];
    }),

    SettingChanged: reading(ofConfiguration, ({ data }: Event<'SettingChanged'>, { before = NOTHING_CHANGED }) => {
      const { settings, tenants } = before;
      return [configuration.put(ONLY, { settings: { ...settings, [data.key]: data.value }, tenants })];
    }),
  },
);
