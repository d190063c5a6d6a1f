import type { OperationName, OperationNames } from '#api/shared/openapi/operation-names.js';

const PROJECT = '/projects/{project_id}';
/** Of the original, besides which the path without the doubled segment is served. */
const DOUBLED = '/projects/projects/{project_id}';
const INSTALLATION = '/installations/{installation_id}';
const EXTERNAL_INSTALLATION = '/installations/external';
const PROVIDER = `${PROJECT}/providers/{provider_id}`;
const EXTERNAL_PROVIDER = `${PROJECT}/providers/external`;

const record = (noun: string): Readonly<Record<string, OperationName>> => ({
  get: `get${noun}`,
  patch: `update${noun}`,
  delete: `delete${noun}`,
});

const ADMINISTRATION: OperationNames = {
  '/admin/settings/metadata': { get: 'listSettings' },
  '/admin/settings/{key}': { put: 'updateSetting' },
  '/admin/oidc-tenants': { get: 'listOidcTenants', post: 'createOidcTenant' },
  '/admin/oidc-tenants/{id}': record('OidcTenant'),
  '/admin/entitlements': { get: 'listEntitlements', post: 'createEntitlement' },
  '/admin/entitlements/{id}': record('Entitlement'),
  '/admin/entitlements/{id}/assign/{actorId}': { post: 'assignEntitlement' },
  '/admin/entitlements/{id}/dissociate/{actorId}': { post: 'dissociateEntitlement' },
  '/admin/actors': { get: 'listActors' },
  '/admin/actors/entitlements': { get: 'listEntitlementAssignments' },
  '/admin/actors/{actorId}/entitlements': { get: 'listActorEntitlements' },
  '/admin/version': { get: 'getAccountingVersion' },
  '/admin/metrics': { get: 'getAccountingCounts' },
  '/admin/resources': { post: 'createResource' },
  '/admin/resources/{id}': { delete: 'deleteResource' },
  '/admin/projects': { get: 'listAccountingProjects', post: 'createAccountingProject' },
  '/admin/projects/{id}': { patch: 'updateAccountingProject', delete: 'deleteAccountingProject' },
  '/admin/register-projects': { post: 'registerAccountingProjects' },
  '/clients': { post: 'registerClient' },
  '/clients/me': { get: 'listOwnPermissions' },
  '/clients/general-permissions': { get: 'listGeneralPermissions' },
};

const CATALOGUE: OperationNames = {
  '/resources': { get: 'listResources' },
  '/projects': { get: 'listOwnAccountingProjects' },
  '/projects/{project_id}': { get: 'getAccountingProject' },
  [`${PROJECT}/associate/provider/{provider_id}`]: { post: 'associateProvider' },
  [`${PROJECT}/associate/provider/external`]: { post: 'associateProviderByExternalId' },
  [`${PROJECT}/dissociate/provider/{provider_id}`]: { post: 'dissociateProvider' },
  [`${PROJECT}/dissociate/provider/external`]: { post: 'dissociateProviderByExternalId' },
  '/providers': { get: 'listProviders', post: 'createProvider' },
  '/providers/all': { get: 'listProvidersByProject' },
  '/providers/external': record('ProviderByExternalId'),
  '/providers/{provider_id}': record('Provider'),
  '/installations': { post: 'createInstallation' },
  '/installations/all': { get: 'listInstallations' },
  [EXTERNAL_INSTALLATION]: record('InstallationByExternalId'),
  [INSTALLATION]: record('Installation'),
  [`${PROJECT}/installations`]: { get: 'listProjectInstallations' },
  [`${PROVIDER}/installations`]: { get: 'listProjectProviderInstallations' },
  [`${EXTERNAL_PROVIDER}/installations`]: { get: 'listProjectProviderInstallationsByExternalId' },
  '/metric-definitions': { get: 'listMetricDefinitions', post: 'createMetricDefinition' },
  '/metric-definitions/{id}': record('MetricDefinition'),
  [`${INSTALLATION}/metric-definitions`]: { get: 'listInstallationMetricDefinitions' },
  [`${EXTERNAL_INSTALLATION}/metric-definitions`]: { get: 'listInstallationMetricDefinitionsByExternalId' },
  [`${PROJECT}/metric-definitions`]: { get: 'listProjectMetricDefinitions' },
  [`${PROVIDER}/metric-definitions`]: { get: 'listProjectProviderMetricDefinitions' },
  [`${EXTERNAL_PROVIDER}/metric-definitions`]: { get: 'listProjectProviderMetricDefinitionsByExternalId' },
  '/unit-types': {
    get: ['listUnitTypes', 'Unit types: those that come with the service first'],
    post: ['createUnitType', 'Adds a unit type'],
  },
  '/unit-types/{id}': {
    get: ['getUnitType', 'One unit type'],
    patch: ['updateUnitType', 'Changes a unit type that was added and is not in use'],
    delete: ['deleteUnitType', 'Deletes a unit type that was added and is not in use'],
  },
  '/metric-types': {
    get: ['listMetricTypes', 'Metric types: those that come with the service first'],
    post: ['createMetricType', 'Adds a metric type'],
  },
  '/metric-types/{id}': {
    get: ['getMetricType', 'One metric type'],
    patch: ['updateMetricType', 'Changes a metric type that was added and is not in use'],
    delete: ['deleteMetricType', 'Deletes a metric type that was added and is not in use'],
  },
  '/ams-listener': { post: 'receivePushedMessage' },
};

