import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import { NO_TIME_SPAN, type Problem, parsingError, type Query, spanOf, timesIn } from '#api/status/time-query.js';
import { dayOf, zuluSecond } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

/** Grouping of days: by day, by calendar month, or all days of the call together. */
export type Granularity = 'daily' | 'monthly' | 'custom';

/** The days of a call, and their grouping. */
export type Period = Readonly<{ span: DaySpan; granularity: Granularity }>;

const GRANULARITIES: readonly string[] = ['daily', 'monthly', 'custom'] satisfies readonly Granularity[];

export const isGranularity = (text: string): text is Granularity => GRANULARITIES.includes(text);

export const wrongGranularity = (value: string): Problem => ({
  message: 'Wrong Granularity',
  details: `${value} is not accepted as granularity parameter, please provide either daily, monthly or custom`,
});

/** The period of a v2 call. @throws StatusError `E400V` with all errors (results contract 12.1) */
export const periodOf = (query: Query): Period => {
  const granularity = firstOf(query.granularity) ?? 'daily';
  const known = isGranularity(granularity);
  const span = spanOf(timesIn(query), [], known ? [] : [wrongGranularity(granularity)]);
  return { span, granularity: known ? granularity : 'daily' };
};

/** The days between two given times. Adds errors to `problems`, the start first. */
const givenSpan = (start: string, end: string, problems: Problem[]): DaySpan => {
  const [from, to] = [zuluSecond(start), zuluSecond(end)];
  if (from === undefined) problems.push(parsingError('start_time', start));
  if (to === undefined) problems.push(parsingError('end_time', end));
  return { from: dayOf(from ?? ''), to: dayOf(to ?? '') };
};

/**
 * The period of a v3 call; `byDefault`: its days if it gives neither time. An empty parameter counts as absent.
 * @throws StatusError `E400V` with all errors (results contract 12.5), JSON whatever the caller accepts
 */
export const periodOfV3 = (query: Query, byDefault?: DaySpan): Period => {
  const granularity = (firstOf(query.granularity) || 'daily').toLowerCase();
  const known = isGranularity(granularity);
  const problems = known ? [] : [wrongGranularity(granularity)];
  const [start, end] = [firstOf(query.start_time), firstOf(query.end_time)];
  const span = start && end ? givenSpan(start, end, problems) : !start && !end && byDefault;
  if (!span) problems.push(NO_TIME_SPAN);
  if (!span || problems.length > 0) throw errors.asJson(errors.badParameters(problems));
  return { span, granularity: known ? granularity : 'daily' };
};
