import { type Day, dayBefore, dayOf, zuluSecond } from '#domain/shared/time.js';
import type { DayWindow } from './plan.js';
import { DAY_SECONDS } from './timeline.js';

/** Seconds since 00:00:00 of an instant `YYYY-MM-DDTHH:MM:SSZ`. */
const secondOfDay = (instant: string): number =>
  Number(instant.slice(11, 13)) * 3600 + Number(instant.slice(14, 16)) * 60 + Number(instant.slice(17, 19));

/** `HH:MM:SS` of a second of the day. */
export const timeOfDay = (second: number): string =>
  [Math.trunc(second / 3600), Math.trunc(second / 60) % 60, second % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** The seconds of a day from `start` up to `end`, whose last unit, so many seconds long, belongs to it. `undefined`: a time cannot be read. */
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
 * The seconds of a day in a downtime: its end counts with 60 seconds from there on, but not beyond midnight (results contract 6). `from` is not below `to`
 * if there are none. `undefined`: a time cannot be read.
 */
export const downtimeOn = (day: Day, start: string, end: string): DayWindow | undefined => windowOn(day, start, end, 60);

/** The same of a recomputation, whose end counts with its second (results contract 7). */
export const recomputationOn = (day: Day, start: string, end: string): DayWindow | undefined => windowOn(day, start, end, 1);

/** Both ends included; in seconds from 00:00:00 of a day on, so that those of the day before are negative. */
export type SecondsRange = Readonly<{ from: number; to: number }>;

/** Points of a monitoring engine that do not exist, on a day and the day before. `undefined`: a time cannot be read. */
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
