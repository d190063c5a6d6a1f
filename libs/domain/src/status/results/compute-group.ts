import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { asFigure, figuresOf, NO_FIGURE } from '#domain/status/results/figures/figures.js';
import { foldTimelines } from './combination.js';
import { type ComputedEndpoint, overlaid } from './compute-endpoint.js';
import type { Plan } from './plan.js';
import { excludedOf, preparedPlan } from './prepared-plan.js';
import type { EndpointDay, FunctionDay, GroupDay, GroupSummary, ServiceDay, SupergroupDay } from './results.js';
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

/** Functions of a group by name, each with its services in the group and the timeline combined from them. Those without any are left out. */
export const functionDays = (plan: Plan, services: readonly ServiceDay[]): readonly FunctionDay[] => {
  const byName = new Map(services.map((service) => [service.service, service]));
  return preparedPlan(plan).functions.flatMap(({ name, operation, services: names }) => {
    const existing = names.map((one) => byName.get(one)).filter((service) => service !== undefined);
    if (existing.length === 0) return [];
    return [{ name, services: existing.map(({ service }) => service), timeline: foldTimelines(timelinesOf(existing), operation) }];
  });
};

/** Timeline of the group, combined from its functions (results contract 6). */
const groupTimeline = (plan: Plan, group: string, services: readonly ServiceDay[], now: number): Timeline => {
  const { ofFunctions, overrides } = preparedPlan(plan);
  return overlaid(foldTimelines(timelinesOf(functionDays(plan, services)), ofFunctions), overrides.at('group', { group }), now);
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

/** Weights of this size are multiplied by a power of two, which keeps the digits of their mean and the sums in the range of numbers. */
const LARGE_WEIGHT = 2 ** 900;
const SMALLER = 2 ** -200;

/**
 * Availability and reliability of groups of groups (results contract 9): weighted means over the endpoint groups that have them, with each weight
 * plus 1. Sums are computed in the order of names.
 */
export const supergroupDays = (plan: Plan, groups: readonly Pick<GroupSummary, 'name' | 'figures'>[]): readonly SupergroupDay[] => {
  const figures = new Map(groups.map((group) => [group.name, group.figures]));
  const scale = [...plan.weights.values()].some((weight) => Math.abs(weight) > LARGE_WEIGHT) ? SMALLER : 1;
  const mean = (names: readonly string[], measure: 'availability' | 'reliability'): number => {
    let [sum, weights] = [0, 0];
    for (const name of names) {
      const value = figures.get(name)?.[measure] ?? NO_FIGURE;
      if (value < 0) continue;
      const weight = scale * ((plan.weights.get(name) ?? 0) + 1);
      sum += value * weight;
      weights += weight;
    }
    return asFigure(sum / weights);
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
