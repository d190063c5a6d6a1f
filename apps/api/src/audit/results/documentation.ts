import type { ApiResponseOptions } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const INTEGER: Schema = { type: 'integer' };
const FLAG: Schema = { type: 'boolean' };
const DAY: Schema = { type: 'string', format: 'date' };
const INSTANT: Schema = { type: 'string', format: 'date-time' };

/** All members are always there, but for `optional` ones. */
const object = (properties: Schema, { optional = [], ...more }: Schema & Readonly<{ optional?: readonly string[] }> = {}): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
  ...more,
});
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });

const EVENT = object(
  { index: INTEGER, position: TEXT, stream: TEXT, revision: INTEGER, time: { ...INSTANT, description: 'log time' } },
  { nullable: true, description: 'where the event is found: `/audit/events/{index}`' },
);
const FIGURES = object(
  { availability: TEXT, reliability: TEXT, unknown: TEXT, uptime: TEXT, downtime: TEXT },
  { description: 'of this day, as results write them' },
);
const TIMELINE = list(object({ from: INSTANT, status: TEXT }));
const DATED = object({ day: DAY, event: EVENT }, { nullable: true });

const POINT = object(
  {
    at: INSTANT,
    status: { ...TEXT, description: 'as it came' },
    use: {
      type: 'string',
      enum: ['counts', 'other report', 'other group', 'monitoring source excluded', 'superseded', 'not yet'],
      description: 'whether it counts, and if not, why',
    },
    shown: { ...TEXT, description: 'as results show it: after thresholds and recomputations' },
    thresholdRule: TEXT,
    actualData: TEXT,
    report: TEXT,
    endpointGroup: TEXT,
    monitoringHost: TEXT,
    event: EVENT,
    item: { ...INTEGER, description: 'place of the point in its event, from 0' },
  },
  { title: 'AuditExplainedPoint', optional: ['shown', 'thresholdRule', 'actualData', 'report', 'endpointGroup', 'monitoringHost'] },
);

const ENDPOINT = object(
  {
    service: TEXT,
    host: TEXT,
    figures: FIGURES,
    affectedByThresholdRule: FLAG,
    timeline: TIMELINE,
    downtimes: list(object({ from: INSTANT, to: INSTANT })),
    metrics: list(object({ metric: TEXT, previous: object({ at: INSTANT, status: TEXT }), points: list(POINT) })),
  },
  { title: 'AuditExplainedEndpoint' },
);

const SCHEMA = object(
  {
    asOf: object({ position: TEXT, time: INSTANT }, { nullable: true, description: 'null: now' }),
    tenant: TEXT,
    report: object({ id: TEXT, name: TEXT, event: EVENT }),
    group: TEXT,
    type: TEXT,
    day: DAY,
    until: { ...INSTANT, description: 'end of what counts: of today the moment of the answer' },
    figures: FIGURES,
    affectedByThresholdRule: FLAG,
    timeline: TIMELINE,
    supergroups: object({ type: TEXT, names: list(TEXT), weight: { type: 'number' } }),
    profiles: list(object({ type: TEXT, id: TEXT, day: DAY, event: EVENT }), { description: 'the snapshots that were valid on the day' }),
    topology: object({ groups: DATED, endpoints: DATED }),
    downtimes: DATED,
    recomputationCount: INTEGER,
    recomputations: list(
      object(
        {
          id: TEXT,
          from: INSTANT,
          to: INSTANT,
          excludesGroup: FLAG,
          excludeMetrics: list({ type: 'object' }),
          excludeMonitoringSource: list({ type: 'object' }),
          appliedStatusChanges: list({ type: 'object' }),
          events: list(EVENT),
        },
        { optional: ['excludeMetrics', 'excludeMonitoringSource', 'appliedStatusChanges'] },
      ),
      { description: 'those in force on the day, in the order of their creation; the first 200. Long lists are left out' },
    ),
    services: list(object({ service: TEXT, figures: FIGURES, affectedByThresholdRule: FLAG, timeline: { ...TIMELINE, nullable: true } })),
    endpoints: list(ENDPOINT, { description: 'a page: an endpoint that a page cuts off goes on in the next one' }),
    next: { ...TEXT, nullable: true, description: 'for `after`; null at the end' },
  },
  { title: 'AuditExplanation' },
);

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
  use: 'counts',
  shown: status,
  event: event(17, `status.metric_data-${TENANT_ID}.h1.example.org`),
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
};

export const EXPLANATION: ApiResponseOptions = {
  description: 'the figures and what they came from',
  content: { 'application/json': { schema: { ...SCHEMA, example: EXAMPLE } } },
};
