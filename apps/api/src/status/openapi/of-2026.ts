import { answer, type Catalogue, type Described } from '#api/shared/openapi/described.js';
import { component, either, nullable, type Shape } from '#api/shared/openapi/shape.js';
import { MESSAGE, one } from './envelopes.js';

/** Status contract of 2026. */
const said = (message: string, body?: unknown): Described => ({
  answers: { 200: answer(MESSAGE, { status: { message, code: '200' } }) },
  ...(body !== undefined && { body }),
});

const ID = '1b07fc3b-23e0-4fa4-bed7-8da592d25eb6';
const INFO = { name: 'EGI', email: 'ops@example.org', description: '', image: '', website: 'https://example.org' };
const READY = { ready: true, message: '' };
const READY_SHAPE: Shape = { ready: 'flag', 'message?': 'text' };
const READINESS = component('StatusReadiness', {
  id: 'text',
  name: 'text',
  ready: 'flag',
  data: READY_SHAPE,
  topology: READY_SHAPE,
  reports: READY_SHAPE,
  last_check: 'text',
});
const REPORTED = { data: READY, topology: READY, reports: READY, last_check: '2026-03-01T12:00:00Z' };

const MARKS: Catalogue = {
  'post /api/v2/reports/{id}/set-public': said('Report is set as public'),
  'post /api/v2/reports/{id}/set-private': said('Report is set as private'),
  'post /api/v2/reports/{id}/set-node-report': said('Report was set as the default node report'),
};

const TENANTS: Catalogue = {
  'put /api/v2/admin/tenants/{id}/info': said('Tenant info successfully updated', { info: INFO }),
  'put /api/v2/admin/tenants/{id}/db-conf': said('Tenant database configuration successfully updated', {
    db_conf: [{ store: 'main', server: 'db.example.org', port: 27017, database: 'egi', username: 'u', password: 'p' }],
  }),
  'put /api/v2/admin/tenants/{id}/topology': said('Tenant topology configuration successfully updated', {
    topology: { type: 'GOCDB', feed: 'https://feed.example.org' },
  }),
  'get /api/v2/admin/tenants/{id}/ready': {
    answers: {
      200: answer(one(READINESS), {
        status: { message: 'Success', code: '200' },
        data: {
          id: ID,
          name: 'EGI',
          ready: true,
          data: { ready: true },
          topology: { ready: true },
          reports: { ready: true },
          last_check: '',
        },
      }),
    },
  },
  'put /api/v2/admin/tenants/{id}/ready': said('Tenant successfully updated', REPORTED),
  'post /api/v2/admin/tenants/{id}/node-set': said('Tenant has been set as node'),
  'post /api/v2/admin/tenants/{id}/node-unset': said('Tenant has been unset from being a node'),
  'post /api/v3/integrations/components/{component}/by-tenant-name/{tenant}/refresh': {
    answers: {
      200: answer(one({ api_key: 'text' }), {
        status: { message: 'component api key succesfully renewed', code: '200' },
        data: { api_key: '5019cfc192bd8192d4396c955041776f115f3fdfc652135b5c0170003def68b9' },
      }),
    },
  },
};

const FIGURE = either('text', 'number');
/** Version 4 writes figures as texts, and as numbers among the metrics of monitoring. */
const GROUPS_4 = component('StatusGroupsOfVersion4', {
  data: [
    {
      name: 'text',
      results: [
        { 'date?': 'text', 'timestamp?': 'instant', 'value?': 'text', 'availability?': FIGURE, 'reliability?': FIGURE, 'uptime?': FIGURE },
      ],
    },
  ],
});
const FIGURES_4 = { data: [{ name: 'SITE-A', results: [{ date: '2026-03-01', availability: '98.26', uptime: '0.98' }] }] };
const STATUSES_4 = { data: [{ name: 'SITE-A', results: [{ timestamp: '2026-03-01T00:00:00Z', value: 'OK' }] }] };
const NUMBERS_4 = { data: [{ name: 'SITE-A', results: [{ date: '2026-03-01', availability: 98.26, reliability: 99.1, uptime: 0.98 }] }] };

