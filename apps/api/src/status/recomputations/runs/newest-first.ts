import { type Day, dayAt, isDay } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

const DAY_MS = 86_400_000;
const [FIRST_DAYS, MOST_DAYS] = [2, 366];

/** Times of a request. */
type RequestedSpan = Readonly<{ start_time: string; end_time: string }>;

/** In milliseconds since 1970; both are starts of days. */
type Range = Readonly<{ first: number; last: number }>;

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));

/** Times with an impossible day cover nothing. */
const rangeOf = ({ start_time, end_time }: RequestedSpan, today: Day): Range | undefined => {
  const [from, to] = [dayPart(start_time), dayPart(end_time)];
  if (!isDay(from) || !isDay(to) || from > to || from > today) return undefined;
  return { first: Date.parse(from), last: Date.parse(to < today ? to : today) };
};

/**
 * The days of some recomputations up to today, in portions, newest first. The first portion is small, as users look at the newest days
 * first. A portion that was quick is followed by a longer one. After portions without results, thousands of years take a few steps.
 */
export class NewestFirst {
  private length = FIRST_DAYS;
  private readonly ranges: readonly Range[];
  /** All days from this one on have been in a portion. */
  private last: number;

  constructor(
    requests: readonly RequestedSpan[],
    private readonly today: Day,
  ) {
    this.ranges = requests.flatMap((request) => rangeOf(request, today) ?? []);
    this.last = this.ranges.reduce((latest, { last }) => Math.max(latest, last), Number.NEGATIVE_INFINITY);
  }

  /** `undefined` if no days are left. With several requests a portion may include days between them. */
  next(): DaySpan | undefined {
    const left = this.ranges.filter(({ first }) => first <= this.last);
    if (left.length === 0) return undefined;
    const to = left.reduce((latest, { last }) => Math.max(latest, Math.min(last, this.last)), Number.NEGATIVE_INFINITY);
    const earliest = left.reduce((least, { first }) => Math.min(least, first), to);
    const from = Math.max(earliest, to - (this.length - 1) * DAY_MS);
    this.last = from - DAY_MS;
    return { from: dayAt(from), to: dayAt(to) };
  }

  /** Reports the last portion: the number of its days with results, and whether the next one may be longer. */
  took(found: number, quick: boolean): void {
    if (found === 0) this.length *= 2;
    else this.length = Math.min(MOST_DAYS, Math.max(1, Math.floor(quick ? this.length * 2 : this.length / 2)));
  }

  /** Returns whether all days of a request have been in a portion. */
  isThrough(request: RequestedSpan): boolean {
    const range = rangeOf(request, this.today);
    return range === undefined || range.first > this.last;
  }
}
