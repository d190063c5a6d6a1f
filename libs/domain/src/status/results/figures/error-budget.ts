import type { Day } from '#domain/shared/time.js';
import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { Figures } from '#domain/status/results/results.js';
import { DAY_SECONDS, overlay, type Segment, type Timeline } from '#domain/status/results/timeline.js';
import { measuredIn } from './figures.js';

/** Seconds of a time range, counted as for the figures of a day (results contract 8). */
export type StatusTally = Readonly<{ total: number; up: number; down: number; unknown: number }>;

export type Measure = 'availability' | 'reliability';

/** Usage of the failures that an objective allows. `remaining`: 1 if nothing has failed, 0 if the budget is used up, negative if it is exceeded. */
export type ErrorBudget = Readonly<{ burnRate: number; remaining: number }>;

export const NO_TIME: StatusTally = { total: 0, up: 0, down: 0, unknown: 0 };

export const sumOf = (one: StatusTally, other: StatusTally): StatusTally => ({
  total: one.total + other.total,
  up: one.up + other.up,
  down: one.down + other.down,
  unknown: one.unknown + other.unknown,
});

/** Seconds from `from` to `to` (exclusive) of a day. `exclude`: counts as unknown, in order and without overlap. */
export const tallyOf = (
  timeline: Timeline,
  { from, to }: Readonly<{ from: number; to: number }>,
  defaults: OperationsProfile['defaults'],
  exclude: readonly Segment[] = [],
): StatusTally => ({ total: to - from, ...measuredIn(overlay(timeline, exclude), { from, to }, defaults) });

/** A whole day from its figures. Their five decimals give the exact seconds. */
export const tallyOfDay = ({ uptime, downtime, unknown }: Figures): StatusTally => ({
  total: DAY_SECONDS,
  up: Math.round(uptime * DAY_SECONDS),
  down: Math.round(downtime * DAY_SECONDS),
  unknown: Math.round(unknown * DAY_SECONDS),
});

/**
 * Error budget of a time range. The burn rate is the share of time that failed, divided by the share that may fail: 1 uses up the budget exactly.
 * Downtimes do not count for reliability. An objective of 100 % allows no failures: any failure burns infinitely fast.
 * @param objective in per cent
 * @returns `undefined` if all time is unknown
 */
export const errorBudgetOf = ({ total, up, down, unknown }: StatusTally, measure: Measure, objective: number): ErrorBudget | undefined => {
  const known = total - unknown - (measure === 'reliability' ? down : 0);
  if (known <= 0) return undefined;
  const failed = Math.max(0, known - up) / known;
  if (failed === 0) return { burnRate: 0, remaining: 1 };
  const burnRate = failed / Math.max(0, 1 - objective / 100);
  return { burnRate, remaining: 1 - burnRate };
};

/** The part of a day within the last `length` seconds before `now` (seconds since 1970), in seconds of the day. `undefined` if it is empty. */
export const stretchBefore = (now: number, length: number, day: Day): Readonly<{ from: number; to: number }> | undefined => {
  const midnight = Date.parse(day) / 1000;
  const from = Math.max(0, now - length - midnight);
  const to = Math.min(DAY_SECONDS, now - midnight);
  return from < to ? { from, to } : undefined;
};
