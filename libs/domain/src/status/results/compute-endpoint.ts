import { figuresOf } from '#domain/status/results/figures/figures.js';
import { foldTimelines } from './combination.js';
import { type ComputedMetric, computeMetric } from './metric-days.js';
import { type EndpointPoints, endpointKey, type Plan, type PlannedEndpoint } from './plan.js';
import { preparedPlan } from './prepared-plan.js';
import type { EndpointDay, MetricDay } from './results.js';
import { cutAt, DAY_SECONDS, overlay, painted, type Segment, type Timeline } from './timeline.js';

/** The points of an endpoint on the day and on the previous day, before exclusions. */
export type PointsOfDays = Readonly<{ today: EndpointPoints; before: EndpointPoints }>;

/** Result of an endpoint in its group on a day. */
export type ComputedEndpoint = Readonly<{
  service: string;
  day: EndpointDay;
  /** First second of the day after `now` at which a point, downtime or recomputation may change the result. Absent if there is none. */
  nextChangeAt?: number;
}>;

/** Lays segments over a timeline, later ones in the list on top, up to the second `now`. */
export const overlaid = (timeline: Timeline, layers: readonly Segment[], now: number): Timeline =>
  layers.length === 0 ? timeline : cutAt(overlay(timeline, painted(layers)), now);

const nextChange = (plan: Plan, downtimes: readonly Segment[], { metrics }: PlannedEndpoint, { today }: PointsOfDays, now: number) => {
  if (now >= DAY_SECONDS) return undefined;
  const points = metrics.map((metric) => today.get(metric)?.find(({ at }) => at > now)?.at ?? DAY_SECONDS);
  const bounds = [...preparedPlan(plan).boundaries, ...downtimes.flatMap(({ from, to }) => [from, to])].filter((at) => at > now);
  const next = [...points, ...bounds].reduce((least, at) => Math.min(least, at), DAY_SECONDS);
  return next < DAY_SECONDS ? next : undefined;
};

/**
 * Computes one endpoint of a group on the day of the plan (results contract 3 to 8), metric by metric, so that other work can run in between: an
 * endpoint can have a million points. Changes after the second `now` of the day (86,400 for a past day) do not count yet. Points of unexpected metrics
 * are ignored.
 * @param onMetric called with the day of each expected metric, by name. Default: their listed points are not kept
 */
export function* computingEndpoint(
  plan: Plan,
  group: string,
  endpoint: PlannedEndpoint,
  points: PointsOfDays,
  now: number,
  onMetric?: (metric: MetricDay) => void,
): Generator<undefined, ComputedEndpoint> {
  const { service, host, info } = endpoint;
  const { ofMetrics, overrides } = preparedPlan(plan);
  const { defaults } = plan.operations;
  const computed: Omit<ComputedMetric, 'day'>[] = [];
  for (const metric of endpoint.metrics) {
    const ofMetric = { today: points.today.get(metric) ?? [], before: points.before.get(metric) ?? [] };
    const { day, ...result } = computeMetric(plan, { group, service, host, metric }, ofMetric, now);
    onMetric?.(day);
    computed.push(result);
    yield;
  }
  const down = (plan.downtimes.get(endpointKey(service, host)) ?? []).map((window) => ({ ...window, status: defaults.down }));
  const layers = [...down, ...overrides.at('hostname', { group, service, hostname: host })].filter(({ from, to }) => from < to);
  const timeline = overlaid(
    foldTimelines(
      computed.map((metric) => metric.timeline),
      ofMetrics,
    ),
    layers,
    now,
  );
  const nextChangeAt = nextChange(plan, down, endpoint, points, now);
  return {
    service,
    day: {
      host,
      ...(info ? { info } : {}),
      timeline,
      flagged: computed.some(({ flagged }) => flagged),
      figures: figuresOf(timeline, now, defaults),
      metrics: computed.map(({ counts }) => counts),
    },
    ...(nextChangeAt === undefined ? {} : { nextChangeAt }),
  };
}
