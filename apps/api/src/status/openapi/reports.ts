import { answer, type Catalogue } from '#api/shared/openapi/described.js';
import { bounded, component, doc, nullable, oneOf, type Shape, schema } from '#api/shared/openapi/shape.js';
import { call, envelopeOf, lists, refers, STATUS, says, shows } from './envelopes.js';

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

const REPORT = component(
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
const REPORT_REQUEST = component('StatusReportRequest', {
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

const SENT = {
  info: { name: 'Critical', description: 'what counts' },
  computations: { ar: true, status: true, trends: ['flapping'] },
  thresholds: { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 },
  topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', type: 'metric' }],
  filter_tags: [{ name: 'scope', value: 'EGI', context: 'argo.group.filter.tags' }],
};
const SHOWN = {
  id: '3954e18b-0f5e-4e4c-9ec1-613127ab6638',
  tenant: 'EGI',
  disabled: false,
  ...SENT,
  info: { ...SENT.info, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', name: 'critical', type: 'metric' }],
};

const ROOT = '/api/v2/reports';
const IGNORED = ['id', 'tenant', 'created', 'updated'] as const;

const REPORT_ANSWERS: Catalogue = {
  [`get ${ROOT}`]: { answers: lists(REPORT, SHOWN) },
  [`post ${ROOT}`]: {
    answers: refers(201, 'Successfully Created Report', 'reports'),
    request: REPORT_REQUEST,
    ignores: IGNORED,
    body: SENT,
  },
  [`get ${ROOT}/{id}`]: { answers: lists(REPORT, SHOWN) },
  [`put ${ROOT}/{id}`]: { answers: says('Report was successfully updated'), request: REPORT_REQUEST, ignores: IGNORED, body: SENT },
  [`delete ${ROOT}/{id}`]: call('Report was successfully deleted'),
  [`post ${ROOT}/{id}/set-public`]: call('Report is set as public'),
  [`post ${ROOT}/{id}/set-private`]: call('Report is set as private'),
  [`post ${ROOT}/{id}/set-node-report`]: call('Report was set as the default node report'),
};

const STATE = oneOf('pending', 'approved', 'rejected', 'running', 'done');
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

const RECOMPUTATION = component(
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
const RECOMPUTATION_REQUEST = component('StatusRecomputationRequest', {
  ...REQUESTED,
  'exclude?': doc(['text'], 'groups that do not count'),
  ...EXCLUSIONS,
});

const SUBMITTED = {
  requester_name: 'Ada Lovelace',
  requester_email: 'ada@example.org',
  reason: 'power cut',
  start_time: '2026-02-10T06:00:00Z',
  end_time: '2026-02-10T07:00:00Z',
  report: 'Critical',
  exclude: ['SITE-A'],
};
const PENDING = { status: 'pending', timestamp: '2026-03-01T12:00:00Z' };
const SHOWN_RECOMPUTATION = { id: 'd2a6415c-0fe2-45c0-b7a3-45e4f2c4293e', ...SUBMITTED, ...PENDING, history: [PENDING] };

const RECOMPUTATIONS = '/api/v2/recomputations';
const SET_BY_SERVER = ['id', 'status', 'timestamp', 'history'] as const;

const RECOMPUTATION_ANSWERS: Catalogue = {
  [`get ${RECOMPUTATIONS}`]: {
    answers: {
      200: answer(
        component('StatusRecomputations', { status: STATUS, data: [RECOMPUTATION], root: doc([RECOMPUTATION], 'the same as `data`') }),
        { status: { message: 'Success', code: '200' }, data: [SHOWN_RECOMPUTATION], root: [SHOWN_RECOMPUTATION] },
      ),
    },
  },
  [`post ${RECOMPUTATIONS}`]: {
    answers: refers(201, 'Recomputations successfully created', 'recomputations'),
    request: RECOMPUTATION_REQUEST,
    ignores: SET_BY_SERVER,
    body: SUBMITTED,
  },
  [`get ${RECOMPUTATIONS}/{id}`]: { answers: shows(envelopeOf('StatusOneRecomputation', RECOMPUTATION), SHOWN_RECOMPUTATION) },
  [`put ${RECOMPUTATIONS}/{id}`]: {
    answers: says('Recomputation updated successfully'),
    request: RECOMPUTATION_REQUEST,
    ignores: SET_BY_SERVER,
    body: SUBMITTED,
  },
  [`delete ${RECOMPUTATIONS}/{id}`]: call('Recomputation Successfully Deleted'),
  [`post ${RECOMPUTATIONS}/{id}/status`]: {
    answers: says('Recomputation status updated successfully to: approved'),
    request: component('StatusRecomputationStatusRequest', { status: STATE }),
    body: { status: 'approved' },
  },
  [`delete ${RECOMPUTATIONS}/{id}/status`]: call('Recomputation status reset successfully to: pending'),
};

export const REPORTS: Catalogue = { ...REPORT_ANSWERS, ...RECOMPUTATION_ANSWERS };
