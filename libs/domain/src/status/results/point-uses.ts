import type { MetricPoint, Plan } from './plan.js';
import { preparedPlan } from './prepared-plan.js';
import { DAY_SECONDS } from './timeline.js';

/** Use of a point for a metric in a group, with the reason if it does not count. */
type PointUse = 'counts' | 'other report' | 'other group' | 'monitoring source excluded' | 'superseded' | 'not yet';

export type UsedPoint = Readonly<{ point: MetricPoint; use: PointUse }>;

/** `now`: last second that counts. `offset`: seconds from the day of the plan to that of the points. */
type PointDay = Readonly<{ now: number; offset: number }>;

/** Use of a point regardless of the other points of its metric. */
const useAlone = (plan: Plan, group: string, { now, offset }: PointDay): ((point: Pick<MetricPoint, 'at' | 'origin'>) => PointUse) => {
  const { isIgnored } = preparedPlan(plan);
  return ({ origin: { report, group: narrowed, monitoringHost }, at }) => {
    if (report !== undefined && report !== plan.report) return 'other report';
    if (narrowed !== undefined && narrowed !== group) return 'other group';
    if (isIgnored(monitoringHost, at + offset)) return 'monitoring source excluded';
    return at > now ? 'not yet' : 'counts';
  };
};

/**
 * Uses of points of a metric in a group (results contract 1 and 3), for explanations.
 * @param points all points of the day in their order, of which those from the index `from` up to `to`, exclusive, are returned
 * @param now last second of the day that counts, 86,400 for a past day
 */
export const usesOfPoints = (
  plan: Plan,
  group: string,
  points: readonly MetricPoint[],
  now: number,
  { from, to }: Readonly<{ from: number; to: number }>,
): readonly UsedPoint[] => {
  const alone = useAlone(plan, group, { now, offset: 0 });
  let end = Math.min(to, points.length);
  while (end > from && points[end]?.at === points[end - 1]?.at) end++; // later points of that second may supersede
  const used = points.slice(from, end).map((point) => ({ point, use: alone(point) }));
  const last = new Map<number, MetricPoint>();
  for (const { point, use } of used) if (use === 'counts') last.set(point.at, point);
  return used
    .slice(0, to - from)
    .map(({ point, use }) => ({ point, use: use === 'counts' && last.get(point.at) !== point ? 'superseded' : use }));
};

/** The last point of the previous day that counts. */
export const lastBefore = (plan: Plan, group: string, points: readonly MetricPoint[]): MetricPoint | undefined => {
  const alone = useAlone(plan, group, { now: DAY_SECONDS, offset: -DAY_SECONDS });
  return points.findLast((point) => alone(point) === 'counts');
};

/**
 * Whether a point of the plan's day counts in a group (results contract 1 and 3). Of several points of a metric at one second that do, only the last in
 * the log counts.
 */
export const countsIn = (plan: Plan, group: string): ((point: Pick<MetricPoint, 'at' | 'origin'>) => boolean) => {
  const alone = useAlone(plan, group, { now: DAY_SECONDS, offset: 0 });
  return (point) => alone(point) === 'counts';
};
