import type { OperationNames } from '#api/shared/openapi/operation-names.js';

/** A list, and one of it. */
const pair = (path: string, parameter: string, plural: string, singular: string): OperationNames => ({
  [path]: { get: `list${plural}` },
  [`${path}/{${parameter}}`]: { get: `get${singular}` },
});

const STATUS_2 = '/api/v2/status/{report}';
const GROUP_2 = `${STATUS_2}/{type}/{group}`;

const TIMELINES: OperationNames = {
  [`${STATUS_2}/endpoints`]: { get: 'listReportEndpointTimelines' },
  [`${STATUS_2}/metrics/{metric}`]: { get: 'listReportMetricTimelines' },
  ...pair(`${STATUS_2}/{type}`, 'group', 'GroupTimelines', 'GroupTimeline'),
  ...pair(`${GROUP_2}/services`, 'service', 'ServiceTimelines', 'ServiceTimeline'),
  ...pair(`${GROUP_2}/services/{service}/endpoints`, 'endpoint', 'ServiceEndpointTimelines', 'ServiceEndpointTimeline'),
  ...pair(`${GROUP_2}/services/{service}/endpoints/{endpoint}/metrics`, 'metric', 'MetricTimelines', 'MetricTimeline'),
  [`${GROUP_2}/endpoints`]: { get: 'listGroupEndpointTimelines' },
  '/api/v3/status/{report}': { get: 'listGroupTimelinesV3' },
  '/api/v3/status/{report}/id/{id}': { get: 'listResourceTimelinesV3' },
};

const RESULTS_2 = '/api/v2/results/{report}';

/** The reads below an endpoint group, directly or below a group of groups. */
const resultsOfGroup = (group: string, of: string): OperationNames => ({
  ...pair(`${group}/services`, 'service', `${of}ServiceResults`, `${of}ServiceResult`),
  ...pair(`${group}/endpoints`, 'endpoint', `${of}EndpointResults`, `${of}EndpointResult`),
  ...pair(`${group}/services/{service}/endpoints`, 'endpoint', `${of}ServiceEndpointResults`, `${of}ServiceEndpointResult`),
});

const RESULTS: OperationNames = {
  [`${RESULTS_2}/endpoints`]: { get: 'listReportEndpointResults' },
  ...pair(`${RESULTS_2}/{type}`, 'group', 'GroupResults', 'GroupResult'),
  ...resultsOfGroup(`${RESULTS_2}/{type}/{group}`, 'Group'),
  ...pair(`${RESULTS_2}/{groupType}/{supergroup}/{type}`, 'group', 'SupergroupGroupResults', 'SupergroupGroupResult'),
  ...resultsOfGroup(`${RESULTS_2}/{groupType}/{supergroup}/{type}/{group}`, 'SupergroupGroup'),
  '/api/v3/results/{report}': { get: 'listGroupResultsV3' },
  '/api/v3/results/{report}/id/{id}': { get: 'listResourceResultsV3' },
  '/metrics/status': { get: 'getStatusMeasurements' },
};

const METRIC_DATA: OperationNames = {
  '/api/v2/metric_data': { post: 'storeMetricData' },
  '/api/v2/metric_result/{hostname}': { get: 'listHostMetricResults' },
  '/api/v2/metric_result/{hostname}/{metric}': { get: 'getMetricResult' },
  '/api/v2/latest/{report}/{type}': { get: 'listLatestResults' },
  '/api/v2/latest/{report}/{type}/{group}': { get: 'listLatestGroupResults' },
  '/api/v2/issues/{report}/endpoints': { get: 'listEndpointIssues' },
  '/api/v2/issues/{report}/groups/{group}/metrics': { get: 'listGroupMetricIssues' },
};

const TRENDS_2 = '/api/v2/trends/{report}';

