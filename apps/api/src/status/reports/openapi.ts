import { recordMembers } from '#api/status/bodies.js';
import { component, doc, schema } from '#domain/shared/shape.js';
import { NAME, PROFILE_TYPE, TOPOLOGY_SCHEMA, thresholds, trends } from './report-body.js';

export const SENT_REPORT = {
  info: { name: 'Critical', description: 'what counts' },
  computations: { ar: true, status: true, trends: ['flapping'] },
  thresholds: { availability: 80, reliability: 85, uptime: 80, unknown: 10, downtime: 10 },
  topology_schema: { group: { type: 'NGI', group: { type: 'SITES' } } },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', type: 'metric' }],
  filter_tags: [{ name: 'scope', value: 'EGI', context: 'argo.group.filter.tags' }],
};

const TIME = doc('text', 'YYYY-MM-DD HH:MM:SS in UTC');
const MARK = schema<true>({ type: 'boolean', const: true });
const COMPUTATIONS = component('StatusComputations', {
  ar: doc('flag', 'availability and reliability'),
  status: doc('flag', 'timelines'),
  trends: trends.schema,
});
const THRESHOLDS = component('StatusThresholds', recordMembers(thresholds), 'Bounds that results are judged by');
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
).shownAs({
  id: '3954e18b-0f5e-4e4c-9ec1-613127ab6638',
  tenant: 'EGI',
  disabled: false,
  ...SENT_REPORT,
  info: { ...SENT_REPORT.info, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' },
  profiles: [{ id: '6a5da0f4-a24b-43be-96f2-b86f92297fea', name: 'critical', type: 'metric' }],
});
