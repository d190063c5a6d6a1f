import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { figuresOf, NO_FIGURE } from '#domain/status/results/figures/figures.js';
import { foldTimelines } from './combination.js';
import { type ComputedEndpoint, overlaid } from './compute-endpoint.js';
import type { Plan } from './plan.js';
import { excludedOf, preparedPlan } from './prepared-plan.js';
import type { EndpointDay, GroupDay, GroupSummary, ServiceDay, SupergroupDay } from './results.js';
import type { Timeline } from './timeline.js';

/** Inputs of a group's results. */
type GroupEndpoint = Pick<ComputedEndpoint, 'service' | 'day'>;

const timelinesOf = (rows: readonly Readonly<{ timeline: Timeline }>[]): readonly Timeline[] => rows.map(({ timeline }) => timeline);

/** Groups endpoints by service. Keeps the order of both. */
const byService = (endpoints: readonly GroupEndpoint[]): ReadonlyMap<string, readonly EndpointDay[]> => {
  const services = new Map<string, EndpointDay[]>();
  for (const { service, day } of endpoints) {
    getOrInsert(services, service, () => []).push(day);
  }
  return services;
};

/** Timeline of the group, combined from its services (results contract 6). Functions without a service in the group are skipped. */
const groupTimeline = (plan: Plan, group: string, services: readonly ServiceDay[], now: number): Timeline => {
  const { functions, ofFunctions, overrides } = preparedPlan(plan);
  const byName = new Map(services.map((service) => [service.service, service]));
  const timelines = functions.flatMap(({ operation, services: names }) => {
    const existing = names.map((name) => byName.get(name)).filter((service) => service !== undefined);
    return existing.length === 0 ? [] : [foldTimelines(timelinesOf(existing), operation)];
  });
  return overlaid(foldTimelines(timelines, ofFunctions), overrides.at('group', { group }), now);
};

/**
 * Computes an endpoint group and its services from all endpoints expected in it, ordered by service, then host (results contract 5 to 8). `now`: as
 * for the endpoints, the second of the day, 86,400 for a past day.
 * @throws Error without endpoints, because such a group has no results
 */
export const computeGroup = (plan: Plan, group: string, endpoints: readonly GroupEndpoint[], now: number): GroupDay => {
  const { ofEndpoints, overrides } = preparedPlan(plan);
  const { defaults } = plan.operations;
  const services = [...byService(endpoints)].map(([service, days]): ServiceDay => {
    const operation = ofEndpoints.get(service);
    if (!operation) throw new Error(`The aggregation profile has no service ${service}`);
    const timeline = overlaid(foldTimelines(timelinesOf(days), operation), overrides.at('service', { group, service }), now);
    const flagged = days.some((day) => day.flagged);
    return { service, timeline, flagged, figures: figuresOf(timeline, now, defaults), endpoints: days };
  });
  const timeline = groupTimeline(plan, group, services, now);
  return {
    name: group,
    timeline,
    flagged: services.some(({ flagged }) => flagged),
    figures: figuresOf(timeline, now, defaults, excludedOf(plan, group)),
    services,
  };
};

/**
 * Availability and reliability of groups of groups (results contract 9): weighted means over the endpoint groups that have them, with each weight
 * plus 1. Sums are computed in the order of names.
 */
export const supergroupDays = (plan: Plan, groups: readonly Pick<GroupSummary, 'name' | 'figures'>[]): readonly SupergroupDay[] => {
  const figures = new Map(groups.map((group) => [group.name, group.figures]));
  const mean = (names: readonly string[], measure: 'availability' | 'reliability'): number => {
    let [sum, weights] = [0, 0];
    for (const name of names) {
      const value = figures.get(name)?.[measure] ?? NO_FIGURE;
      if (value < 0) continue;
      const weight = (plan.weights.get(name) ?? 0) + 1;
      sum += value * weight;
      weights += weight;
    }
    return weights === 0 ? NO_FIGURE : sum / weights;
  };
  return [...plan.supergroups].map(([name, names]) => ({
    name,
    groups: names,
    availability: mean(names, 'availability'),
    reliability: mean(names, 'reliability'),
  }));
};

/** The same results at a later second of the day, if no status has changed since: only the figures change. */
export const atSecond = (plan: Plan, group: GroupDay, now: number): GroupDay => {
  const { defaults } = plan.operations;
  return {
    ...group,
    figures: figuresOf(group.timeline, now, defaults, excludedOf(plan, group.name)),
    services: group.services.map((service) => ({
      ...service,
      figures: figuresOf(service.timeline, now, defaults),
      endpoints: service.endpoints.map((endpoint) => ({ ...endpoint, figures: figuresOf(endpoint.timeline, now, defaults) })),
    })),
  };
};
