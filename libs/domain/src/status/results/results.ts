import type { Day } from '#domain/shared/time.js';
import type { Timeline } from './timeline.js';

/** Availability and reliability in percent, -1 where there is nothing to divide by; the others as parts of the day. Rounded to 5 decimals (results contract 8). */
export type Figures = Readonly<{ availability: number; reliability: number; unknown: number; uptime: number; downtime: number }>;

/** What every level has. `flagged`: a threshold rule was applied to one of its inputs that day. */
type Row = Readonly<{ timeline: Timeline; flagged: boolean; figures: Figures }>;

/** Changes of the status of a metric inside the day; how often each status was entered, that at the beginning of the day included (results contract 12.7). */
export type MetricCounts = Readonly<{ metric: string; flapping: number; events: Readonly<Record<string, number>> }>;

/** `metrics` in order of their names. */
export type EndpointDay = Row & Readonly<{ host: string; info?: Readonly<Record<string, string>>; metrics: readonly MetricCounts[] }>;

/** `endpoints` by host. */
export type ServiceDay = Row & Readonly<{ service: string; endpoints: readonly EndpointDay[] }>;

/** `timeline` is without, `figures` with what recomputations `exclude`. */
export type GroupSummary = Row & Readonly<{ name: string }>;

/** `services` by name. */
export type GroupDay = GroupSummary & Readonly<{ services: readonly ServiceDay[] }>;

/** A listed point (results contract 3): `at` in seconds of the day; threshold members only where a rule was applied. */
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

/** A group of groups: the availability and reliability of a day weighed over its endpoint groups, -1 without any (results contract 9). */
export type SupergroupDay = Readonly<{ name: string; groups: readonly string[]; availability: number; reliability: number }>;

/** The results of a report on a day. `seconds`: how many of the day count, 86,400 or those of today that have passed, at least 1. */
export type ResultsDay<Group extends GroupSummary = GroupSummary> = Readonly<{
  day: Day;
  seconds: number;
  /** By name. */
  groups: readonly Group[];
  /** By name. */
  supergroups: readonly SupergroupDay[];
}>;
