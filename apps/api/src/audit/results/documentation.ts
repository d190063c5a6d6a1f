import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { component, doc, nullable, oneOf, type Shape } from '#domain/shared/shape.js';

const EVENT = doc(
  nullable({ index: 'integer', position: 'text', stream: 'text', revision: 'integer', time: doc('instant', 'log time') }),
  'where the event is found: `/audit/events/{index}`',
);
const AS_OF = doc(nullable({ position: 'text', time: 'instant' }), 'null: now');
const FIGURES = doc(
  { availability: 'text', reliability: 'text', unknown: 'text', uptime: 'text', downtime: 'text' },
  'of this day, as results write them',
);
const TIMELINE = [{ from: 'instant', status: 'text' }] as const;
const DATED = nullable({ day: 'day', event: EVENT });

const POINT = component('AuditExplainedPoint', {
  at: 'instant',
  status: doc('text', 'as it came'),
  use: doc(
    oneOf('counts', 'other report', 'other group', 'monitoring source excluded', 'superseded', 'not yet'),
    'whether it counts, and if not, why',
  ),
  'shown?': doc('text', 'as results show it: after thresholds and recomputations'),
  'thresholdRule?': 'text',
  'actualData?': doc('text', 'text of the probe'),
  'report?': 'text',
  'endpointGroup?': 'text',
  'monitoringHost?': 'text',
  event: EVENT,
  item: doc('integer', 'place of the point in its event, from 0'),
});

const ENDPOINT = component('AuditExplainedEndpoint', {
  service: 'text',
  host: 'text',
  figures: FIGURES,
  affectedByThresholdRule: 'flag',
  timeline: TIMELINE,
  downtimes: [{ from: 'instant', to: 'instant' }],
  metrics: [{ metric: 'text', previous: { at: 'instant', status: 'text' }, points: [POINT] }],
});

const RECOMPUTATION = {
  id: 'text',
  from: 'instant',
  to: 'instant',
  excludesGroup: 'flag',
  'excludeMetrics?': [{}],
  'excludeMonitoringSource?': [{}],
  'appliedStatusChanges?': [{}],
  events: [EVENT],
} as const satisfies Shape;

const EXPLAINED = {
  asOf: AS_OF,
  tenant: 'text',
  report: { id: 'text', name: 'text', event: EVENT },
  group: 'text',
  type: 'text',
  day: 'day',
  until: doc('instant', 'end of what counts: of today the moment of the answer'),
  figures: FIGURES,
  affectedByThresholdRule: 'flag',
  timeline: TIMELINE,
  defaults: doc({ down: 'text', missing: 'text', unknown: 'text' }, 'states of the operations profile that stand for them'),
  supergroups: { type: 'text', names: ['text'], weight: 'number' },
  profiles: doc([{ type: 'text', id: 'text', day: 'day', event: EVENT }], 'the snapshots that were valid on the day'),
  topology: { groups: DATED, endpoints: DATED },
  downtimes: DATED,
  recomputationCount: 'integer',
  recomputations: doc([RECOMPUTATION], 'those in force on the day, in the order of their creation; the first 200. Long lists are left out'),
  services: [{ service: 'text', figures: FIGURES, affectedByThresholdRule: 'flag', timeline: nullable(TIMELINE) }],
  functions: doc(
    [{ name: 'text', services: ['text'], timeline: nullable(TIMELINE) }],
    'groups of the aggregation profile, each combined from its services; the group is combined from them',
  ),
  endpoints: doc([ENDPOINT], 'a page: an endpoint that a page cuts off goes on in the next one'),
  next: doc(nullable('text'), 'for `after`; null at the end'),
} as const satisfies Shape;

const event = (index: number, stream: string) => ({
  index,
  position: `${index + 9}`,
  stream,
  revision: 0,
  time: '2026-03-02T08:00:00.000Z',
});
const TENANT_ID = '6ac7d684-1f8e-4a02-a502-720e8f11e50b';
const figures = { availability: '93.75', reliability: '93.75', unknown: '0', uptime: '0.9375', downtime: '0' };
const timeline = [
  { from: '2026-03-01T00:00:00.000Z', status: 'OK' },
  { from: '2026-03-01T06:00:00.000Z', status: 'CRITICAL' },
  { from: '2026-03-01T07:30:00.000Z', status: 'OK' },
];
const point = (at: string, status: string, item: number) => ({
  at,
  status,
  use: 'counts' as const,
  shown: status,
  event: event(17, `status.metric_data-${TENANT_ID}`),
  item,
});

