import type { ApiResponseOptions } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const INTEGER: Schema = { type: 'integer' };
const FLAG: Schema = { type: 'boolean' };
const DAY: Schema = { type: 'string', format: 'date' };
const INSTANT: Schema = { type: 'string', format: 'date-time' };

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
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

const POINT = object({
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
});

const ENDPOINT = object({
  service: TEXT,
  host: TEXT,
  figures: FIGURES,
  affectedByThresholdRule: FLAG,
  timeline: TIMELINE,
  downtimes: list(object({ from: INSTANT, to: INSTANT })),
  metrics: list(object({ metric: TEXT, previous: object({ at: INSTANT, status: TEXT }), points: list(POINT) })),
});

const SCHEMA = object({
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
    object({
      id: TEXT,
      from: INSTANT,
      to: INSTANT,
      excludesGroup: FLAG,
      excludeMetrics: list(object({})),
      excludeMonitoringSource: list(object({})),
      appliedStatusChanges: list(object({})),
      events: list(EVENT),
    }),
    { description: 'those in force on the day, in the order of their creation; the first 200. Long lists are left out' },
  ),
  services: list(object({ service: TEXT, figures: FIGURES, affectedByThresholdRule: FLAG, timeline: { ...TIMELINE, nullable: true } })),
  endpoints: list(ENDPOINT, { description: 'a page: an endpoint that a page cuts off goes on in the next one' }),
  next: { ...TEXT, nullable: true, description: 'for `after`; null at the end' },
});

export const EXPLANATION: ApiResponseOptions = {
  description: 'the figure and what it came from',
  content: { 'application/json': { schema: SCHEMA } },
};
