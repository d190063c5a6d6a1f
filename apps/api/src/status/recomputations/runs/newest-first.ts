import { type Day, dayOf, isDay } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

const DAY_MS = 86_400_000;
const [FIRST_DAYS, USUAL_DAYS] = [2, 16];

const dayPart = (time: string): string => time.slice(0, `${time}T`.indexOf('T'));
const dayAt = (milliseconds: number): Day => dayOf(new Date(milliseconds).toISOString());

/**
 * The days of a recomputation up to today, in portions, the newest first. The first portion is small, as the newest days are the ones that people look
 * at; a portion without any results is followed by one of twice its length, so that thousands of years take a few steps.
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

  /** `undefined`: there are no more days. @param found days with results in the portion before, `undefined` at first */
  next(found: number | undefined): DaySpan | undefined {
    if (this.last < this.first) return undefined;
    if (found !== undefined) this.length = found === 0 ? this.length * 2 : USUAL_DAYS;
    const from = Math.max(this.first, this.last - (this.length - 1) * DAY_MS);
    const portion = { from: dayAt(from), to: dayAt(this.last) };
    this.last = from - DAY_MS;
    return portion;
  }
}
