import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { METRIC_SOURCES, type MetricProgressDocument, metricSourceCollections, NO_PROGRESS } from './documents.js';

export type { MetricProgressDocument } from './documents.js';

const { sources, progress } = metricSourceCollections;

/** A metric source with its tenant. */
export type SourceOfTenant = Readonly<{ tenantId: string; source: MetricSource }>;

/** What is known of metric sources. */
export class MetricSourceQueries {
  private readonly view: ReadView;

  constructor(private readonly store: ReadStore) {
    this.view = store.view(METRIC_SOURCES);
  }

  /** `undefined` if the tenant has none. */
  source(tenantId: string): Promise<MetricSource | undefined> {
    return sources.get(this.view, tenantId);
  }

  async progress(tenantId: string): Promise<MetricProgressDocument> {
    return (await progress.get(this.view, tenantId)) ?? NO_PROGRESS;
  }

  /** The sources of all tenants, by tenant. */
  async all(slice: Slice): Promise<readonly SourceOfTenant[]> {
    const found: SourceOfTenant[] = [];
    for await (const page of pagesOf(this.view, sources.name, {}, { slice }))
      found.push(...page.map(({ key, value }) => ({ tenantId: key, source: sources.parse(value) })));
    return found;
  }

  /** In the order of the tenants. */
  progresses(tenantIds: readonly string[]): Promise<readonly (MetricProgressDocument | undefined)[]> {
    return tenantIds.length === 0 ? Promise.resolve([]) : progress.getMany(this.view, tenantIds);
  }

  /** Calls back after every change of the read model. @returns how to end that */
  onCommit(listener: () => void): () => void {
    return this.store.onCommit(METRIC_SOURCES, listener);
  }
}