const EXAMPLE = {
  asOf: null,
  tenant: TENANT_ID,
  report: { id: 'cdebe86b-0329-460f-8fb5-681324a6edbf', name: 'Critical', event: event(16, `status.reports-${TENANT_ID}`) },
  group: 'SITE-A',
  type: 'SITES',
  day: '2026-03-01',
  until: '2026-03-02T00:00:00.000Z',
  figures,
  affectedByThresholdRule: false,
  timeline,
  defaults: { down: 'DOWNTIME', missing: 'MISSING', unknown: 'UNKNOWN' },
  supergroups: { type: 'NGI', names: ['NGI-A'], weight: 3 },
  profiles: [
    {
      type: 'metric',
      id: '48fdd77f-ecd8-4ce6-baae-e32ed1e25524',
      day: '2026-01-01',
      event: event(12, `status.metric_profiles-${TENANT_ID}`),
    },
  ],
  topology: {
    groups: { day: '2026-02-28', event: event(14, `status.topology_groups-${TENANT_ID}.2026-02-28`) },
    endpoints: { day: '2026-02-28', event: event(15, `status.topology_endpoints-${TENANT_ID}.2026-02-28`) },
  },
  downtimes: null,
  recomputationCount: 0,
  recomputations: [],
  services: [{ service: 'web', figures, affectedByThresholdRule: false, timeline }],
  functions: [{ name: 'front', services: ['web'], timeline }],
  endpoints: [
    {
      service: 'web',
      host: 'h1.example.org',
      figures,
      affectedByThresholdRule: false,
      timeline,
      downtimes: [],
      metrics: [
        {
          metric: 'http',
          previous: { at: '2026-02-28T23:00:00.000Z', status: 'OK' },
          points: [point('2026-03-01T06:00:00.000Z', 'CRITICAL', 1), point('2026-03-01T07:30:00.000Z', 'OK', 2)],
        },
      ],
    },
  ],
  next: null,
} as const;

export const EXPLANATION = shaped('the figures and what they came from', shownInside('AuditExplanation', EXPLAINED, EXAMPLE));

const FIGURE = { availability: doc('text', 'as results write it; `-1` if nothing is known'), reliability: 'text' } as const satisfies Shape;
const [availability, reliability] = ['93.75', '93.75'];

export const TENANTS_WITH_RESULTS = shaped(
  'the tenants, at most 1,000',
  shownInside(
    'AuditTenantsWithResults',
    { asOf: AS_OF, items: [{ id: 'text', name: 'text' }] },
    { asOf: null, items: [{ id: TENANT_ID, name: 'Alpine Grid' }] },
  ),
);

export const REPORTS_OF_TENANT = shaped(
  'the reports, at most 1,000; those that are disabled are left out',
  shownInside(
    'AuditReportsWithResults',
    { asOf: AS_OF, id: 'text', name: doc('text', 'of the tenant'), reports: ['text'] },
    { asOf: null, id: TENANT_ID, name: 'Alpine Grid', reports: ['Critical'] },
  ),
);

export const FIGURES_OF_GROUPS = shaped(
  'the groups, by name',
  shownInside(
    'AuditFiguresOfGroups',
    {
      asOf: AS_OF,
      report: 'text',
      type: doc(nullable('text'), 'of the endpoint groups'),
      groups: [{ name: 'text', days: [{ day: 'day', ...FIGURE }], months: [{ month: doc('text', '`YYYY-MM`'), ...FIGURE }] }],
      late: doc(
        [{ day: 'day', at: doc('text', 'when the last point arrived') }],
        'days of which points of the tenant arrived more than an hour after they had ended',
      ),
    },
    {
      asOf: null,
      report: 'Critical',
      type: 'SITES',
      groups: [
        {
          name: 'SITE-A',
          days: [{ day: '2026-03-01', availability, reliability }],
          months: [{ month: '2026-03', availability: '93.74999906250001', reliability: '93.74999906250001' }],
        },
      ],
      late: [{ day: '2026-03-01', at: '2026-03-02T07:30:00Z' }],
    },
  ),
);
