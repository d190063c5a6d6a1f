import type { MetricPoint, Plan } from './plan.js';
import { preparedPlan } from './prepared-plan.js';
import { DAY_SECONDS } from './timeline.js';

/** Use of a point for a metric in a group, with the reason if it does not count. */
type PointUse = 'counts' | 'other report' | 'other group' | 'monitoring source excluded' | 'superseded' | 'not yet';

export type UsedPoint = Readonly<{ point: MetricPoint; use: PointUse }>;

/** `now`: last second that counts. `offset`: seconds from the day of the plan to that of the points. */
const usesOf = (
  plan: Plan,
  group: string,
  points: readonly MetricPoint[],
  { now, offset }: Readonly<{ now: number; offset: number }>,
): readonly UsedPoint[] => {
  const { ignored } = preparedPlan(plan);
  const alone = ({ origin: { report, group: narrowed, monitoringHost = '' }, at }: MetricPoint): PointUse => {
    if (report !== undefined && report !== plan.report) return 'other report';
    if (narrowed !== undefined && narrowed !== group) return 'other group';
    const second = at + offset;
    if (ignored.get(monitoringHost)?.some(({ from, to }) => from <= second && second <= to)) return 'monitoring source excluded';
    return at > now ? 'not yet' : 'counts';
  };
  const used = points.map((point) => ({ point, use: alone(point) }));
  const last = new Map<number, MetricPoint>();
  for (const { point, use } of used) if (use === 'counts') last.set(point.at, point);
  return used.map(({ point, use }) => ({ point, use: use === 'counts' && last.get(point.at) !== point ? 'superseded' : use }));
};

/**
 * Uses of the points of a metric in a group (results contract 1 and 3), for explanations. `today`: all points of the day in their order. `before`:
 * the last point of the previous day that counts. `now`: last second of the day that counts, 86,400 for a past day.
 */
export const usesOfPoints = (
  plan: Plan,
  group: string,
  points: Readonly<{ today: readonly MetricPoint[]; before: readonly MetricPoint[] }>,
  now: number,
): Readonly<{ before: MetricPoint | undefined; today: readonly UsedPoint[] }> => ({
  before: usesOf(plan, group, points.before, { now: DAY_SECONDS, offset: -DAY_SECONDS }).findLast(({ use }) => use === 'counts')?.point,
  today: usesOf(plan, group, points.today, { now, offset: 0 }),
});
