import { type Day, dayAt, isDay } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

const DAY_MS = 86_400_000;
const [FIRST_DAYS, MOST_DAYS] = [2, 366];

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));

/**
 * The days of a recomputation up to today, in portions, the newest first. The first portion is small, as the newest days are the ones that people look
 * at; a portion that took little time is followed by a longer one, and after portions without any results thousands of years take a few steps.
 */
export class NewestFirst {
  private length = FIRST_DAYS;
  private readonly first: number;
  private last: number;

  /** Times of the request: those of which the day does not exist cover nothing. */
  constructor(request: Readonly<{ start_time: string; end_time: string }>, today: Day) {
    const [from, to] = [dayPart(request.start_time), dayPart(request.end_time)];
    const covers = isDay(from) && isDay(to);
    this.first = covers ? Date.parse(from) : 0;
    this.last = covers ? Date.parse(to < today ? to : today) : -1;
  }

  /** `undefined`: there are no more days. */
  next(): DaySpan | undefined {
    if (this.last < this.first) return undefined;
    const from = Math.max(this.first, this.last - (this.length - 1) * DAY_MS);
    const portion = { from: dayAt(from), to: dayAt(this.last) };
    this.last = from - DAY_MS;
    return portion;
  }

  /** How it went with the portion: how many of its days had results, and whether the next one may be longer. */
  took(found: number, quick: boolean): void {
    if (found === 0) this.length *= 2;
    else this.length = Math.min(MOST_DAYS, Math.max(1, Math.floor(quick ? this.length * 2 : this.length / 2)));
  }
}
