import type { OperationsProfile } from '#domain/status/dated-records/operations-profiles.js';
import type { Figures } from '#domain/status/results/results.js';
import { EXCLUDED, overlay, type Segment, type Timeline } from '#domain/status/results/timeline.js';

type Defaults = OperationsProfile['defaults'];

const PRECISION = 100_000;
/** Value of a figure whose divisor would be zero. */
export const NO_FIGURE = -1;

/** Sums of figures of this size, and their hundredfold, are still numbers. */
const LARGEST = 1e300;

/** `value`, or no figure if it is not a number, or so large that computing with it might not give a number. */
export const asFigure = (value: number): number => (Math.abs(value) < LARGEST ? value : NO_FIGURE);

/** `factor` × `part` / `whole`, computed exactly and rounded half up to 5 decimals. All are integers small enough that no product exceeds 2^53. */
const rounded = (factor: number, part: number, whole: number): number => {
  if (whole <= 0) return NO_FIGURE;
  const doubled = 2 * factor * PRECISION * part + whole;
  return (doubled - (doubled % (2 * whole))) / (2 * whole) / PRECISION;
};

/** Seconds in each status from second `begin` to second `end` (exclusive) of the day. */
export const secondsByStatus = (timeline: Timeline, end: number, begin = 0): ReadonlyMap<string, number> => {
  const seconds = new Map<string, number>();
  timeline.forEach(({ at, status }, index) => {
    const length = Math.min(end, timeline[index + 1]?.at ?? end) - Math.max(begin, at);
    if (length > 0) seconds.set(status, (seconds.get(status) ?? 0) + length);
  });
  return seconds;
};

/** Seconds up, down and unknown from second `from` to second `to` (exclusive) of the day (results contract 8). A state may count as several. */
export const measuredIn = (
  timeline: Timeline,
  { from, to }: Readonly<{ from: number; to: number }>,
  defaults: Defaults,
): Readonly<{ up: number; down: number; unknown: number }> => {
  const seconds = secondsByStatus(timeline, to, from);
  const sum = (...statuses: readonly string[]) => [...new Set(statuses)].reduce((all, status) => all + (seconds.get(status) ?? 0), 0);
  return { up: sum('OK', 'WARNING'), down: sum(defaults.down), unknown: sum(defaults.unknown, defaults.missing, EXCLUDED) };
};

/**
 * The figures of a day (results contract 8). `elapsed`: elapsed seconds of the day, counted as at least one. `exclude`: counts as unknown, in order
 * and without overlap.
 */
export const figuresOf = (timeline: Timeline, elapsed: number, defaults: Defaults, exclude: readonly Segment[] = []): Figures => {
  const total = Math.max(1, elapsed);
  const { up, down, unknown } = measuredIn(overlay(timeline, exclude), { from: 0, to: total }, defaults);
  return {
    availability: rounded(100, up, total - unknown),
    reliability: rounded(100, up, total - unknown - down),
    unknown: rounded(1, unknown, total),
    uptime: rounded(1, up, total),
    downtime: rounded(1, down, total),
  };
};
