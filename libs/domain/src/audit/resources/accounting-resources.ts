import { ACCESS_CATEGORY } from '#domain/accounting/access/access-events.js';
import { CAPACITIES_CATEGORY } from '#domain/accounting/capacities/capacity-events.js';
import { CATALOGUE_CATEGORY, EXTERNAL_ID_CATEGORY, PROJECT_CATEGORY } from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_CATEGORY } from '#domain/accounting/definitions/definition-events.js';
import { METRIC_CALLS_CATEGORY, METRIC_CATEGORY } from '#domain/accounting/metrics/metric-events.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type Mapping, none, type ResourceChange, type ResourceReference, text } from './resource-change.js';

const reference = (kind: string, id: string): ResourceReference => ({ service: 'accounting', kind, id });

const record =
  (kind: string, member: string, ...owners: readonly (readonly [kind: string, member: string])[]) =>
  ({ data }: RecordedEvent): readonly ResourceChange[] => [
    { ...reference(kind, text(data, member)), owners: owners.map(([owner, id]) => reference(owner, text(data, id))) },
  ];

/** A provider whose id is changed ends under the old one and begins under the new one. */
const provider: Mapping = {
  changes: ({ data }) => {
    const named = reference('provider', text(data, 'providerId'));
    const isMoved = typeof data.newId === 'string' && data.newId !== data.providerId;
    return isMoved ? [{ ...named, ends: true }, reference('provider', text(data, 'newId'))] : [named];
  },
};

const project: Mapping = { changes: record('project', 'projectId') };
const resource: Mapping = { changes: record('resource', 'resourceId') };
const installation: Mapping = { changes: record('installation', 'installationId', ['project', 'projectId']) };
const capacity: Mapping = {
  changes: record('capacity', 'capacityId', ['installation', 'installationId'], ['project', 'projectId']),
};
const metric: Mapping = { changes: record('metric', 'metricId', ['installation', 'installationId'], ['project', 'projectId']) };
const definition: Mapping = { changes: record('metric_definition', 'definitionId') };
const unitType: Mapping = { changes: record('unit_type', 'typeId') };
const metricType: Mapping = { changes: record('metric_type', 'typeId') };
const client: Mapping = { changes: record('client', 'actorId') };
const entitlement: Mapping = { changes: record('entitlement', 'entitlementId') };
const oidcTenant: Mapping = { changes: record('oidc_tenant', 'oidcTenantId') };

/** Associations, assignments and what keeps references right are relations between records: members of neither. */
export const accountingResources: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  [CATALOGUE_CATEGORY]: {
    ProjectRegistered: project,
    ProjectRevised: project,
    ProjectDeleted: { ...project, ends: true },
    ProviderRegistered: provider,
    ProviderRevised: provider,
    ProviderDeleted: { ...provider, ends: true },
    CatalogueProviderImported: provider,
    ResourceRegistered: resource,
    ResourceDeleted: { ...resource, ends: true },
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
    InstallationDeleted: { ...installation, ends: true },
    InstallationClosed: none,
    InstallationReopened: none,
    ReferenceForestalled: none,
  },
  [EXTERNAL_ID_CATEGORY]: { ExternalIdClaimed: none, ExternalIdReleased: none },
  [DEFINITIONS_CATEGORY]: {
    MetricDefinitionCreated: definition,
    MetricDefinitionRevised: definition,
    MetricDefinitionDeleted: { ...definition, ends: true },
    MetricDefinitionClosed: none,
    MetricDefinitionReopened: none,
    MetricDefinitionHeld: none,
    MetricDefinitionReleased: none,
    UnitTypeCreated: unitType,
    UnitTypeRevised: unitType,
    UnitTypeDeleted: { ...unitType, ends: true },
    MetricTypeCreated: metricType,
    MetricTypeRevised: metricType,
    MetricTypeDeleted: { ...metricType, ends: true },
  },
  [CAPACITIES_CATEGORY]: { CapacityRegistered: capacity, CapacityRevised: capacity },
  [METRIC_CATEGORY]: { MetricRecorded: metric, MetricRevised: metric, MetricRemoved: { ...metric, ends: true } },
  [METRIC_CALLS_CATEGORY]: { MetricSubmitted: none },
  [ACCESS_CATEGORY]: {
    ClientRegistered: client,
    EntitlementCreated: entitlement,
    EntitlementRenamed: entitlement,
    EntitlementDeleted: { ...entitlement, ends: true },
    EntitlementAssigned: none,
    EntitlementDissociated: none,
    OidcTenantCreated: oidcTenant,
    OidcTenantRevised: oidcTenant,
    OidcTenantDeleted: { ...oidcTenant, ends: true },
    SettingChanged: none,
  },
};
