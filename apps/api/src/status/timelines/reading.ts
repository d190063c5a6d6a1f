import { firstOf } from '#api/shared/http/request-context.js';
import * as errors from '#api/status/errors.js';
import { unknownReport } from '#api/status/reports/report-errors.js';
import type { Query } from '#api/status/time-query.js';
import { type Day, dayBefore } from '#domain/shared/time.js';
import type { DaySpan, ReportReader, Results } from '#projections/status/results/report-reader.js';
import { Collected, type DayRow } from './collected.js';
import type { AnswerRoom } from './held-answers.js';

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

/** Which days an answer is about, and what it shows of them. */
export type Collection<Of> = Readonly<{
  daysOf: (span: DaySpan) => AsyncIterable<Of>;
  rowsOf: (day: Of) => Iterable<DayRow>;
  /** Whether the days have something. Default: whether there are statuses. */
  isFound?: (collected: Collected) => boolean;
}>;

/**
 * What was collected of a span of days; if nothing was found, of the day before it (results contract 12.3). Nothing at all for a report that
 * computes no statuses.
 */
export const collectedOrEarlier = async <Of extends Readonly<{ day: Day }>>(
  { computations }: Pick<ReportReader, 'computations'>,
  { from, to }: DaySpan,
  room: AnswerRoom,
  { daysOf, rowsOf, isFound = ({ count }) => count > 0 }: Collection<Of>,
): Promise<Collected> => {
  const collected = new Collected(room);
  if (!computations.status) return collected;
  await collected.take(daysOf({ from, to }), rowsOf);
  if (isFound(collected) || from === FIRST_DAY) return collected;
  const earlier = dayBefore(from);
  if (earlier <= to) await collected.take(daysOf({ from: earlier, to: earlier }), rowsOf);
  return collected;
};
