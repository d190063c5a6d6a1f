import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import { combinationOf } from './combination.js';
import type { Combine } from './fold-tree.js';
import { Overrides } from './overrides.js';
import type { Plan } from './plan.js';
import { Thresholds } from './thresholds.js';
import { painted, type Segment } from './timeline.js';
import { isInRanges, mergedRanges, rangeAround, type SecondsRange } from './windows.js';

/** A function of the aggregation profile, with its services in order. */
type ServiceFunction = Readonly<{ name: string; operation: Combine; services: readonly string[] }>;

/** A plan with precomputed lookups, built once per plan. */
export type PreparedPlan = Readonly<{
  /** The previous day. */
  before: Day;
  states: ReadonlySet<string>;
  thresholds: Thresholds;
  overrides: Overrides;
  /** Whether points of a monitoring host are ignored at a second, counted from 00:00:00 of the day. */
  isIgnored: (monitoringHost: string | undefined, second: number) => boolean;
  ofMetrics: Combine;
  /** The operation of the endpoints of each service. */
  ofEndpoints: ReadonlyMap<string, Combine>;
  /** By name. */
  functions: readonly ServiceFunction[];
  ofFunctions: Combine;
  /** Seconds of the day, after 00:00:00, at which a recomputation begins or ends, in order. */
  boundaries: readonly number[];
}>;

const ignoredSources = ({ day, recomputations }: Plan): PreparedPlan['isIgnored'] => {
  const ignored = new Map<string, SecondsRange[]>();
  for (const { host, start_time, end_time } of recomputations.flatMap((one) => one.exclude_monitoring_source)) {
    const stretch = rangeAround(day, start_time, end_time);
    if (stretch) getOrInsert(ignored, host, () => []).push(stretch);
  }
  const merged = new Map(Array.from(ignored, ([host, ranges]) => [host, mergedRanges(ranges)]));
  return (monitoringHost, second) => {
    const ranges = monitoringHost === undefined ? undefined : merged.get(monitoringHost);
    return ranges !== undefined && isInRanges(ranges, second);
  };
};

const combinations = new WeakMap<OperationsProfile, Map<string, Combine>>();
const thresholdsOf = new WeakMap<Plan['thresholds'], WeakMap<OperationsProfile, Thresholds>>();

/** The operation with this name, built once for all days that share the profile. */
const combinationIn = (operations: OperationsProfile, name: string): Combine => {
  const known = getOrInsert(combinations, operations, () => new Map());
  return getOrInsert(known, name, () => combinationOf(operations, name));
};

/** Parsed once for all days that share both profiles. */
const thresholdsIn = (rules: Plan['thresholds'], operations: OperationsProfile): Thresholds => {
  const known = getOrInsert(thresholdsOf, rules, () => new WeakMap());
  return getOrInsert(known, operations, () => new Thresholds(rules, combinationIn(operations, 'AND')));
};

/** Functions by name. Groups with the same name are one function with all of their services and the first operation (results contract 6). */
const functionsOf = ({
  groups,
}: AggregationProfile): ReadonlyMap<string, Readonly<{ operation: string; services: ReadonlySet<string> }>> => {
  const functions = new Map<string, { operation: string; services: Set<string> }>();
  for (const { name, operation, services } of groups) {
    const known = functions.get(name) ?? { operation, services: new Set<string>() };
    for (const service of services) known.services.add(service.name);
    functions.set(name, known);
  }
  return functions;
};

const prepared = (plan: Plan): PreparedPlan => {
  const { operations, aggregation, recomputations } = plan;
  const combination = (name: string) => combinationIn(operations, name);
  const ofEndpoints = new Map<string, Combine>();
  for (const { name, operation } of aggregation.groups.flatMap((group) => group.services)) {
    if (!ofEndpoints.has(name)) ofEndpoints.set(name, combination(operation));
  }
  return {
    before: dayBefore(plan.day),
    states: new Set(operations.available_states),
    thresholds: thresholdsIn(plan.thresholds, operations),
    overrides: new Overrides(recomputations, operations),
    isIgnored: ignoredSources(plan),
    ofMetrics: combination(aggregation.metric_operation),
    ofEndpoints,
    functions: [...functionsOf(aggregation)]
      .sort(([one], [other]) => byBytes(one, other))
      .map(([name, { operation, services }]) => ({ name, operation: combination(operation), services: [...services].sort(byBytes) })),
    ofFunctions: combination(aggregation.profile_operation),
    boundaries: [...new Set(recomputations.flatMap(({ window }) => [window.from, window.to]))].sort((one, other) => one - other),
  };
};

const known = new WeakMap<Plan, PreparedPlan>();

/** Returns the same object for the same plan. */
export const preparedPlan = (plan: Plan): PreparedPlan => getOrInsert(known, plan, () => prepared(plan));

/** Segments in which the availability of a group counts as unknown (results contract 7, `exclude`), in order. */
export const excludedOf = ({ recomputations, operations }: Plan, group: string): readonly Segment[] => {
  const windows = recomputations.filter(({ exclude, window }) => window.from < window.to && exclude.includes(group));
  return painted(windows.map(({ window }) => ({ ...window, status: operations.defaults.unknown })));
};
