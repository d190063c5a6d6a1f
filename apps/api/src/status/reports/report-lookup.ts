import * as errors from '#api/status/errors.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { type ReportDocument, reportCollections, reportNameKey } from '#projections/status/reports/reports.js';

/** The tenant's report of that name; nothing when there is none. `view`: of the reports' projection. */
export const findReport = async (view: ReadView, tenantId: string, name: string): Promise<ReportDocument | undefined> => {
  const bytes = await view.get(reportCollections.byName, reportNameKey(tenantId, name));
  return bytes ? (JSON.parse(bytes.toString('utf8')) as ReportDocument) : undefined;
};

/** What calls about a report that does not exist say. */
export const unknownReport = (name: string): string => `The report with the name ${name} does not exist`;

/** The id of the report, whose endpoint groups must be of that type. @throws StatusError `EMSG404` (status contract 14) */
export const reportWithGroups = async (view: ReadView, tenantId: string, name: string, groupType: string): Promise<string> => {
  const report = await findReport(view, tenantId, name);
  if (!report) throw errors.messageOnly(404, unknownReport(name));
  if (report.types.at(-1) === groupType) return report.id;
  throw errors.messageOnly(404, `The report ${name} does not define endpoint group type: ${groupType}`);
};
