import { firstOf } from '#api/shared/http/request-context.js';
import type { Clock } from '#domain/shared/clock.js';
import { type Day, dayOf, isDay } from '#domain/shared/time.js';
import * as errors from './errors.js';

/** The query parameter as OpenAPI describes it. */
export const DATE_QUERY = { name: 'date', required: false, description: 'UTC day, YYYY-MM-DD; default today' };

const DAY_MS = 86_400_000;

/** The day that {@link today} found last: making its text costs as much as looking up a document. */
let latest: Readonly<{ number: number; day: Day }> = { number: Number.NaN, day: '' };

/** Today in UTC. */
export const today = (clock: Clock): Day => {
  const number = Math.floor(clock() / DAY_MS);
  if (number !== latest.number) latest = { number, day: dayOf(new Date(number * DAY_MS).toISOString()) };
  return latest.day;
};

/** The day that a call is about, today when it does not say. @throws StatusError `E400D` */
export const dayIn = (query: Readonly<{ date?: unknown }>, clock: Clock): Day => {
  const given = firstOf(query.date);
  if (!given) return today(clock);
  if (!isDay(given)) throw errors.badDate(given);
  return given;
};
