import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import * as errors from './errors.js';

/** Message about an unknown report. */
const unknownReport = (name: string): string => `The report with the name ${name} does not exist`;

/** A 404 in one of the forms of calls. */
export type NotFound = (code: number, message: string) => errors.StatusError;

/** Refusal of an unknown report, as an example for OpenAPI. */
export const unknownExample = (unknown: NotFound): errors.StatusError => unknown(404, unknownReport('Critical'));

/** Narrows the result of a lookup by name. @param unknown makes the error if there is none: its form differs between calls */
export const existing = <Report>(report: Report | undefined, name: string, unknown: NotFound): Report => {
  if (!report) throw unknown(404, unknownReport(name));
  return report;
};

/** Results of the report of that name. @throws StatusError as {@link existing} */
export const reportNamed = async (results: Results, tenantId: string, name: string, unknown: NotFound): Promise<ReportReader> =>
  existing(await results.report(tenantId, name), name, unknown);

/** The report of that name if its endpoint groups have that type. @throws StatusError `EMSG(404)` (status contract 14) */
export const withGroups = <Report extends Readonly<{ types: readonly string[] }>>(
  report: Report | undefined,
  name: string,
  groupType: string,
): Report => {
  const known = existing(report, name, errors.messageOnly);
  if (known.types.at(-1) === groupType) return known;
  throw errors.messageOnly(404, `The report ${name} does not define endpoint group type: ${groupType}`);
};

/** The same for calls about a part of a report, always JSON. */
export const noSuchReport = (name: string): errors.StatusError => errors.messageInJson(404, `No report with name: ${name} exists!`);

/** No endpoint of a report has this id among its info. */
export const unknownResource = (id: string): errors.StatusError => errors.numericInJson(404, `No endpoints found with resource-id: ${id}`);

/** Types of the groups of a report in examples. */
export const TYPES_OF_EXAMPLE = { types: ['NGI', 'SITES'] };
export const OTHER_GROUP_TYPE = errors.refusalOf(() => withGroups(TYPES_OF_EXAMPLE, 'Critical', 'NGI'));
