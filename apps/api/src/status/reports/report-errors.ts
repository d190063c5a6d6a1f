import * as errors from '#api/status/errors.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';

/** What calls about a report that does not exist say. */
export const unknownReport = (name: string): string => `The report with the name ${name} does not exist`;

/** The report of that name. @param unknown the error where there is none: its form differs from call to call */
export const reportNamed = async (
  results: Results,
  tenantId: string,
  name: string,
  unknown: (code: number, message: string) => errors.StatusError,
): Promise<ReportReader> => {
  const report = await results.report(tenantId, name);
  if (!report) throw unknown(404, unknownReport(name));
  return report;
};

/** The report of that name, whose endpoint groups must be of that type. @throws StatusError `EMSG404` (status contract 14) */
export const withGroups = <Report extends Readonly<{ types: readonly string[] }>>(
  report: Report | undefined,
  name: string,
  groupType: string,
): Report => {
  if (!report) throw errors.messageOnly(404, unknownReport(name));
  if (report.types.at(-1) === groupType) return report;
  throw errors.messageOnly(404, `The report ${name} does not define endpoint group type: ${groupType}`);
};
