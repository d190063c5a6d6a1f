import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import type { Query } from '#api/status/time-query.js';
import { dayOf, zuluSecond } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

const timeIn = (query: Query, parameter: 'start_time' | 'end_time'): string => {
  const given = firstOf(query[parameter]) ?? '';
  const second = zuluSecond(given);
  if (second !== undefined) return second;
  throw errors.asJson(errors.badRequest(`Error parsing ${parameter}=${given} - please use zulu format like 2006-01-02T15:04:05Z`));
};

/**
 * The days of a call to `/api/v3/status`; `undefined` without times, which may be empty.
 * @throws StatusError `E400D`, JSON only (results contract 12.5)
 */
export const v3Span = (query: Query): DaySpan | undefined => {
  if (!firstOf(query.start_time) && !firstOf(query.end_time)) return undefined;
  const span = { from: dayOf(timeIn(query, 'start_time')), to: dayOf(timeIn(query, 'end_time')) };
  if (firstOf(query.view) !== 'latest') return span;
  throw errors.asJson(errors.badRequest('Parameter view=latest should not be used when specifing start_time and end_time period'));
};