const USAGE: OperationNames = {
  [`${INSTALLATION}/capacities`]: { get: 'listCapacities', post: 'registerCapacity' },
  [`${INSTALLATION}/capacities/{capacity_id}`]: { patch: 'updateCapacity' },
  [`${EXTERNAL_INSTALLATION}/capacities`]: { get: 'listCapacitiesByExternalId', post: 'registerCapacityByExternalId' },
  [`${EXTERNAL_INSTALLATION}/capacities/{capacity_id}`]: { patch: 'updateCapacityByExternalId' },
  [`${INSTALLATION}/metrics`]: { get: 'listInstallationMetrics', post: 'createMetric' },
  [`${INSTALLATION}/metrics/{id}`]: record('Metric'),
  [`${EXTERNAL_INSTALLATION}/metrics`]: { get: 'listInstallationMetricsByExternalId', post: 'createMetricByExternalId' },
  [`${EXTERNAL_INSTALLATION}/metrics/{id}`]: record('MetricByExternalId'),
  [`${PROJECT}/metrics`]: { get: 'listProjectMetrics' },
  [`${PROVIDER}/metrics`]: { get: 'listProjectProviderMetrics' },
  [`${EXTERNAL_PROVIDER}/metrics`]: { get: 'listProjectProviderMetricsByExternalId' },
  [`${PROJECT}/groups/{group_id}/metrics`]: { get: 'listGroupMetrics' },
  [`${DOUBLED}/groups/{group_id}/metrics`]: {
    get: ['listGroupMetricsAtOriginalPath', 'The metrics of a group in a project, at the path of the original service'],
  },
  [`${PROJECT}/users/{user_id}/metrics`]: { get: 'listUserMetrics' },
  [`${DOUBLED}/users/{user_id}/metrics`]: {
    get: ['listUserMetricsAtOriginalPath', 'The metrics of a user in a project, at the path of the original service'],
  },
  [`${INSTALLATION}/report`]: { get: 'getInstallationReport' },
  [`${EXTERNAL_INSTALLATION}/report`]: { get: 'getInstallationReportByExternalId' },
  [`${PROJECT}/report`]: { get: 'getProjectReport' },
  [`${PROVIDER}/report`]: { get: 'getProjectProviderReport' },
  [`${EXTERNAL_PROVIDER}/report`]: { get: 'getProjectProviderReportByExternalId' },
  '/providers/external/report': { get: 'getProviderReportByExternalId' },
  '/providers/{provider_id}/report': { get: 'getGlobalProviderReport' },
  '/providers/report/external': { get: 'getGlobalProviderReportByExternalId' },
  [`${PROJECT}/groups/{group_id}/report`]: { get: 'getGroupReport' },
  [`${DOUBLED}/groups/{group_id}/report`]: {
    get: ['getGroupReportAtOriginalPath', 'The usage of a group in a project, at the path of the original service'],
  },
  [`${PROJECT}/users/{user_id}/report`]: { get: 'getUserReport' },
  [`${DOUBLED}/users/{user_id}/report`]: {
    get: ['getUserReportAtOriginalPath', 'The usage of a user in a project, at the path of the original service'],
  },
  '/installations/search': { post: 'searchInstallations' },
  '/providers/search': { post: 'searchProviders' },
  '/metric-definitions/search': { post: 'searchMetricDefinitions' },
  '/projects/search': { post: 'searchAccountingProjects' },
  '/metrics/search': { post: 'searchMetrics' },
  '/operands': { get: 'listSearchOperands' },
  '/operators': { get: 'listSearchOperators' },
};

/** Operation ids of the accounting service. */
export const ACCOUNTING_NAMES: OperationNames = {
  ...Object.fromEntries(
    Object.entries({ ...ADMINISTRATION, ...CATALOGUE, ...USAGE }).map(([path, names]) => [`/accounting-system${path}`, names]),
  ),
  '/ams_verification_hash': { get: 'getVerificationHash' },
};
