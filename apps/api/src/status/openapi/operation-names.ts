import type { OperationName, OperationNames } from '#api/shared/openapi/operation-names.js';
import { READ_NAMES } from './read-operation-names.js';

const TENANT = '/api/v2/admin/tenants/{id}';
const TENANT_USER = `${TENANT}/users/{userId}`;
const REPORT = '/api/v2/reports/{id}';
const RECOMPUTATION = '/api/v2/recomputations/{id}';

/** Records with a version for each day. */
const dated = (path: string, singular: string, plural: string, words: string): OperationNames => ({
  [`/api/v2/${path}`]: {
    get: [`list${plural}`, `The ${words} as of a day`],
    post: [`create${singular}`, `Creates one of the ${words} with its first version`],
  },
  [`/api/v2/${path}/{id}`]: {
    get: [`get${singular}`, `One of the ${words} as of a day`],
    put: [`update${singular}`, `Writes the version of a day of one of the ${words}: replaces it, or adds it to the history`],
    delete: [`delete${singular}`, `Deletes one of the ${words} with all its versions`],
  },
});

const PROFILES: OperationNames = {
  ...dated('operations_profiles', 'OperationsProfile', 'OperationsProfiles', 'operations profiles'),
  ...dated('metric_profiles', 'MetricProfile', 'MetricProfiles', 'metric profiles'),
  ...dated('aggregation_profiles', 'AggregationProfile', 'AggregationProfiles', 'aggregation profiles'),
  ...dated('thresholds_profiles', 'ThresholdsProfile', 'ThresholdsProfiles', 'thresholds profiles'),
  ...dated('weights', 'WeightsProfile', 'WeightsProfiles', 'weights profiles'),
  '/api/v2/factors': { get: 'listFactors' },
};

const TENANTS: OperationNames = {
  '/api/v2/admin/tenants': { get: 'listTenants', post: 'createTenant' },
  [TENANT]: { get: 'getTenant', put: 'updateTenant', delete: 'deleteTenant' },
  [`${TENANT}/users`]: { get: 'listTenantUsers', post: 'createTenantUser' },
  [TENANT_USER]: { get: 'getTenantUser', put: 'updateTenantUser', delete: 'deleteTenantUser' },
  [`${TENANT_USER}/renew_api_key`]: { post: 'renewTenantUserApiKey' },
  '/api/v2/admin/users:byID/{id}': { get: 'getTenantUserById' },
  [`${TENANT}/status`]: { get: 'getTenantStatus', put: 'updateTenantStatus' },
  [`${TENANT}/info`]: { put: 'updateTenantInfo' },
  [`${TENANT}/db-conf`]: { put: 'updateTenantDatabases' },
  [`${TENANT}/topology`]: { put: 'updateTenantTopology' },
  [`${TENANT}/ready`]: { get: 'getTenantReadiness', put: 'updateTenantReadiness' },
  [`${TENANT}/node-set`]: { post: 'setTenantAsNode' },
  [`${TENANT}/node-unset`]: { post: 'unsetTenantAsNode' },
  [`${TENANT}/metric-source`]: { get: 'getMetricSource', put: 'setMetricSource', delete: 'deleteMetricSource' },
  [`${TENANT}/metric-source/retry`]: { post: 'retryMetricSource' },
  [`${TENANT}/status-notifications`]: {
    get: 'getStatusNotifications',
    put: 'setStatusNotifications',
    delete: 'deleteStatusNotifications',
  },
  '/api/v3/integrations/components/{component}/by-tenant-name/{tenant}/refresh': { post: 'refreshComponentApiKey' },
};

/** A list of a day. */
const daily = (noun: string): Readonly<Record<string, OperationName>> => ({
  get: `list${noun}`,
  post: `create${noun}`,
  delete: `delete${noun}`,
});

const TOPOLOGY: OperationNames = {
  '/api/v2/topology/endpoints': daily('TopologyEndpoints'),
  '/api/v2/topology/groups': daily('TopologyGroups'),
  '/api/v2/topology/service-types': daily('ServiceTypes'),
  '/api/v2/topology/endpoints/by_report/{report}': { get: 'listReportEndpoints' },
  '/api/v2/topology/groups/by_report/{report}': { get: 'listReportGroups' },
  '/api/v2/topology/tags': { get: 'listTopologyTags' },
  '/api/v2/topology/stats/{report}': { get: 'getTopologyStatistics' },
  '/api/v2/downtimes': daily('Downtimes'),
  '/api/v2/feeds/topology': { get: 'getTopologyFeed', put: 'setTopologyFeed' },
  '/api/v2/feeds/weights': { get: 'getWeightsFeed', put: 'setWeightsFeed' },
  '/api/v2/feeds/data': { get: 'getDataFeed', put: 'setDataFeed' },
  '/api/v2/feeds/data/readers': { get: 'getDataFeedReaders', put: 'setDataFeedReaders' },
  '/api/v2/admin/metrics': {
    get: ['listMonitoredMetricsAsAdministrator', 'The metrics with their tags, for administrators'],
    put: ['replaceMonitoredMetrics', 'Replaces the metrics and their tags'],
  },
  '/api/v2/metrics': { get: ['listMonitoredMetrics', 'The metrics with their tags'] },
  '/api/v2/metrics/by_report/{report}': { get: 'listReportMetrics' },
};

const REPORTS: OperationNames = {
  '/api/v2/reports': { get: 'listReports', post: 'createReport' },
  [REPORT]: { get: 'getReport', put: 'updateReport', delete: 'deleteReport' },
  [`${REPORT}/set-public`]: { post: 'setReportPublic' },
  [`${REPORT}/set-private`]: { post: 'setReportPrivate' },
  [`${REPORT}/set-node-report`]: { post: 'setNodeReport' },
  '/api/v2/recomputations': { get: 'listRecomputations', post: 'submitRecomputation' },
  [RECOMPUTATION]: { get: 'getRecomputation', put: 'updateRecomputation', delete: 'deleteRecomputation' },
  [`${RECOMPUTATION}/status`]: { post: 'changeRecomputationStatus', delete: 'resetRecomputationStatus' },
};

/** The same calls at the paths of two versions. */
const health = (version: 'v2' | 'v3'): OperationNames => {
  const suffix = version.toUpperCase();
  return {
    [`/api/${version}/health`]: { get: `getStatusHealth${suffix}` },
    [`/api/${version}/consistency`]: { get: `getConsistency${suffix}` },
    [`/api/${version}/consistency/auto-check`]: { post: `reportAutoCheck${suffix}` },
    [`/api/${version}/consistency/ack`]: { post: `acknowledgeConsistency${suffix}` },
  };
};

/** Operation ids of the status service. */
export const STATUS_NAMES: OperationNames = {
  ...PROFILES,
  ...TENANTS,
  ...TOPOLOGY,
  ...REPORTS,
  ...health('v2'),
  ...health('v3'),
  ...READ_NAMES,
  '/api/v2/version': { get: 'getStatusVersion' },
};