const TRENDS: OperationNames = {
  [`${TRENDS_2}/flapping/metrics`]: { get: 'listFlappingMetrics' },
  [`${TRENDS_2}/flapping/metrics/tags`]: { get: 'listFlappingMetricsByTag' },
  [`${TRENDS_2}/flapping/endpoints`]: { get: 'listFlappingEndpoints' },
  [`${TRENDS_2}/flapping/services`]: { get: 'listFlappingServices' },
  [`${TRENDS_2}/flapping/groups`]: { get: 'listFlappingGroups' },
  [`${TRENDS_2}/status/metrics`]: { get: 'listMetricStatusTrends' },
  [`${TRENDS_2}/status/metrics/tags`]: { get: 'listMetricStatusTrendsByTag' },
  [`${TRENDS_2}/status/endpoints`]: { get: 'listEndpointStatusTrends' },
  [`${TRENDS_2}/status/services`]: { get: 'listServiceStatusTrends' },
  [`${TRENDS_2}/status/groups`]: { get: 'listGroupStatusTrends' },
};

const NODE = '/api/v4/nodes/{node}';

const VERSION_4: OperationNames = {
  ...pair('/api/v4/results/groups', 'group', 'GroupResultsV4', 'GroupResultV4'),
  ...pair('/api/v4/status/groups', 'group', 'GroupStatusesV4', 'GroupStatusV4'),
  ...pair(`${NODE}/capabilities/summary`, 'group', 'NodeSummariesV4', 'NodeSummaryV4'),
  ...pair(`${NODE}/capabilities/availability`, 'group', 'NodeAvailabilitiesV4', 'NodeAvailabilityV4'),
  ...pair(`${NODE}/capabilities/uptime`, 'group', 'NodeUptimesV4', 'NodeUptimeV4'),
  ...pair(`${NODE}/capabilities/status`, 'group', 'NodeStatusesV4', 'NodeStatusV4'),
  ...pair(`${NODE}/capabilities/monitoring/metrics`, 'group', 'NodeMonitoringMetricsV4', 'NodeMonitoringMetricV4'),
  ...pair(`${NODE}/monitoring/metrics`, 'group', 'NodeMetricsV4', 'NodeMetricV4'),
};

const RESULTS_5 = '/api/v5/results/{report}';
const STATUS_5 = '/api/v5/status/{report}';
const SERVICE_TYPES = '/groups/{group}/service-types';
const GROUP_ENDPOINTS = '/groups/{group}/endpoints';
const TYPE_ENDPOINTS = `${SERVICE_TYPES}/{service}/endpoints`;

/** What results and statuses of version 5 have in common. */
const version5 = (root: string, plural: string, singular: string): OperationNames => ({
  ...pair(`${root}/groups`, 'group', `Group${plural}`, `Group${singular}`),
  ...pair(`${root}${SERVICE_TYPES}`, 'service', `ServiceType${plural}`, `ServiceType${singular}`),
  ...pair(`${root}/endpoints`, 'endpoint', `Endpoint${plural}`, `Endpoint${singular}`),
  ...pair(`${root}${GROUP_ENDPOINTS}`, 'endpoint', `GroupEndpoint${plural}`, `GroupEndpoint${singular}`),
  ...pair(`${root}${TYPE_ENDPOINTS}`, 'endpoint', `ServiceTypeEndpoint${plural}`, `ServiceTypeEndpoint${singular}`),
});

const metrics5 = (endpoints: string, of: string): OperationNames => {
  const path = `${STATUS_5}${endpoints}/{endpoint}/metrics`;
  return {
    ...pair(path, 'metric', `${of}MetricTimelinesV5`, `${of}MetricTimelineV5`),
    [`${path}/{metric}/details`]: { get: `get${of}MetricDetailsV5` },
  };
};

const VERSION_5: OperationNames = {
  ...pair(`${RESULTS_5}/supergroups`, 'supergroup', 'SupergroupResultsV5', 'SupergroupResultV5'),
  ...version5(RESULTS_5, 'ResultsV5', 'ResultV5'),
  ...version5(STATUS_5, 'TimelinesV5', 'TimelineV5'),
  ...metrics5(GROUP_ENDPOINTS, 'GroupEndpoint'),
  ...metrics5(TYPE_ENDPOINTS, 'ServiceTypeEndpoint'),
};

/** Operation ids of results, timelines, trends and metric data. */
export const READ_NAMES: OperationNames = { ...TIMELINES, ...RESULTS, ...METRIC_DATA, ...TRENDS, ...VERSION_4, ...VERSION_5 };
