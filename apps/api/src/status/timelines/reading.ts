import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import type { Query } from '#api/status/time-query.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { Collected, type DayRow } from './collected.js';

/** @throws StatusError `EMSG404` for an unknown report */
export const reportNamed = async (results: Results, tenantId: string, name: string): Promise<ReportReader> => {
  const report = await results.report(tenantId, name);
  if (!report) throw errors.messageOnly(404, unknownReport(name));
  return report;
};

/** Seconds since 1970 at the moment of the report. */
export const nowOf = ({ now }: ReportReader): number => Math.floor(now / 1_000);

/** `view=details` */
export const wantsDetails = (query: Query): boolean => firstOf(query.view) === 'details';

/** No day is before this one in four digits of a year. */
const FIRST_DAY: Day = '0000-01-01';

/**
 * What was collected of a span of days; if nothing was found, of the day before it (results contract 12.3). Nothing at all for a report that
 * computes no statuses. `isFound`: default whether anything was collected.
 */
export const collectedOrEarlier = async <Of extends Readonly<{ day: Day }>>(
  { computations }: ReportReader,
  { from, to }: DaySpan,
  daysOf: (span: DaySpan) => AsyncIterable<Of>,
  rowsOf: (day: Of) => Iterable<DayRow>,
  isFound = (collected: Collected): boolean => collected.count > 0,
): Promise<Collected> => {
  if (!computations.status) return new Collected();
  const collected = await Collected.of(daysOf({ from, to }), rowsOf);
  if (isFound(collected) || from === FIRST_DAY) return collected;
  const earlier = dayBefore(from);
  return to < earlier ? collected : Collected.of(daysOf({ from: earlier, to: earlier }), rowsOf);
};
