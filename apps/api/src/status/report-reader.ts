import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memberLine } from '#projections/status/layout.js';
import { REPORTS_PROJECTION, reportCollections } from '#projections/status/reports.js';
import { TENANTS_PROJECTION } from '#projections/status/tenants.js';
import { listOfStored } from './envelopes.js';
import { namesOfTenants } from './tenant-names.js';

/** Reads of reports (status contract 12). Bodies are made of the stored bytes and the tenant's name of now. */
export class ReportReader {
  private readonly reports: ReadView;
  private readonly tenants: ReadView;

  constructor(store: ReadStore) {
    this.reports = store.view(REPORTS_PROJECTION);
    this.tenants = store.view(TENANTS_PROJECTION);
  }

  /** The body of one report, if the tenant has it. */
  async get(tenantId: string, id: string): Promise<Buffer | undefined> {
    const record = await this.reports.get(reportCollections.records, `${tenantId}/${id}`);
    return record ? this.body(tenantId, [record]) : undefined;
  }

  /** The body of the list of all reports of a tenant, by id. */
  async list(tenantId: string): Promise<Buffer> {
    const records = await this.reports.range(reportCollections.records, keysUnder(tenantId));
    return this.body(
      tenantId,
      records.map(({ value }) => value),
    );
  }

  private async body(tenantId: string, records: readonly Buffer[]): Promise<Buffer> {
    const [name = ''] = await namesOfTenants(this.tenants, [tenantId]);
    const tenant = Buffer.from(`${memberLine('tenant', name)},`);
    return listOfStored(records.map((record) => withMember(record, tenant)));
  }
}

/** The record with a member between its first line, which holds the id, and the others. */
const withMember = (record: Buffer, line: Buffer): Buffer => {
  const place = record.indexOf('\n', record.indexOf('\n') + 1);
  return Buffer.concat([record.subarray(0, place), line, record.subarray(place)]);
};
