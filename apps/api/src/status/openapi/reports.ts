import { bounded, component, doc, nullable, oneOf, type Shape, schema } from '#api/shared/openapi/shape.js';

const TIME = doc('text', 'YYYY-MM-DD HH:MM:SS in UTC');
const MARK = schema({ type: 'boolean', const: true });
const NAME = doc('text', 'unique in the tenant');

const LEVEL_BELOW = nullable(schema({ $ref: '#/components/schemas/StatusTopologyLevel' }));
const LEVEL = component('StatusTopologyLevel', {
  'type?': doc(nullable('text'), 'of the groups of this level'),
  'group?': LEVEL_BELOW,
  '*': 'any',
});
const TOPOLOGY_SCHEMA = component(
  'StatusTopologySchema',
  { 'group?': nullable(LEVEL), '*': 'any' },
  'Types of groups, from the outermost to that of the endpoint groups; 32 levels at most',
);
const TREND = oneOf('flapping', 'status', 'tags');
const COMPUTATIONS = component('StatusComputations', {
  ar: doc('flag', 'availability and reliability'),
  status: doc('flag', 'timelines'),
  trends: bounded([TREND], { maxItems: 100 }),
});
const BOUND_NAMES = ['availability', 'reliability', 'uptime', 'unknown', 'downtime'] as const;
const bounds = (suffix: '' | '?'): Readonly<Record<string, Shape>> =>
  Object.fromEntries(BOUND_NAMES.map((name) => [name + suffix, 'number']));
const THRESHOLDS = component('StatusThresholds', bounds(''), 'Bounds that results are judged by');
const PROFILE_TYPE = oneOf('metric', 'operations', 'aggregation', 'thresholds', 'weights');
const FILTER_TAG = component('StatusFilterTag', {
  name: 'text',
  value: 'text',
  context: doc('text', 'such as `argo.group.filter.fields`, `argo.endpoint.filter.tags`; results look at these only'),
});

export const REPORT = component(
  'StatusReport',
  {
    id: 'uuid',
    tenant: doc('text', 'name of the tenant'),
    'weight?': doc('text', 'type of the weights'),
    disabled: 'flag',
    'public?': MARK,
    'node_report?': MARK,
    info: { name: NAME, description: 'text', created: TIME, updated: TIME },
    computations: COMPUTATIONS,
    'thresholds?': THRESHOLDS,
    topology_schema: TOPOLOGY_SCHEMA,
    profiles: [{ id: 'text', name: doc('text', 'that of the profile, whatever was sent'), type: PROFILE_TYPE }],
    filter_tags: [FILTER_TAG],
  },
  'Which profiles and which part of the topology belong together (status contract 12)',
);
export const REPORT_REQUEST = component('StatusReportRequest', {
  'weight?': 'text',
  'disabled?': 'flag',
  'public?': doc('flag', 'of a new report'),
  info: { name: NAME, 'description?': 'text' },
  'computations?': { 'ar?': 'flag', 'status?': 'flag', 'trends?': bounded([TREND], { maxItems: 100 }) },
  'thresholds?': doc(bounds('?'), 'default of a new report: 80, 85, 80, 10, 10; a member that is left out is 0'),
  topology_schema: TOPOLOGY_SCHEMA,
  profiles: bounded([{ id: doc('text', 'id of a profile of the tenant'), type: PROFILE_TYPE, 'name?': 'text' }], { maxItems: 100 }),
  'filter_tags?': [{ name: 'text', value: 'text', 'context?': 'text' }],
});

export const SENT = {
  info: { name: 'Critical', description: 'what counts' },
  computations: { ar: true, status: true, trends: ['flapping'] },
  thresholds: { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 },
  topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', type: 'metric' }],
  filter_tags: [{ name: 'scope', value: 'EGI', context: 'argo.group.filter.tags' }],
};
export const SHOWN = {
  id: '3954e18b-0f5e-4e4c-9ec1-613127ab6638',
  tenant: 'EGI',
  disabled: false,
  ...SENT,
  info: { ...SENT.info, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', name: 'critical', type: 'metric' }],
};

export const IGNORED = ['id', 'tenant', 'created', 'updated'] as const;

export const STATE = oneOf('pending', 'approved', 'rejected', 'running', 'done');
const WHEN = doc('text', 'YYYY-MM-DDTHH:MM:SSZ');
const PLACE = { 'metric?': 'text', 'hostname?': 'text', 'service?': 'text', 'group?': 'text' } as const;
const EXCLUSIONS = {
  'exclude_metrics?': doc([component('StatusExcludedMetric', PLACE)], 'metric data that does not count; given members must match'),
  'exclude_monitoring_source?': doc(
    [component('StatusExcludedMonitoringSource', { host: 'text', start_time: WHEN, end_time: WHEN })],
    'monitoring hosts whose data does not count',
  ),
  'applied_status_changes?': doc(
    [component('StatusAppliedStatusChange', { ...PLACE, 'state?': doc('text', 'such as `OK`, `CRITICAL`, `EXCLUDED`') })],
    'statuses that hold in the period',
  ),
} as const;
const REQUESTED = {
  requester_name: 'text',
  requester_email: 'text',
  reason: 'text',
  start_time: WHEN,
  end_time: WHEN,
  report: doc('text', 'name of the report'),
} as const;

export const RECOMPUTATION = component(
  'StatusRecomputation',
  {
    id: 'uuid',
    ...REQUESTED,
    exclude: doc(['text'], 'groups that do not count'),
    status: STATE,
    timestamp: doc('instant', 'of the status'),
    history: doc([{ status: STATE, timestamp: 'instant' }], 'oldest first, the current status included'),
    ...EXCLUSIONS,
  },
  'status contract 11',
);
export const RECOMPUTATION_REQUEST = component('StatusRecomputationRequest', {
  ...REQUESTED,
  'exclude?': doc(['text'], 'groups that do not count'),
  ...EXCLUSIONS,
});

export const SUBMITTED = {
  requester_name: 'Ada Lovelace',
  requester_email: 'ada@example.org',
  reason: 'power cut',
  start_time: '2026-02-10T06:00:00Z',
  end_time: '2026-02-10T07:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
};
const PENDING = { status: 'pending', timestamp: '2026-03-01T12:00:00Z' };
export const SHOWN_RECOMPUTATION = { id: 'd2a6415c-0fe2-45c0-b7a3-45e4f2c4293e', ...SUBMITTED, ...PENDING, history: [PENDING] };

export const SET_BY_SERVER = ['id', 'status', 'timestamp', 'history'] as const;
