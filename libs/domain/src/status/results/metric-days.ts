import type { MetricPoint, Plan } from './plan.js';
import { type PreparedPlan, preparedPlan } from './prepared-plan.js';
import type { ListedPoint, MetricCounts, MetricDay } from './results.js';
import {
  append,
  cutAt,
  DAY_SECONDS,
  overlay,
  painted,
  type Segment,
  type StatusStep,
  segmentsInOrder,
  statusAt,
  type Timeline,
} from './timeline.js';
import { timeOfDay } from './windows.js';

/** Position of a metric in the results. */
type MetricPlace = Readonly<{ group: string; service: string; host: string; metric: string }>;

/** The points of one metric, in order of time, then of the log. */
type MetricPoints = Readonly<{ today: readonly MetricPoint[]; before: readonly MetricPoint[] }>;

export type ComputedMetric = Readonly<{ timeline: Timeline; day: MetricDay; counts: MetricCounts; flagged: boolean }>;

/** Whether a point counts for the plan in the group. `offset`: seconds from the day of the plan to that of the point. */
const counting =
  (plan: Plan, { isIgnored }: PreparedPlan, group: string, offset: number): ((point: MetricPoint) => boolean) =>
  ({ origin: { report, group: narrowed, monitoringHost }, at }) => {
    if ((report !== undefined && report !== plan.report) || (narrowed !== undefined && narrowed !== group)) return false;
    return !isIgnored(monitoringHost, at + offset);
  };

/** The points that count, one per second: the last in the log. */
const pointsOf = (points: readonly MetricPoint[], counts: (point: MetricPoint) => boolean, now: number): readonly MetricPoint[] => {
  const found: MetricPoint[] = [];
  for (const point of points) {
    if (point.at > now) break;
    if (!counts(point)) continue;
    if (found.at(-1)?.at === point.at) found.pop();
    found.push(point);
  }
  return found;
};

/** Applies thresholds and the states of the profile to points (results contract 3, 4). */
const readerOf = (plan: Plan, { thresholds, states }: PreparedPlan, place: MetricPlace): ((point: MetricPoint) => ListedPoint) => {
  const { unknown } = plan.operations.defaults;
  const ranges = thresholds.rangesFor(place.group, place.host, place.metric);
  const judge = ranges && thresholds.judging(ranges);
  return (point) => {
    const overruled = judge?.(point);
    const status = overruled?.status ?? point.status;
    return {
      at: point.at,
      status: states.has(status) ? status : unknown,
      ...(point.actualData === undefined ? {} : { actualData: point.actualData }),
      ...(overruled ? { originalStatus: overruled.originalStatus, thresholdRule: overruled.rule } : {}),
    };
  };
};

/**
 * Points with the windows of recomputations. Every point inside a window shows its state and nothing else, and a point is added where a window begins or
 * ends (results contract 3). `below`: the timeline without them.
 */
const withWindows = (points: readonly ListedPoint[], below: Timeline, layers: readonly Segment[], now: number): readonly ListedPoint[] => {
  const segmentAt = segmentsInOrder(painted(layers));
  const bounds = layers.flatMap(({ from, to }) => [from, to]).filter((at) => at <= now && at < DAY_SECONDS);
  const byInstant = new Map(points.map((point) => [point.at, point]));
  const instants = new Set([...byInstant.keys(), ...bounds]);
  return [...instants]
    .sort((one, other) => one - other)
    .map((at): ListedPoint => {
      const above = segmentAt(at);
      return above ? { at, status: above.status } : (byInstant.get(at) ?? { at, status: statusAt(below, at) });
    });
};

const timelineOf = (first: string, points: readonly ListedPoint[]): Timeline => {
  const steps: StatusStep[] = [{ at: 0, status: first }];
  for (const { at, status } of points) append(steps, at, status);
  return steps;
};

/** Listed points by status, and the status carried over from the day before, unless a point starts the day (results contract 12.7). */
const eventsOf = (carriedOver: string, listed: readonly ListedPoint[]): Readonly<Record<string, number>> => {
  const events = new Map<string, number>(listed[0]?.at === 0 ? [] : [[carriedOver, 1]]);
  for (const { status } of listed) events.set(status, (events.get(status) ?? 0) + 1);
  return Object.fromEntries(events);
};

/** A metric on a day, up to the second `now` (results contract 3). */
export const computeMetric = (plan: Plan, place: MetricPlace, points: MetricPoints, now: number): ComputedMetric => {
  const { group, service, host, metric } = place;
  const prepared = preparedPlan(plan);
  const read = readerOf(plan, prepared, place);
  const last = points.before.findLast(counting(plan, prepared, group, -DAY_SECONDS));
  const previous = last
    ? { timestamp: `${prepared.before}T${timeOfDay(last.at)}Z`, status: read(last).status }
    : { timestamp: `${plan.day}T00:00:00Z`, status: plan.operations.defaults.missing };
  const own = pointsOf(points.today, counting(plan, prepared, group, 0), now).map(read);
  const plain = own.length > 0 ? own : [{ at: 0, status: previous.status }];
  const below = timelineOf(previous.status, plain);
  const layers = prepared.overrides.at('metric', { group, service, hostname: host, metric }).filter(({ from }) => from <= now);
  const listed = layers.length === 0 ? plain : withWindows(plain, below, layers, now);
  const timeline = layers.length === 0 ? below : cutAt(overlay(below, painted(layers)), now);
  return {
    timeline,
    day: { metric, previous, points: listed },
    counts: { metric, flapping: timeline.length - 1, events: eventsOf(previous.status, listed) },
    flagged: listed.some(({ thresholdRule }) => thresholdRule !== undefined),
  };
};
