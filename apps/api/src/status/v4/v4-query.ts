import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import { TIMES_OF_EXAMPLE } from '#api/status/queries.js';
import { type Granularity, isGranularity, type Period, wrongGranularity } from '#api/status/results/period-query.js';
import { type Problem, parsingError, type Query } from '#api/status/time-query.js';
import { v3Span } from '#api/status/timelines/v3-span.js';
import { dayAt, dayOf, isDay, zuluSecond } from '#domain/shared/time.js';
import type { DaySpan } from '#projections/status/results/report-reader.js';

const DAY_MS = 86_400_000;

/** @param parameter first word of the details; the message is the same for all parameters */
const badDay = (parameter: string, value: string): Problem => ({
  message: 'date parsing error',
  details: `Error parsing ${parameter} string ${value} please use YYYY-MM-DD format like 2006-01-02`,
});

/** Parameters of days: `start_date` and `end_date`, or with hyphens. */
export type DayNames = Readonly<{ start: string; end: string }>;
const UNDERSCORES: DayNames = { start: 'start_date', end: 'end_date' };
export const HYPHENS: DayNames = { start: 'start-date', end: 'end-date' };

const spanOfDays = (query: Query, { start, end }: DayNames, problems: Problem[]): DaySpan | undefined => {
  const [from, to] = [firstOf(query[start]), firstOf(query[end])];
  if (!from && !to) return undefined;
  const wrong = (details: string) => problems.push({ message: 'date parsing error', details });
  if (!from || !to)
    wrong(`You should speficy both ${start} and ${end}`); // sic
  else {
    if (!isDay(from)) problems.push(badDay(start, from));
    if (!isDay(to)) problems.push(badDay(end, to));
    if (isDay(from) && isDay(to) && from > to) wrong(`${start} should be a date before ${end}`);
  }
  return { from: from ?? '', to: to ?? '' };
};

const spanOfTimes = (query: Query, problems: Problem[]): DaySpan | undefined => {
  const [start, end] = [firstOf(query.start_time), firstOf(query.end_time)];
  if (!start || !end) return undefined;
  const [from, to] = [zuluSecond(start), zuluSecond(end)];
  if (from === undefined) problems.push(parsingError('start_time', start));
  if (to === undefined) problems.push(parsingError('end_time', end));
  if (from !== undefined && to !== undefined && from > to)
    problems.push({ message: 'time parsing error', details: 'start_time should be a timestamp before end_time' });
  return { from: dayOf(from ?? ''), to: dayOf(to ?? '') };
};

const DAYS_OF: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };

/** The last days, today included. */
const spanOfPeriod = (query: Query, now: number, problems: Problem[]): DaySpan | undefined => {
  const period = firstOf(query.period);
  if (!period) return undefined;
  const [, count = '', unit = ''] = /^([1-9]\d{0,2})([dwm])$/.exec(period) ?? [];
  const days = Number(count) * (DAYS_OF[unit] ?? 0);
  if (days === 0)
    problems.push({ message: 'period parsing error', details: `Error parsing period ${period} please use a form like 7d, 2w or 1m` });
  return { from: dayAt(now - (days - 1) * DAY_MS), to: dayAt(now) };
};

/**
 * The period of a call for results of version 4; today by default.
 * @throws StatusError `E400V` with all errors (status contract of 2026, 7), JSON whatever the caller accepts
 */
export const periodOfV4 = (query: Query, now: number, names = UNDERSCORES): Period => {
  const granularity: Granularity | string = firstOf(query.granularity) || 'daily';
  const known = isGranularity(granularity);
  const problems: Problem[] = known ? [] : [wrongGranularity(granularity)];
  const today = { from: dayAt(now), to: dayAt(now) };
  const date = firstOf(query.date);
  if (date && !isDay(date)) problems.push(badDay('date', date));
  const span =
    spanOfDays(query, names, problems) ??
    (date ? { from: date, to: date } : undefined) ??
    spanOfTimes(query, problems) ??
    spanOfPeriod(query, now, problems) ??
    today;
  if (problems.length > 0) throw errors.asJson(errors.badParameters(problems));
  return { span, granularity: known ? granularity : 'daily' };
};

/** The days of a call for statuses of version 4, `undefined` without both times. @throws StatusError `E400D`, JSON only */
export const statusSpan = (query: Query): DaySpan | undefined => {
  const { start_time, end_time } = query;
  return firstOf(start_time) && firstOf(end_time) ? v3Span({ start_time, end_time }) : undefined;
};

/** Refusals of queries, as examples for OpenAPI. */
export const BAD_GRANULARITY = errors.refusalOf(() => periodOfV4({ granularity: 'weekly' }, 0));
export const BAD_DATE = errors.refusalOf(() => periodOfV4({ date: '2026-02-30' }, 0));
export const BAD_TIME = errors.refusalOf(() => statusSpan({ ...TIMES_OF_EXAMPLE, start_time: 'now' }));
