import { atSecond, supergroupDays } from '#domain/status/results/compute-group.js';
import { figuresOf } from '#domain/status/results/figures/figures.js';
import type { Plan } from '#domain/status/results/plan.js';
import { excludedOf } from '#domain/status/results/prepared-plan.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { cutAt, type Timeline } from '#domain/status/results/timeline.js';

/* /* Adjusts results of an unfinished day to another second. Between the two seconds nothing but the figures changes. */

const cut = <Row extends Readonly<{ timeline: Timeline }>>(row: Row, now: number): Row => {
  const timeline = cutAt(row.timeline, now);
  return timeline === row.timeline ? row : { ...row, timeline };
};

/** @param plan of the day */
export const summaryAt = (plan: Plan, { day, groups, ...rest }: ResultsDay, now: number): ResultsDay => {
  const { defaults } = plan.operations;
  const then = groups.map((group) => {
    const { name, flagged } = group;
    const timeline = cutAt(group.timeline, now);
    return { name, flagged, timeline, figures: figuresOf(timeline, now, defaults, excludedOf(plan, name)) };
  });
  return { ...rest, day, seconds: Math.max(1, now), groups: then, supergroups: supergroupDays(plan, then) };
};

/** Like `summaryAt`, for one group. */
export const detailsAt = (plan: Plan, group: GroupDay, now: number): GroupDay => {
  const services = group.services.map((service) => ({
    ...cut(service, now),
    endpoints: service.endpoints.map((endpoint) => cut(endpoint, now)),
  }));
  return atSecond(plan, { ...cut(group, now), services }, now);
};
