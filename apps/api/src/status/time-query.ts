import { firstOf } from '#api/shared/http/request-context.js';
import { type Day, dayOf, zuluSecond } from '#domain/shared/time.js';
import * as errors from './errors.js';
import { TIMES_OF_EXAMPLE } from './queries.js';

/** Unparsed query parameters. */
export type Query = Readonly<Record<string, unknown>>;

/** An item of `E400V`. */
export type Problem = Readonly<{ message: string; details: string }>;

const FORM = 'zulu format like 2006-01-02T15:04:05Z';
export const parsingError = (parameter: string, value: string): Problem => ({
  message: `${parameter} parsing error`,
  details: `Error parsing date string ${value} please use ${FORM}`,
});

const EXECUTION_TIME_NOT_SET: Problem = {
  message: 'exec_time not set',
  details: 'Please use exec_time url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the exact probe execution time',
};

/** The second at which a probe was executed. @throws StatusError `E400V` (status contract 13.2) */
export const executionTime = (query: Query): string => {
  const given = firstOf(query.exec_time);
  if (given === undefined) throw errors.badParameters([EXECUTION_TIME_NOT_SET]);
  const second = zuluSecond(given);
  if (second === undefined) throw errors.badParameters([parsingError('exec_time', given)]);
  return second;
};

const GRANULARITY: Problem = {
  message: 'Granularity parameter should not be used in status results',
  details: 'Granularity parameter is valid only for a/r result requests, not for status results',
};
export const NO_TIME_SPAN: Problem = {
  message: 'No time span set',
  details: 'Please use start_time and end_time url parameters to set the prefered time span',
};
const notSet = (parameter: 'start_time' | 'end_time', meaning: string): Problem => ({
  message: `${parameter} not set`,
  details: `Please use ${parameter} url parameter in zulu format (like 2006-01-02T15:04:05Z) to indicate the query ${meaning} time`,
});

/** The days of `start_time` and `end_time`, and their errors, the end first (results contract 12.1). */
type Times = Readonly<{ from: Day | undefined; to: Day | undefined; problems: readonly Problem[] }>;

const dayIn = (second: string | undefined): Day | undefined => (second === undefined ? undefined : dayOf(second));

export const timesIn = (query: Query): Times => {
  const [start, end] = [firstOf(query.start_time), firstOf(query.end_time)];
  const [from, to] = [zuluSecond(start ?? ''), zuluSecond(end ?? '')];
  const problems: Problem[] = [];
  if (end === undefined) problems.push(start === undefined ? NO_TIME_SPAN : notSet('end_time', 'end'));
  else if (to === undefined) problems.push(parsingError('end_time', end));
  if (start === undefined) problems.push(notSet('start_time', 'start'));
  else if (from === undefined) problems.push(parsingError('start_time', start));
  return { from: dayIn(from), to: dayIn(to), problems };
};

/** The days of a call. @throws StatusError `E400V` with `before`, all errors in the times, then `after` */
export const spanOf = (
  { from, to, problems }: Times,
  before: readonly Problem[],
  after: readonly Problem[] = [],
): Readonly<{ from: Day; to: Day }> => {
  const all = [...before, ...problems, ...after];
  if (all.length > 0 || from === undefined || to === undefined) throw errors.badParameters(all);
  return { from, to };
};

/** First and last day of a status call. @throws StatusError `E400V` with all errors (status contract 14) */
export const timeSpan = (query: Query): Readonly<{ from: Day; to: Day }> =>
  spanOf(timesIn(query), query.granularity === undefined ? [] : [GRANULARITY]);

/** Refusals of times, as examples for OpenAPI. */
export const TIME_REFUSALS = [{ end_time: 'yesterday' }, { ...TIMES_OF_EXAMPLE, granularity: 'daily' }].map((query) =>
  errors.refusalOf(() => timeSpan(query)),
);
