import { ACCESS_CATEGORY } from '#domain/accounting/access/access-events.js';
import { CAPACITIES_CATEGORY } from '#domain/accounting/capacities/capacity-events.js';
import { CATALOGUE_CATEGORY, EXTERNAL_ID_CATEGORY, PROJECT_CATEGORY } from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_CATEGORY } from '#domain/accounting/definitions/definition-events.js';
import { METRIC_CALLS_CATEGORY, METRIC_CATEGORY } from '#domain/accounting/metrics/metric-events.js';
import { ended, type Mapping, none, type ResourceReference, text } from './resource-change.js';

const reference = (kind: string, id: string): ResourceReference => ({ service: 'accounting', kind, id });

const record =
  (kind: string, member: string, ...owners: readonly (readonly [kind: string, member: string])[]): Mapping =>
  ({ data }) => [{ ...reference(kind, text(data, member)), owners: owners.map(([owner, id]) => reference(owner, text(data, id))) }];

/** A provider whose id is changed ends under the old one and begins under the new one. */
const provider: Mapping = ({ data }) => {
  const named = reference('provider', text(data, 'providerId'));
  const isMoved = typeof data.newId === 'string' && data.newId !== data.providerId;
  return isMoved ? [{ ...named, ends: true }, reference('provider', text(data, 'newId'))] : [named];
};

const project = record('project', 'projectId');
const resource = record('resource', 'resourceId');
const installation = record('installation', 'installationId', ['project', 'projectId']);
const capacity = record('capacity', 'capacityId', ['installation', 'installationId'], ['project', 'projectId']);
const metric = record('metric', 'metricId', ['installation', 'installationId'], ['project', 'projectId']);
const definition = record('metric_definition', 'definitionId');
const unitType = record('unit_type', 'typeId');
const metricType = record('metric_type', 'typeId');
const client = record('client', 'actorId');
const entitlement = record('entitlement', 'entitlementId');
const oidcTenant = record('oidc_tenant', 'oidcTenantId');

/** Associations, assignments and what keeps references right are relations between records: members of neither. */
export const accountingResources: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  [CATALOGUE_CATEGORY]: {
    ProjectRegistered: project,
    ProjectRevised: project,
    ProjectDeleted: ended(project),
    ProviderRegistered: provider,
    ProviderRevised: provider,
    ProviderDeleted: ended(provider),
    CatalogueProviderImported: provider,
    ResourceRegistered: resource,
    ResourceDeleted: ended(resource),
    ProviderClosed: none,
    ProviderReopened: none,
    ProviderHeld: none,
    ProviderReleased: none,
    ResourceClosed: none,
    ResourceReopened: none,
    ResourceHeld: none,
    ResourceReleased: none,
  },
  [PROJECT_CATEGORY]: {
    ProviderAssociated: none,
    ProviderDissociated: none,
    InstallationCreated: installation,
    InstallationRevised: installation,
    InstallationDeleted: ended(installation),
    InstallationClosed: none,
    InstallationReopened: none,
    ReferenceForestalled: none,
  },
  [EXTERNAL_ID_CATEGORY]: { ExternalIdClaimed: none, ExternalIdReleased: none },
  [DEFINITIONS_CATEGORY]: {
    MetricDefinitionCreated: definition,
    MetricDefinitionRevised: definition,
    MetricDefinitionDeleted: ended(definition),
    MetricDefinitionClosed: none,
    MetricDefinitionReopened: none,
    MetricDefinitionHeld: none,
    MetricDefinitionReleased: none,
    UnitTypeCreated: unitType,
    UnitTypeRevised: unitType,
    UnitTypeDeleted: ended(unitType),
    MetricTypeCreated: metricType,
    MetricTypeRevised: metricType,
    MetricTypeDeleted: ended(metricType),
  },
  [CAPACITIES_CATEGORY]: { CapacityRegistered: capacity, CapacityRevised: capacity },
  [METRIC_CATEGORY]: { MetricRecorded: metric, MetricRevised: metric, MetricRemoved: ended(metric) },
  [METRIC_CALLS_CATEGORY]: { MetricSubmitted: none },
  [ACCESS_CATEGORY]: {
    ClientRegistered: client,
    EntitlementCreated: entitlement,
    EntitlementRenamed: entitlement,
    EntitlementDeleted: ended(entitlement),
    EntitlementAssigned: none,
    EntitlementDissociated: none,
    OidcTenantCreated: oidcTenant,
    OidcTenantRevised: oidcTenant,
    OidcTenantDeleted: ended(oidcTenant),
    SettingChanged: none,
  },
};
