import type { Day } from '#domain/shared/time.js';
import type { AggregationProfile } from '#domain/status/dated-records/aggregation-profiles.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { ThresholdRule } from '#domain/status/dated-records/thresholds-profiles.js';
import type { Exclusions } from '#domain/status/recomputations/recomputations.js';

/** Seconds of the day. `to` is exclusive. The window is clipped to the day (results contract 6). */
export type DayWindow = Readonly<{ from: number; to: number }>;

/** An endpoint that counts in a group, with its expected metrics in ascending order. `info`: its `info_…` tags, absent if there are none. */
export type PlannedEndpoint = Readonly<{
  service: string;
  host: string;
  metrics: readonly string[];
  info?: Readonly<Record<string, string>>;
}>;

/** An endpoint group with expected items. `endpoints`: ordered by service, then host, without repetitions. */
export type PlannedGroup = Readonly<{ name: string; endpoints: readonly PlannedEndpoint[] }>;

/** A recomputation in force for the report and the day (results contract 7). */
export type PlannedRecomputation = Readonly<{
  id: string;
  /** Clipped to this day. */
  window: DayWindow;
  /** Names of endpoint groups. */
  exclude: readonly string[];
}> &
  Exclusions;

/**
 * All inputs of a report's results on a day except points (results contract 1): the current report, profiles, topology, downtimes and weights of the
 * day, and the recomputations in force. It exists only for computable days. Names are in plain string order throughout.
 */
export type Plan = Readonly<{
  /** Id of the report. Points of another report do not count. */
  report: string;
  day: Day;
  operations: OperationsProfile;
  aggregation: AggregationProfile;
  /** Empty without a thresholds profile. */
  thresholds: readonly ThresholdRule[];
  /** By name, in order. Groups without expected items are absent. */
  groups: ReadonlyMap<string, PlannedGroup>;
  /** Names of groups of groups, in order, each with the names of its endpoint groups in `groups`, in order. Groups without any are absent. */
  supergroups: ReadonlyMap<string, readonly string[]>;
  /** Windows by {@link endpointKey}. */
  downtimes: ReadonlyMap<string, readonly DayWindow[]>;
  /** By endpoint group. Absent = 0. */
  weights: ReadonlyMap<string, number>;
  /** In order of creation. */
  recomputations: readonly PlannedRecomputation[];
}>;

/** Key of an endpoint independent of groups. */
export const endpointKey = (service: string, host: string): string => JSON.stringify([service, host]);

/** Names in a point that decide where it counts. Members are absent if they were not given. Many points share one object. */
export type PointOrigin = Readonly<{ report?: string; group?: string; monitoringHost?: string }>;

/**
 * A point of a metric as received (results contract 1). `at`: seconds since 00:00:00 of its day. `position`: of its event in the log; `index`: its
 * index there. `actualData`: absent if it was not given.
 */
export type MetricPoint = Readonly<{
  at: number;
  status: string;
  position: number;
  index: number;
  origin: PointOrigin;
  actualData?: string;
}>;

/** The points of an endpoint on one day by metric, in order of time, then of the log. */
export type EndpointPoints = ReadonlyMap<string, readonly MetricPoint[]>;
