import type { Day } from '#domain/shared/time.js';
import type { DaySpan } from './report-reader.js';

const DAY_MS = 86_400_000;

/** The day of an instant in milliseconds since 1970. */
export const dayAt = (milliseconds: number): Day => new Date(milliseconds).toISOString().slice(0, 10);

/** The days of a span, in order. */
export const daysOf = ({ from, to }: DaySpan): readonly Day[] => {
  const days: Day[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) days.push(dayAt(at));
  return days;
};

/** A span cut at the beginnings of months, in order: configuration is looked up for a month at a time. */
export function* monthsOf({ from, to }: DaySpan): Generator<DaySpan> {
  let first = from;
  while (first <= to) {
    const [year = 0, month = 0] = first.split('-').map(Number);
    const last = dayAt(Date.UTC(year, month, 1) - DAY_MS);
    yield { from: first, to: last < to ? last : to };
    first = dayAt(Date.UTC(year, month, 1));
  }
}
