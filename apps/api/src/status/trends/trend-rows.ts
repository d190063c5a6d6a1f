import { secondsByStatus } from '#domain/status/results/figures/figures.js';
import type { EndpointDay, GroupDay, GroupSummary, MetricCounts, ResultsDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';

/** What is measured of an item on a day; `status`: only where statuses are told apart. */
export type TrendRow = Readonly<{ names: readonly string[]; status?: string; amount: number }>;

/** The statuses that trends tell apart (results contract 12.7). */
const TROUBLES = ['CRITICAL', 'UNKNOWN', 'WARNING'] as const;

/** What is measured, of a timeline and of a metric. */
export type Measure = Readonly<{
  /** Member of an item with the sum. */
  ofTimelines: string;
  ofMetrics: string;
  timeline: (timeline: Timeline, seconds: number) => Iterable<Omit<TrendRow, 'names'>>;
  metric: (metric: MetricCounts) => Iterable<Omit<TrendRow, 'names'>>;
}>;

/** Changes of status inside the day. */
export const FLAPPING: Measure = {
  ofTimelines: 'flapping',
  ofMetrics: 'flapping',
  timeline: ({ length }) => [{ amount: length - 1 }],
  metric: ({ flapping }) => [{ amount: flapping }],
};

/** Whole minutes in a status, of metrics their points. */
export const STATUSES: Measure = {
  ofTimelines: 'duration_in_minutes',
  ofMetrics: 'events',
  timeline: (timeline, seconds) => {
    const spent = secondsByStatus(timeline, seconds);
    return TROUBLES.map((status) => ({ status, amount: Math.floor((spent.get(status) ?? 0) / 60) }));
  },
  metric: ({ events }) => TROUBLES.map((status) => ({ status, amount: Object.hasOwn(events, status) ? (events[status] ?? 0) : 0 })),
};

function* named(names: readonly string[], amounts: Iterable<Omit<TrendRow, 'names'>>): Generator<TrendRow> {
  for (const amount of amounts) yield { names, ...amount };
}

/** Endpoint groups. */
export function* groupTrends({ groups, seconds }: ResultsDay<GroupSummary>, measure: Measure): Generator<TrendRow> {
  for (const { name, timeline } of groups) yield* named([name], measure.timeline(timeline, seconds));
}

/** Services: by endpoint group and service. */
export function* serviceTrends({ groups, seconds }: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> {
  for (const { name, services } of groups)
    for (const { service, timeline } of services) yield* named([name, service], measure.timeline(timeline, seconds));
}

function* endpointsOf({ groups }: ResultsDay<GroupDay>): Generator<readonly [names: readonly string[], endpoint: EndpointDay]> {
  for (const { name, services } of groups)
    for (const { service, endpoints } of services) for (const endpoint of endpoints) yield [[name, service, endpoint.host], endpoint];
}

/** Endpoints: by endpoint group, service and host. */
export function* endpointTrends(day: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> {
  for (const [names, { timeline }] of endpointsOf(day)) yield* named(names, measure.timeline(timeline, day.seconds));
}

/** Metrics: by endpoint group, service, host and metric. */
export function* metricTrends(day: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> {
  for (const [names, { metrics }] of endpointsOf(day))
    for (const metric of metrics) yield* named([...names, metric.metric], measure.metric(metric));
}
