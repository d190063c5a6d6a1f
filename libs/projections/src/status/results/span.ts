import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import type { DaySpan } from './report-reader.js';

const DAY_MS = 86_400_000;

export const later = (one: Day, other: Day): Day => (one < other ? other : one);
export const earlier = (one: Day, other: Day): Day => (one < other ? one : other);

export const daysOf = ({ from, to }: DaySpan): readonly Day[] => {
  const days: Day[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(dayAt(at));
  return days;
};

/** Number of days in a span. 0 if it ends before it begins. */
export const lengthOf = ({ from, to }: DaySpan): number => Math.max(0, (Date.parse(to) - Date.parse(from)) / DAY_MS + 1);

/** The first day of the next month, for years of four digits. */
const nextMonth = (day: Day): Day => `${dayAt(Date.parse(`${day.slice(0, 8)}01`) + 31 * DAY_MS).slice(0, 8)}01`;

export const monthOf = (day: Day): DaySpan => ({ from: `${day.slice(0, 8)}01`, to: dayBefore(nextMonth(day)) });

/** A span split at the beginnings of months, in order, because configuration is looked up by month. */
export function* monthsOf({ from, to }: DaySpan): Generator<DaySpan> {
  for (let first = from; from <= first && first <= to; first = nextMonth(first)) {
    const last = monthOf(first).to;
    yield { from: first, to: last < to ? last : to };
  }
}
