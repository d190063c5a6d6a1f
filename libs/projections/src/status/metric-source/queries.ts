import { batchKey, type MessageRange, type Retry } from '#domain/status/metric-source/metric-batches.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import type { SetAside } from '#domain/status/metric-source/set-aside.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { observedQueriesOf } from '#projections/shared/queries.js';
import { METRIC_SOURCES, type MetricProgressDocument, metricSourceCollections, NO_PROGRESS, type SetAsideDocument } from './documents.js';

export type { MetricProgressDocument, SetAsideDocument } from './documents.js';

const { sources, progress, setAside } = metricSourceCollections;

export type SourceOfTenant = Readonly<{ tenantId: string; source: MetricSource }>;

/** Key after all keys that start with the tenant. */
const behind = (tenantId: string): string => `${tenantId}0`; // 0 is the character after /

export class MetricSourceQueries extends observedQueriesOf(METRIC_SOURCES) {
  /** `undefined` if the tenant has no source. */
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

  /** The batches of a tenant with set-aside messages that a retry request covers, in the order of keys, starting with the next one. */
  async *setAsideFor(tenantId: string, { since, after }: Retry, slice: Slice): AsyncGenerator<SetAsideDocument> {
    const stretch = { gte: `${tenantId}/${after}`, lt: behind(tenantId) };
    for await (const page of pagesOf(this.view, setAside.name, stretch, { slice })) {
      for (const { value } of page) {
        const batch = setAside.parse(value);
        if (batch.at >= since && batchKey(batch.topicId, batch.from) > after) yield batch;
      }
    }
  }

  /** Set-aside messages of the batch that starts at `from`. */
  async setAsideOf(tenantId: string, { topicId, from }: MessageRange): Promise<readonly SetAside[]> {
    return (await setAside.get(this.view, { tenantId, topicId, from }))?.messages ?? [];
  }

  /** The first batch with set-aside messages in the range. `longest`: maximum length of a batch. */
  async firstSetAside(tenantId: string, { topicId, from, to }: MessageRange, longest: number): Promise<SetAsideDocument | undefined> {
    const range = {
      gte: setAside.key({ tenantId, topicId, from: Math.max(0, from - longest) }),
      lt: setAside.key({ tenantId, topicId, from: to }),
    };
    const batches = await setAside.range(this.view, range);
    return batches.find(({ messages }) => messages.some((one) => one.from < to && one.to > from));
  }
}
