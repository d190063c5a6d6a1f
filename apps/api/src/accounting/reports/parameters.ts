import { required } from '#api/accounting/bodies.js';
import * as errors from '#api/accounting/errors.js';
import { type AccountingCall, callOf } from '#api/accounting/parameters.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { parameter } from '#api/shared/http/parameters.js';
import { requiredParameter } from '#api/shared/openapi/described.js';
import { type Instant, midnight } from '#domain/accounting/metrics/instants.js';
import { isDay } from '#domain/shared/time.js';

/** The parameters of a report. */
export const RANGE = {
  end: requiredParameter('day', 'yyyy-MM-dd; the range ends where this day begins', '2024-04-01'),
  start: requiredParameter('day', 'yyyy-MM-dd', '2024-03-01'),
};

export const CSV = 'text/csv';
export const REPORT_TYPES = ['application/json', CSV];

/** The range of a report: from the start of one day to the start of another (accounting contract 6.2). */
type ReportRange = Readonly<{ from: Instant; to: Instant }>;

const instantIn = (day: string | undefined, name: string): Instant => {
  const given = required(day, name);
  if (!isDay(given)) throw errors.badDate();
  return midnight(given);
};

/**
 * Reads the range of the query. It is a function, because other checks may take precedence.
 * @param order whether the order of the days is checked; default `checked`
 * @throws AccountingError 400
 */
type RangeOfCall = (order?: 'checked' | 'any') => ReportRange;

export type ReportCall = Omit<AccountingCall, 'given'> &
  Readonly<{
    rangeOf: RangeOfCall;
    /** Set if the caller prefers CSV. */
    csv: boolean;
  }>;

export const CallForReport = parameter((request): ReportCall => {
  const call = callOf(request);
  return {
    ...call,
    rangeOf: (order = 'checked') => {
      const [from, to] = [instantIn(call.queryText('start'), 'start'), instantIn(call.queryText('end'), 'end')];
      if (order === 'checked' && from > to) throw errors.badReportRange();
      return { from, to };
    },
    csv: acceptedType(request.headers.accept, REPORT_TYPES) === CSV,
  };
});
