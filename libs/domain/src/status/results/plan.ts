import type { Day } from '#domain/shared/time.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ThresholdRule } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Exclusions } from '#domain/status/recomputations/recomputations.js';

/** Seconds of the day, `from` included, `to` not; already clipped to the day (results contract 6). */
export type DayWindow = Readonly<{ from: number; to: number }>;

/** An endpoint that counts in a group, with the metrics expected of it, ascending. `info`: its tags `info_…`, absent without any. */
export type PlannedEndpoint = Readonly<{
  service: string;
  host: string;
  metrics: readonly string[];
  info?: Readonly<Record<string, string>>;
}>;

/** An endpoint group with something expected; `endpoints` by service, then host, each once. */
export type PlannedGroup = Readonly<{ name: string; endpoints: readonly PlannedEndpoint[] }>;

/** A recomputation in force for the report and the day (results contract 7). */
export type PlannedRecomputation = Readonly<{
  id: string;
  /** On this day. */
  window: DayWindow;
  /** Names of endpoint groups. */
  exclude: readonly string[];
}> &
  Exclusions;

/**
 * Everything but points that the results of a report on a day are made of (results contract 1): the report as it is now, profiles, topology,
 * downtimes and weights of the day, recomputations in force. Only of computable days. Names are in plain string order throughout.
 */
export type Plan = Readonly<{
  /** Id of the report: points that name another one do not count. */
  report: string;
  day: Day;
  operations: OperationsProfile;
  aggregation: AggregationProfile;
  /** Empty without a thresholds profile. */
  thresholds: readonly ThresholdRule[];
  /** By name, in order. A group without expected items is not there. */
  groups: ReadonlyMap<string, PlannedGroup>;
  /** Names of groups of groups, in order, each with the names of its endpoint groups that are in `groups`, in order. Without any: not there. */
  supergroups: ReadonlyMap<string, readonly string[]>;
  /** Windows by {@link endpointKey}. */
  downtimes: ReadonlyMap<string, readonly DayWindow[]>;
  /** By endpoint group; absent = 0. */
  weights: ReadonlyMap<string, number>;
  /** In the order of their creation. */
  recomputations: readonly PlannedRecomputation[];
}>;

/** Key of an endpoint wherever groups do not matter. */
export const endpointKey = (service: string, host: string): string => JSON.stringify([service, host]);

/**
 * A point of a metric as it came (results contract 1). `at`: seconds since 00:00:00 of its day. `sequence`: its place in the log; texts of equal
 * length that sort as the log does. What is absent was not given.
 */
export type MetricPoint = Readonly<{
  at: number;
  status: string;
  sequence: string;
  report?: string;
  group?: string;
  monitoringHost?: string;
  actualData?: string;
}>;

/** The points of an endpoint on one day by metric, in order of time, then of the log. */
export type EndpointPoints = ReadonlyMap<string, readonly MetricPoint[]>;