const FIGURES_5 = component('StatusFiguresOfVersion5', {
  'timestamp?': 'text',
  availability: 'number',
  reliability: 'number',
  'unknown?': 'number',
  'uptime?': 'number',
  'downtime?': 'number',
});
const ENDPOINT_5: Shape = { name: 'text', type: 'text', 'info?': { '*': 'text' }, results: [FIGURES_5] };
const TYPE_5: Shape = { name: 'text', type: 'text', 'results?': [FIGURES_5], 'endpoints?': [ENDPOINT_5] };
const RESULTS_5 = component('StatusResultsOfVersion5', {
  results: [
    {
      name: 'text',
      type: 'text',
      'results?': [FIGURES_5],
      'groups?': [{ name: 'text', type: 'text', results: [FIGURES_5] }],
      'service-types?': [TYPE_5],
    },
  ],
});
const DAY_5 = { timestamp: '2026-03-01', availability: 98.26, reliability: 99.1, unknown: 0, uptime: 0.98, downtime: 0.01 };
const SHOWN_5 = { results: [{ name: 'NGI', type: 'NGI', groups: [{ name: 'SITE-A', type: 'SITES', results: [DAY_5] }] }] };

const CHANGE_5 = component('StatusChangeOfVersion5', {
  timestamp: 'text',
  value: 'text',
  'affected_by_threshold_rule?': 'flag',
  'actual_data?': 'text',
  'threshold_rule_applied?': 'text',
  'original_status?': 'text',
});
const METRIC_5: Shape = { name: 'text', statuses: [CHANGE_5] };
const MONITORED_5: Shape = { name: 'text', 'info?': { '*': 'text' }, 'statuses?': [CHANGE_5], 'metrics?': [METRIC_5] };
const STATUSES_5 = component('StatusTimelinesOfVersion5', {
  groups: nullable([
    {
      name: 'text',
      type: 'text',
      'statuses?': [CHANGE_5],
      'service-types?': [{ name: 'text', type: 'text', 'statuses?': [CHANGE_5], 'endpoints?': [MONITORED_5] }],
    },
  ]),
});
const TIMELINE_5 = { groups: [{ name: 'SITE-A', type: 'SITES', statuses: [{ timestamp: '2026-03-01T00:00:00Z', value: 'OK' }] }] };
const DETAILS_5 = component('StatusDetailsOfVersion5', {
  timestamp: 'instant',
  group: 'text',
  hostname: 'text',
  service_type: 'text',
  metric: 'text',
  status: 'text',
  summary: 'text',
  message: 'text',
  'info?': 'any',
  'actual_data?': 'text',
  'threshold_rule_applied?': 'text',
  'original_status?': 'text',
});
const DETAILS = {
  timestamp: '2026-03-01T07:30:00Z',
  group: 'SITE-A',
  hostname: 'web.example.org',
  service_type: 'web',
  metric: 'org.example.http',
  status: 'OK',
  summary: 'fine',
  message: '200 in 31 ms',
};

/** The same answer for each of these reads. */
const reads = (prefix: string, paths: readonly string[], shape: Shape, example: unknown): Catalogue =>
  Object.fromEntries(paths.map((path) => [`get ${prefix}${path}`, { answers: { 200: answer(shape, example) } }]));

const withOne = (...paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => [path, `${path}/{${path.endsWith('supergroups') ? 'supergroup' : 'group'}}`]);

const NODES = '/api/v4/nodes/{node}';
const RESULTS = '/api/v5/results/{report}';
const STATUS = '/api/v5/status/{report}';
const TYPES = '/groups/{group}/service-types';
const ENDPOINTS = ['/endpoints', '/groups/{group}/endpoints', `${TYPES}/{service}/endpoints`].flatMap((path) => [
  path,
  `${path}/{endpoint}`,
]);
const METRICS = ['/groups/{group}/endpoints/{endpoint}/metrics', `${TYPES}/{service}/endpoints/{endpoint}/metrics`].flatMap((path) => [
  path,
  `${path}/{metric}`,
]);

export const ANSWERS_OF_2026: Catalogue = {
  ...MARKS,
  ...TENANTS,
  ...reads('/api/v4', withOne('/results/groups'), GROUPS_4, FIGURES_4),
  ...reads('/api/v4', withOne('/status/groups'), GROUPS_4, STATUSES_4),
  ...reads(NODES, withOne('/capabilities/summary', '/capabilities/availability', '/capabilities/uptime'), GROUPS_4, FIGURES_4),
  ...reads(NODES, withOne('/capabilities/status'), GROUPS_4, STATUSES_4),
  ...reads(NODES, withOne('/monitoring/metrics'), GROUPS_4, NUMBERS_4),
  ...reads(RESULTS, [...withOne('/supergroups', '/groups'), TYPES, `${TYPES}/{service}`, ...ENDPOINTS], RESULTS_5, SHOWN_5),
  ...reads(STATUS, [...withOne('/groups'), TYPES, `${TYPES}/{service}`, ...ENDPOINTS, ...METRICS], STATUSES_5, TIMELINE_5),
  ...reads(
    STATUS,
    METRICS.filter((path) => path.endsWith('}')).map((path) => `${path}/details`),
    DETAILS_5,
    DETAILS,
  ),
};
