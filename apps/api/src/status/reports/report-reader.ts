import type { Readable } from 'node:stream';
import { listOfPages, listOfStored } from '#api/status/envelopes.js';
import { pagesOf } from '#api/status/stored-documents.js';
import { namesOfTenants } from '#api/status/tenants/tenant-names.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memberLine } from '#projections/status/layout.js';
import { REPORTS_PROJECTION, reportCollections } from '#projections/status/reports/reports.js';
import { TENANTS_PROJECTION } from '#projections/status/tenants/tenants.js';

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
    return record ? listOfStored([withMember(record, await this.tenantLine(tenantId))]) : undefined;
  }

  /** The body of the list of all reports of a tenant, by id. */
  async list(tenantId: string): Promise<Buffer | Readable> {
    return listOfPages(this.pages(tenantId, await this.tenantLine(tenantId)));
  }

  private async *pages(tenantId: string, tenant: Buffer): AsyncGenerator<readonly Buffer[]> {
    for await (const page of pagesOf(this.reports, reportCollections.records, keysUnder(tenantId)))
      yield page.map(({ value }) => withMember(value, tenant));
  }

  private async tenantLine(tenantId: string): Promise<Buffer> {
    const [name = ''] = await namesOfTenants(this.tenants, [tenantId]);
    return Buffer.from(`${memberLine('tenant', name)},`);
  }
}

/** The record with a member between its first line, which holds the id, and the others. */
const withMember = (record: Buffer, line: Buffer): Buffer => {
  const place = record.indexOf('\n', record.indexOf('\n') + 1);
  return Buffer.concat([record.subarray(0, place), line, record.subarray(place)]);
};
