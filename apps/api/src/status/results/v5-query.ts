import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import { type Problem, parsingError, type Query } from '#api/status/time-query.js';
import { type Day, dayOf, zuluSecond } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';
import { isGranularity, type Period } from './period-query.js';

const NO_TIMES: Problem = {
  message: 'No time span set',
  details: 'Please use start-time and/or end-time url parameters to set the prefered time span',
};

const dayIn = (query: Query, name: string, problems: Problem[]): Day | undefined => {
  const given = firstOf(query[name]);
  if (!given) return undefined;
  const second = zuluSecond(given);
  if (second === undefined) problems.push(parsingError(name, given));
  return dayOf(second ?? '');
};

/** The days of `start-time` and `end-time`, or that of the given one; `undefined` without both. Adds errors to `problems`. */
const spanIn = (query: Query, problems: Problem[]): DaySpan | undefined => {
  const [start, end] = [dayIn(query, 'start-time', problems), dayIn(query, 'end-time', problems)];
  const [from, to] = [start ?? end, end ?? start];
  return from === undefined || to === undefined ? undefined : { from, to };
};

/** @throws StatusError `E400V` with all errors (status contract of 2026, 9), JSON whatever the caller accepts */
export const periodOfV5 = (query: Query): Period => {
  const granularity = firstOf(query.granularity) || 'daily';
  const known = isGranularity(granularity);
  const problems: Problem[] = [];
  const span = spanIn(query, problems);
  if (!span) problems.push(NO_TIMES);
  const details = `${granularity} is not acceptesd as granularity parameter, please provide either daily, monthly or custom`; // sic
  if (!known) problems.push({ message: 'Wrong Granularity', details });
  if (!span || !known || problems.length > 0) throw errors.asJson(errors.badParameters(problems));
  return { span, granularity };
};

/** The days of a call for statuses; `undefined` without times. @throws StatusError `E400V` */
export const spanOfV5 = (query: Query): DaySpan | undefined => {
  const problems: Problem[] = [];
  const span = spanIn(query, problems);
  if (problems.length > 0) throw errors.asJson(errors.badParameters(problems));
  return span;
};
