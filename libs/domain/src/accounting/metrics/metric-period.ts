import { DomainError } from '#domain/shared/decider.js';
import { type Instant, parsedInstant } from './instants.js';

/** Time span of the measured usage. The start is before the end. */
type Period = Readonly<{ start: Instant; end: Instant }>;
/** The two timestamps as sent by the caller. `null`: not sent. */
export type GivenPeriod = Readonly<{ start: string | null; end: string | null }>;

const FIELDS = { start: 'time_period_start', end: 'time_period_end' } as const;
type Bound = keyof typeof FIELDS;

const missing = (bound: Bound): never => {
  throw new DomainError('METRIC_TIMESTAMP_MISSING', { field: FIELDS[bound] });
};

const read = (value: string, bound: Bound): Instant => {
  const instant = parsedInstant(value);
  if (instant === undefined) throw new DomainError('METRIC_TIMESTAMP_MALFORMED', { field: FIELDS[bound], value });
  return instant;
};

const refuse = (broken: boolean, code: string): void => {
  if (broken) throw new DomainError(code);
};

/**
 * The period of a new metric at the instant `now` (accounting contract 3.4). Rejects, in this order, with `METRIC_TIMESTAMP_MISSING`,
 * `METRIC_TIMESTAMP_MALFORMED`, `METRIC_PERIOD_IN_FUTURE`, `METRIC_PERIOD_EMPTY` or `METRIC_PERIOD_REVERSED`.
 */
export const newPeriod = (given: GivenPeriod, now: Instant): Period => {
  const [startText, endText] = [given.start ?? missing('start'), given.end ?? missing('end')];
  const [start, end] = [read(startText, 'start'), read(endText, 'end')];
  refuse(start > now || end > now, 'METRIC_PERIOD_IN_FUTURE');
  refuse(start === end, 'METRIC_PERIOD_EMPTY');
  refuse(start > end, 'METRIC_PERIOD_REVERSED');
  return { start, end };
};

/**
 * The period of a metric after an update. An absent or empty timestamp leaves the bound unchanged. Rejects like {@link newPeriod} and with
 * `METRIC_END_BEFORE_START`, in the order of the contract for updates.
 */
export const revisedPeriod = (before: Period, given: GivenPeriod, now: Instant): Period => {
  const start = given.start ? read(given.start, 'start') : undefined;
  const end = given.end ? read(given.end, 'end') : undefined;
  const after = { start: start ?? before.start, end: end ?? before.end };
  const [reversed, empty] = [after.start > after.end, after.start === after.end];
  const both = start !== undefined && end !== undefined;
  refuse(reversed, start === undefined ? 'METRIC_END_BEFORE_START' : 'METRIC_PERIOD_REVERSED');
  refuse(both && empty, 'METRIC_PERIOD_EMPTY');
  refuse((start ?? '') > now || (end ?? '') > now, 'METRIC_PERIOD_IN_FUTURE');
  refuse(empty, 'METRIC_PERIOD_EMPTY');
  return after;
};
