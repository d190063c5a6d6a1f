import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { observedQueriesOf } from '#projections/shared/queries.js';
import { memberText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { REPORTS, type ReportDocument, type ReportHead, type ReportId, type ReportName, reportCollections } from './documents.js';

export type { ReportDocument } from './documents.js';

const { records, byName, nodeReport } = reportCollections;

/** Start of a record. The stored body is the rest. */
const startOf = (id: string, tenantName: string): Buffer => {
  const [first, second] = [memberText('id', wireText(id), RECORD_DEPTH), memberText('tenant', wireText(tenantName), RECORD_DEPTH)];
  return Buffer.from(`{${first},${second},`);
};

const END = `\n${' '.repeat(RECORD_DEPTH)}}`;

/** A record in the format of a list. Its marks are the last members. */
const recordOf = (id: string, tenantName: string, stored: Buffer, nodeReportId: string | undefined): Buffer => {
  const marks = { public: headOf<ReportHead>(stored).public, node_report: id === nodeReportId || undefined };
  const members = Object.entries(marks).flatMap(([name, isSet]) => (isSet ? [`,${memberText(name, 'true', RECORD_DEPTH)}`] : []));
  const body = bodyOf(stored);
  if (members.length === 0) return Buffer.concat([startOf(id, tenantName), body]);
  return Buffer.concat([startOf(id, tenantName), body.subarray(0, body.length - END.length), Buffer.from(members.join('') + END)]);
};

/** Filters reports. Absent members match all reports. */
export type ReportFilter = Readonly<{ isPublic?: boolean | undefined; isOfNode?: boolean | undefined; name?: string | undefined }>;

/** Queries of the reports of tenants. Every call except {@link ReportQueries.byNames} reads one tenant only. */
export class ReportQueries extends observedQueriesOf(REPORTS) {
  byName(name: ReportName): Promise<ReportDocument | undefined> {
    return byName.get(this.view, name);
  }

  /** The reports with these names, of any tenants, in their order. */
  byNames(names: readonly ReportName[]): Promise<readonly (ReportDocument | undefined)[]> {
    return byName.getMany(this.view, names);
  }

  /** A report in the format of a list. `tenantName`: the current name of its tenant. */
  async record(report: ReportId, tenantName: string): Promise<Buffer | undefined> {
    const [stored, ofNode] = await Promise.all([records.bytes(this.view, report), nodeReport.get(this.view, report.tenantId)]);
    return stored ? recordOf(report.id, tenantName, stored, ofNode) : undefined;
  }

  /** Names of a tenant's reports, ordered by id, at most `most`. */
  async names(tenantId: string, most: number, slice: Slice): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice, most })) {
      names.push(...page.map(({ value }) => headOf<ReportHead>(value).name));
      if (names.length >= most) break;
    }
    return names.slice(0, most);
  }

  async nameOf(report: ReportId): Promise<string | undefined> {
    const stored = await records.bytes(this.view, report);
    return stored ? headOf<ReportHead>(stored).name : undefined;
  }

  /** Id of the tenant's node report, even if it has been deleted. */
  nodeReportOf(tenantId: string): Promise<string | undefined> {
    return nodeReport.get(this.view, tenantId);
  }

  /** The reports of a tenant in the format of a list, ordered by id, in pages. */
  async *records(tenantId: string, tenantName: string, slice: Slice, wanted: ReportFilter = {}): AsyncGenerator<readonly Buffer[]> {
    const { isPublic, isOfNode, name } = wanted;
    const ofNode = await nodeReport.get(this.view, tenantId);
    const idOf = (key: string) => key.slice(tenantId.length + 1);
    const matches = (key: string, value: Buffer): boolean => {
      const head = headOf<ReportHead>(value);
      if (isPublic !== undefined && (head.public ?? false) !== isPublic) return false;
      return (!isOfNode || idOf(key) === ofNode) && (name === undefined || head.name === name);
    };
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice }))
      yield page.flatMap(({ key, value }) => (matches(key, value) ? [recordOf(idOf(key), tenantName, value, ofNode)] : []));
  }
}
