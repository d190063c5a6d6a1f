import * as errors from '#api/status/errors.js';
import type { ReportDocument } from '#projections/status/reports/queries.js';

/** What calls about a report that does not exist say. */
export const unknownReport = (name: string): string => `The report with the name ${name} does not exist`;

/** The id of the report of that name, whose endpoint groups must be of that type. @throws StatusError `EMSG404` (status contract 14) */
export const idWithGroups = (report: Pick<ReportDocument, 'id' | 'types'> | undefined, name: string, groupType: string): string => {
  if (!report) throw errors.messageOnly(404, unknownReport(name));
  if (report.types.at(-1) === groupType) return report.id;
  throw errors.messageOnly(404, `The report ${name} does not define endpoint group type: ${groupType}`);
};
