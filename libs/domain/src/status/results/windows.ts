import { type Day, dayBefore, dayOf, secondOfDay, zuluSecond } from '#domain/shared/time.js';
import type { DayWindow } from './plan.js';
import { DAY_SECONDS } from './timeline.js';

/** `HH:MM:SS` of a second of the day. */
export const timeOfDay = (second: number): string =>
  [Math.trunc(second / 3600), Math.trunc(second / 60) % 60, second % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Seconds of a day from `start` to `end`, including the last unit of `unit` seconds. `undefined`: a time is invalid. */
const windowOn = (day: Day, start: string, end: string, unit: number): DayWindow | undefined => {
  const [first, last] = [zuluSecond(start), zuluSecond(end)];
  if (first === undefined || last === undefined) return undefined;
  const clipped = (instant: string, second: number) => {
    if (dayOf(instant) === day) return Math.min(second, DAY_SECONDS);
    return dayOf(instant) < day ? 0 : DAY_SECONDS;
  };
  return { from: clipped(first, secondOfDay(first)), to: clipped(last, secondOfDay(last) + unit) };
};

/**
 * Seconds of a day in a downtime. It includes the 60 seconds from its end on, but does not extend beyond midnight (results contract 6). `from` is not
 * less than `to` if there are none. `undefined`: a time is invalid.
 */
export const downtimeOn = (day: Day, start: string, end: string): DayWindow | undefined => windowOn(day, start, end, 60);

/** Seconds of a day in a recomputation. It includes its last second (results contract 7). */
export const recomputationOn = (day: Day, start: string, end: string): DayWindow | undefined => windowOn(day, start, end, 1);

/** Both ends are inclusive. Seconds from 00:00:00 of a day, so that those of the previous day are negative. */
export type SecondsRange = Readonly<{ from: number; to: number }>;

/** The range in which points of a monitoring engine are ignored, on a day and the previous one. `undefined`: a time is invalid. */
export const rangeAround = (day: Day, start: string, end: string): SecondsRange | undefined => {
  const [first, last] = [zuluSecond(start), zuluSecond(end)];
  if (first === undefined || last === undefined) return undefined;
  const before = dayBefore(day);
  const relative = (instant: string) => {
    if (dayOf(instant) === day) return secondOfDay(instant);
    if (dayOf(instant) === before) return secondOfDay(instant) - DAY_SECONDS;
    return dayOf(instant) < before ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  };
  return { from: relative(first), to: relative(last) };
};

/** Merges ranges that overlap. The result is in order. */
export const mergedRanges = (ranges: readonly SecondsRange[]): readonly SecondsRange[] => {
  const found: SecondsRange[] = [];
  for (const range of ranges.filter(({ from, to }) => from <= to).sort((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last && range.from <= last.to) found[found.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else found.push(range);
  }
  return found;
};

/** Whether a second is in one of the ranges, which are in order and do not overlap. Takes logarithmic time. */
export const isInRanges = (ranges: readonly SecondsRange[], second: number): boolean => {
  let [first, end] = [0, ranges.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (ranges[middle]!.to < second) first = middle + 1;
    else end = middle;
  }
  return first < ranges.length && ranges[first]!.from <= second;
};
