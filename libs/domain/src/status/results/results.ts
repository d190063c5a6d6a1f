import type { Day } from '#domain/shared/time.js';
import type { Timeline } from './timeline.js';

/** `availability`, `reliability`: per cent, -1 if the divisor is zero. Others: fractions of the day. Rounded to 5 decimals (results contract 8). */
export type Figures = Readonly<{ availability: number; reliability: number; unknown: number; uptime: number; downtime: number }>;

/** Members of every level. `flagged`: a threshold rule was applied to one of its inputs that day. */
type Row = Readonly<{ timeline: Timeline; flagged: boolean; figures: Figures }>;

/**
 * `flapping`: status changes of a metric within the day. `events`: by status, listed points and the one that is carried over from the day before
 * (results contract 12.7).
 */
export type MetricCounts = Readonly<{ metric: string; flapping: number; events: Readonly<Record<string, number>> }>;

/** `metrics`: ordered by name. */
export type EndpointDay = Row & Readonly<{ host: string; info?: Readonly<Record<string, string>>; metrics: readonly MetricCounts[] }>;

/** `endpoints`: ordered by host. */
export type ServiceDay = Row & Readonly<{ service: string; endpoints: readonly EndpointDay[] }>;

/** A function of the aggregation profile with the names of its services, in order. */
export type FunctionDay = Readonly<{ name: string; services: readonly string[]; timeline: Timeline }>;

/** `timeline`: without the time that recomputations `exclude`. `figures`: with it as unknown. */
export type GroupSummary = Row & Readonly<{ name: string }>;

/** `services`: ordered by name. */
export type GroupDay = GroupSummary & Readonly<{ services: readonly ServiceDay[] }>;

/** A listed point (results contract 3). `at`: seconds of the day. Threshold members are present only if a rule was applied. */
export type ListedPoint = Readonly<{
  at: number;
  status: string;
  actualData?: string;
  originalStatus?: string;
  thresholdRule?: string;
}>;

/** `previous`: the previous state of the day (results contract 3), its instant as `YYYY-MM-DDTHH:MM:SSZ`. */
export type MetricDay = Readonly<{
  metric: string;
  previous: Readonly<{ timestamp: string; status: string }>;
  points: readonly ListedPoint[];
}>;

/** A group of groups: availability and reliability of a day, weighted over its endpoint groups, -1 without any (results contract 9). */
export type SupergroupDay = Readonly<{ name: string; groups: readonly string[]; availability: number; reliability: number }>;

/** The results of a report on a day. `seconds`: number of seconds of the day that count, 86,400 or those that have passed today, at least 1. */
export type ResultsDay<Group extends GroupSummary = GroupSummary> = Readonly<{
  day: Day;
  seconds: number;
  /** Ordered by name. */
  groups: readonly Group[];
  /** Ordered by name. */
  supergroups: readonly SupergroupDay[];
}>;
