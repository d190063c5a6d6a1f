import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { type Component, component, doc, nullable, oneOf, type Shape } from '#api/shared/openapi/shape.js';
import { INFO, JUDGEMENT, STATUS_VALUE } from './metric-data.js';
import { CHANGE, CHANGE_OF_METRIC } from './timelines.js';

const PERIOD = doc('text', 'YYYY-MM-DD, of months YYYY-MM; left out for the whole range');
const PERCENT = doc('text', 'a percentage as text');
const FRACTION = doc('text', 'a fraction of the time as text');

/** Groups with their figures or statuses. */
const groupsOf4 = (name: string, result: Shape): Component => component(name, { data: [{ name: 'text', results: [result] }] });

const SUMMARIES = groupsOf4(
  'StatusGroupSummariesV4',
  component('StatusSummaryV4', { 'date?': PERIOD, 'availability?': PERCENT, 'uptime?': FRACTION }),
);
const STATUSES = groupsOf4('StatusGroupStatusesV4', CHANGE);
const MONITORED = groupsOf4(
  'StatusMonitoringMetricsV4',
  component('StatusMonitoringFiguresV4', { 'date?': PERIOD, availability: 'number', reliability: 'number', 'uptime?': 'number' }),
);

const results = (result: object): object => ({ data: [{ name: 'SITE-A', results: [result] }] });
const SUMMARY = results({ date: '2026-03-01', availability: '98.26', uptime: '0.98' });
const STATUS_SHOWN = results({ timestamp: '2026-03-01T00:00:00Z', value: 'OK' });
const NUMBERS = results({ date: '2026-03-01', availability: 98.26, reliability: 99.1, uptime: 0.98 });

const MEANS = { 'timestamp?': PERIOD, availability: 'number', reliability: 'number' } as const;
const FIGURES = component('StatusFiguresV5', { ...MEANS, unknown: 'number', uptime: 'number', downtime: 'number' });

const item = (name: string, members: Readonly<Record<string, Shape>>, type: Shape = 'text'): Component =>
  component(name, { name: 'text', type, ...members });
const resultsOf5 = (name: string, element: Shape): Component => component(name, { results: [element] });

const SUPERGROUPS = resultsOf5(
  'StatusSupergroupResultsV5',
  item('StatusSupergroupResultV5', { results: [component('StatusSupergroupFiguresV5', MEANS)] }),
);
const GROUPS = resultsOf5(
  'StatusGroupResultsV5',
  item('StatusGroupsOfSupergroupV5', { groups: [item('StatusGroupResultV5', { results: [FIGURES] })] }),
);
const TYPES = resultsOf5(
  'StatusServiceTypeResultsV5',
  item('StatusGroupWithServiceTypesV5', { 'service-types': [item('StatusServiceTypeResultV5', { results: [FIGURES] }, oneOf('service'))] }),
);
const ENDPOINT = item('StatusEndpointResultV5', { 'info?': INFO, results: [FIGURES] }, oneOf('endpoint'));
const ENDPOINTS = resultsOf5(
  'StatusEndpointResultsV5',
  item('StatusGroupWithEndpointsV5', {
    'service-types': [item('StatusServiceTypeWithEndpointsV5', { endpoints: [ENDPOINT] }, oneOf('service'))],
  }),
);

/** Endpoint groups with their statuses, or with what is below them; `null`: none. */
const timelinesOf = (name: string, members: Readonly<Record<string, Shape>>): Component =>
  component(name, { groups: nullable([item(`${name}Item`, members)]) });
