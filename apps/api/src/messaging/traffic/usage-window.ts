import * as errors from '#api/messaging/errors.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { type Day, dayOf, isDay } from '#domain/shared/time.js';

/** First and last day of a report, both included, and the number of days. */
export type UsageWindow = Readonly<{ first: Day; last: Day; days: number }>;

const FIRST_DAY = '1970-01-01';
const DAY_MS = 86_400_000;

/** Requested window of a query; by default everything up to the day of `now` (milliseconds since 1970). @throws MessagingError B28 */
export const windowOf = (query: Readonly<Record<string, unknown>>, now: number): UsageWindow => {
  const first = firstOf(query.start_date) || FIRST_DAY;
  const last = firstOf(query.end_date) || dayOf(new Date(now).toISOString());
  if (!isDay(first)) throw errors.invalidStartDate();
  if (!isDay(last)) throw errors.invalidEndDate();
  if (first > last) throw errors.startAfterEnd();
  return { first, last, days: Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1 };
};

/** Names in `projects`, without duplicates; `undefined` for all projects. */
export const projectsOf = (query: Readonly<Record<string, unknown>>): readonly string[] | undefined => {
  const given = firstOf(query.projects);
  return given ? [...new Set(given.split(','))] : undefined;
};
