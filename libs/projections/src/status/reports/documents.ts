import type { Report } from '#domain/status/reports/reports.js';
import { collection } from '#projections/shared/collection.js';
import { type HeadAndBody, headedCodec } from '#projections/shared/headed.js';
import { keyPart } from '#projections/shared/key-part.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const REPORTS = 'status.reports';

export type ReportId = Readonly<{ tenantId: string; id: string }>;
export type ReportName = Readonly<{ tenantId: string; name: string }>;

/** `created`: `YYYY-MM-DD HH:MM:SS`, UTC. */
export type ReportHead = Readonly<{ id: string; name: string; created: string; public?: true }>;

/**
 * A report as its tenant sees it. The body is the text of its members after `id` and `tenant`, including the closing brace. It is stored as text
 * because the tenant may be renamed, and because parsing would lose the order of keys and the spelling of numbers in a topology schema.
 */
export type ReportRecord = HeadAndBody<ReportHead, string>;

/** A report for lookups by name. `types`: types of its topology schema, from the outermost group inwards. */
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
  /** By tenant: id of its node report, which may have been deleted. */
  nodeReport: collection<string>('reports.of-node', { owner: tenantFirst }),
} as const;
