import type { Report } from '#domain/status/reports/reports.js';
import { collection } from '#projections/shared/collection.js';
import { type Headed, headedCodec } from '#projections/shared/headed.js';
import { keyPart } from '#projections/shared/key-part.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const REPORTS = 'status.reports';

export type ReportId = Readonly<{ tenantId: string; id: string }>;
export type ReportName = Readonly<{ tenantId: string; name: string }>;

/** `created`: `YYYY-MM-DD HH:MM:SS`, UTC. */
export type ReportHead = Readonly<{ id: string; name: string; created: string; public?: true }>;

/**
 * A report as its tenant sees it. The body is the text of its members after `id` and `tenant`, from the first of them to the brace that closes the
 * record: a tenant may get another name, and nothing parsed keeps the order of keys and the numbers of a topology schema.
 */
export type ReportRecord = Headed<ReportHead, string>;

/** A report for those who look it up by its name. `types`: those of its topology schema, from the outermost group inwards. */
export type ReportDocument = Readonly<{ id: string; types: readonly string[] }> &
  Pick<Report, 'profiles' | 'filter_tags' | 'computations' | 'disabled'>;

export const reportCollections = {
  records: collection<ReportRecord, ReportId>('reports', {
    key: ({ tenantId, id }) => `${tenantId}/${id}`,
    codec: headedCodec(String, (text) => text),
    owner: tenantFirst,
  }),
  byName: collection<ReportDocument, ReportName>('reports.by-name', {
    key: ({ tenantId, name }) => `${tenantId}/${keyPart(name)}`,
    owner: tenantFirst,
  }),
  /** By tenant: the report of the tenant as a node, which may be deleted since. */
  nodeReport: collection<string>('reports.of-node', { owner: tenantFirst }),
} as const;
