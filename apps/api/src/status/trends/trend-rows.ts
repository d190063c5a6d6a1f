import { type DayItem, endpointsOn, groupsOn, servicesOn } from '#api/status/day-items.js';
import { secondsByStatus } from '#domain/status/results/figures/figures.js';
import type { GroupDay, MetricCounts, ResultsDay } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';

/** The measure of an item on a day; `status` only if statuses are counted separately. */
export type TrendRow = Readonly<{ names: readonly string[]; status?: string; amount: number }>;

/** Statuses that trends distinguish (results contract 12.7). */
const TROUBLES = ['CRITICAL', 'UNKNOWN', 'WARNING'] as const;

/** Measures of a timeline and of a metric. */
export type Measure = Readonly<{
  /** Name of the member with the sum. */
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

/** Whole minutes in a status; for metrics, numbers of points. */
export const STATUSES: Measure = {
  ofTimelines: 'duration_in_minutes',
  ofMetrics: 'events',
  timeline: (timeline, seconds) => {
    const spent = secondsByStatus(timeline, seconds);
    return TROUBLES.map((status) => ({ status, amount: Math.floor((spent.get(status) ?? 0) / 60) }));
  },
  metric: ({ events }) => TROUBLES.map((status) => ({ status, amount: Object.hasOwn(events, status) ? (events[status] ?? 0) : 0 })),
};

function* timelineTrends(
  items: Iterable<DayItem<Readonly<{ timeline: Timeline }>>>,
  { timeline: amountsOf }: Measure,
  seconds: number,
): Generator<TrendRow> {
  for (const { names, item } of items) for (const amount of amountsOf(item.timeline, seconds)) yield { names, ...amount };
}

/** Endpoint groups. */
export const groupTrends = (day: ResultsDay, measure: Measure): Generator<TrendRow> => timelineTrends(groupsOn(day), measure, day.seconds);

/** Services, by endpoint group and service. */
export const serviceTrends = (day: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> =>
  timelineTrends(servicesOn(day), measure, day.seconds);

/** Endpoints, by endpoint group, service and host. */
export const endpointTrends = (day: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> =>
  timelineTrends(endpointsOn(day), measure, day.seconds);

/** Metrics, by endpoint group, service, host and metric. */
export function* metricTrends(day: ResultsDay<GroupDay>, measure: Measure): Generator<TrendRow> {
  for (const { names, item } of endpointsOn(day))
    for (const metric of item.metrics) for (const amount of measure.metric(metric)) yield { names: [...names, metric.metric], ...amount };
}