const typesOf = (name: string, members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> => ({
  'service-types': [item(name, members, oneOf('service'))],
});

const GROUP_TIMELINES = timelinesOf('StatusGroupTimelinesV5', { statuses: [CHANGE] });
const TYPE_TIMELINES = timelinesOf('StatusServiceTypeTimelinesV5', typesOf('StatusServiceTypeTimelineV5', { statuses: [CHANGE] }));
const ENDPOINT_TIMELINES = timelinesOf(
  'StatusEndpointTimelinesV5',
  typesOf('StatusServiceTypeWithEndpointTimelinesV5', { endpoints: [{ name: 'text', 'info?': INFO, statuses: [CHANGE] }] }),
);
const METRIC_TIMELINES = timelinesOf(
  'StatusMetricTimelinesV5',
  typesOf('StatusServiceTypeWithMetricsV5', {
    endpoints: [{ name: 'text', 'info?': INFO, metrics: [{ name: 'text', statuses: [CHANGE_OF_METRIC] }] }],
  }),
);
const DETAILS = component('StatusMetricDetailsV5', {
  timestamp: 'instant',
  group: 'text',
  hostname: 'text',
  service_type: 'text',
  metric: 'text',
  status: STATUS_VALUE,
  summary: 'text',
  message: 'text',
  'info?': INFO,
  ...JUDGEMENT,
});

const DAY = { timestamp: '2026-03-01', availability: 98.26, reliability: 99.1, unknown: 0, uptime: 0.98, downtime: 0.01 };
const SITE = { name: 'SITE-A', type: 'SITES' };
const WEB = { name: 'web', type: 'service' };
const HOST = { name: 'web.example.org', info: { URL: 'https://web.example.org' } };
const CHANGES = [{ timestamp: '2026-03-01T00:00:00Z', value: 'OK' }];
const siteWith = (...types: readonly object[]): object => ({ ...SITE, 'service-types': types });

const SHOWN = {
  supergroups: {
    results: [{ name: 'NGI-A', type: 'NGI', results: [{ timestamp: '2026-03-01', availability: 98.26, reliability: 99.1 }] }],
  },
  groups: { results: [{ name: 'NGI-A', type: 'NGI', groups: [{ ...SITE, results: [DAY] }] }] },
  types: { results: [siteWith({ ...WEB, results: [DAY] })] },
  endpoints: { results: [siteWith({ ...WEB, endpoints: [{ ...HOST, type: 'endpoint', results: [DAY] }] })] },
  groupTimelines: { groups: [{ ...SITE, statuses: CHANGES }] },
  typeTimelines: { groups: [siteWith({ ...WEB, statuses: CHANGES })] },
  endpointTimelines: { groups: [siteWith({ ...WEB, endpoints: [{ ...HOST, statuses: CHANGES }] })] },
  metricTimelines: { groups: [siteWith({ ...WEB, endpoints: [{ ...HOST, metrics: [{ name: 'http', statuses: CHANGES }] }] })] },
  details: {
    timestamp: '2026-03-01T07:30:00Z',
    group: 'SITE-A',
    hostname: HOST.name,
    service_type: 'web',
    metric: 'http',
    status: 'OK',
    summary: 'fine',
    message: '200 in 31 ms',
  },
};

/** The same answer for reads of a list, and of one of it. */
const reads = (prefix: string, paths: readonly string[], shape: Shape, example: object): Catalogue =>
  Object.fromEntries(paths.map((path) => [`get ${prefix}${path}`, { answers: { 200: answer(shape, example) } }]));
const pair = (path: string, parameter: string): readonly string[] => [path, `${path}/{${parameter}}`];
const groupPair = (path: string): readonly string[] => pair(path, 'group');

const NODE = '/api/v4/nodes/{node}';
const RESULTS = '/api/v5/results/{report}';
const STATUS = '/api/v5/status/{report}';
const SERVICE_TYPES = '/groups/{group}/service-types';
const ENDPOINTS_OF = ['/endpoints', '/groups/{group}/endpoints', `${SERVICE_TYPES}/{service}/endpoints`];
const ENDPOINT_PATHS = ENDPOINTS_OF.flatMap((path) => pair(path, 'endpoint'));
const METRICS_OF = ENDPOINTS_OF.slice(1).map((path) => `${path}/{endpoint}/metrics`);

export const VERSIONS_4_AND_5: Catalogue = {
  ...reads('/api/v4', groupPair('/results/groups'), SUMMARIES, SUMMARY),
  ...reads('/api/v4', groupPair('/status/groups'), STATUSES, STATUS_SHOWN),
  ...reads(
    NODE,
    ['summary', 'availability', 'uptime'].flatMap((what) => groupPair(`/capabilities/${what}`)),
    SUMMARIES,
    SUMMARY,
  ),
  ...reads(NODE, groupPair('/capabilities/status'), STATUSES, STATUS_SHOWN),
  ...reads(NODE, ['/capabilities/monitoring/metrics', '/monitoring/metrics'].flatMap(groupPair), MONITORED, NUMBERS),
  ...reads(RESULTS, pair('/supergroups', 'supergroup'), SUPERGROUPS, SHOWN.supergroups),
  ...reads(RESULTS, groupPair('/groups'), GROUPS, SHOWN.groups),
  ...reads(RESULTS, pair(SERVICE_TYPES, 'service'), TYPES, SHOWN.types),
  ...reads(RESULTS, ENDPOINT_PATHS, ENDPOINTS, SHOWN.endpoints),
  ...reads(STATUS, groupPair('/groups'), GROUP_TIMELINES, SHOWN.groupTimelines),
  ...reads(STATUS, pair(SERVICE_TYPES, 'service'), TYPE_TIMELINES, SHOWN.typeTimelines),
  ...reads(STATUS, ENDPOINT_PATHS, ENDPOINT_TIMELINES, SHOWN.endpointTimelines),
  ...reads(
    STATUS,
    METRICS_OF.flatMap((path) => pair(path, 'metric')),
    METRIC_TIMELINES,
    SHOWN.metricTimelines,
  ),
  ...reads(
    STATUS,
    METRICS_OF.map((path) => `${path}/{metric}/details`),
    DETAILS,
    SHOWN.details,
  ),
};
