import { bodyOf, headOf } from '#projections/shared/headed.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memberText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';
import { REPORTS, type ReportDocument, type ReportHead, type ReportId, type ReportName, reportCollections } from './documents.js';

export type { ReportDocument } from './documents.js';

const { records, byName } = reportCollections;

/** How a record begins; the stored body is the rest of it. */
const startOf = (id: string, tenantName: string): Buffer => {
  const [first, second] = [memberText('id', wireText(id), RECORD_DEPTH), memberText('tenant', wireText(tenantName), RECORD_DEPTH)];
  return Buffer.from(`{${first},${second},`);
};

/** What is known of the reports of tenants. Every call but {@link ReportQueries.byNames} stays inside one tenant. */
export class ReportQueries {
  private readonly view: ReadView;

  constructor(private readonly store: ReadStore) {
    this.view = store.view(REPORTS);
  }

  /** The report of that name. */
  byName(name: ReportName): Promise<ReportDocument | undefined> {
    return byName.get(this.view, name);
  }

  /** The reports of these names, of any tenants, in their order. */
  byNames(names: readonly ReportName[]): Promise<readonly (ReportDocument | undefined)[]> {
    return byName.getMany(this.view, names);
  }

  /** Calls the listener after every change of reports, until the returned function is called. */
  onCommit(listener: () => void): () => void {
    return this.store.onCommit(REPORTS, listener);
  }

  /** A report as it stands in a list. `tenantName`: the current one of its tenant. */
  async record(report: ReportId, tenantName: string): Promise<Buffer | undefined> {
    const stored = await records.bytes(this.view, report);
    return stored ? Buffer.concat([startOf(report.id, tenantName), bodyOf(stored)]) : undefined;
  }

  /** Names of the reports of a tenant, ordered by id, no more than `most`. */
  async names(tenantId: string, most: number, slice: Slice): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice, most })) {
      names.push(...page.map(({ value }) => headOf<ReportHead>(value).name));
      if (names.length >= most) break;
    }
    return names.slice(0, most);
  }

  /** All reports of a tenant as they stand in a list, ordered by id, in pages. */
  async *records(tenantId: string, tenantName: string, slice: Slice): AsyncGenerator<readonly Buffer[]> {
    for await (const page of pagesOf(this.view, records.name, keysUnder(tenantId), { slice }))
      yield page.map(({ key, value }) => Buffer.concat([startOf(key.slice(tenantId.length + 1), tenantName), bodyOf(value)]));
  }
}
