import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, READ_STORE } from '#api/shared/tokens.js';
import { BackgroundWork, loopsFor } from '#api/status/background-work.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import type { ReportItem } from '#infra/platform/coordination/leased-work.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { MetricSourceQueries, type SourceOfTenant } from '#projections/status/metric-source/queries.js';
import { TENANTS } from '#projections/status/tenants/queries.js';
import { ConfiguredSources } from './configured-sources.js';
import { MetricIngestion } from './metric-ingestion.js';
import { runSource } from './source-runner.js';

/** Lease of the node that ingests metric data; its problems are those of tenants. */
export const METRIC_SOURCE_LEASE: LeaseKey = { name: 'status.metric-sources.lease', collection: 'work', key: 'holder' };

/** Memory limit of all batches together. */
const ALL_BYTES = 32 * 1024 * 1024;
/** Changes of sources come in bursts, and configured sources wait for records that others create. */
const GATHER_MS = 50;
const CONFIGURED_MS = 1_000;

/** Ingests the metric data of all tenants with a source, on one node at a time, until the server ends. */
@Injectable()
export class MetricSourceService {
  private readonly sourceChanges = new ChangeCounter();
  private readonly subscriptionChanges = new ChangeCounter();
  private readonly room = new MemoryBudget(ALL_BYTES);

  constructor(
    private readonly ingestion: MetricIngestion,
    private readonly sources: MetricSourceQueries,
    private readonly configured: ConfiguredSources,
    private readonly resources: ResourceQueries,
    private readonly background: BackgroundWork,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    const { sourceChanges, subscriptionChanges, configured } = this;
    const work = loopsFor<MetricSource>({
      at: METRIC_SOURCE_LEASE,
      changes: sourceChanges,
      all: async (report) => apart(await this.sources.all(new TimeSlice()), report),
      run: (...item) => this.run(...item),
      pauseMs: () => (configured.arePending ? CONFIGURED_MS : GATHER_MS),
      areAwaited: () => configured.arePending,
      prepare: () => (configured.arePending ? configured.connect() : Promise.resolve()),
    });
    this.background.start(work, () => [
      this.sources.onCommit(sourceChanges.announce),
      this.sources.onCommit(subscriptionChanges.announce),
      this.resources.onCommit(subscriptionChanges.announce),
      ...(configured.arePending
        ? [this.resources.onCommit(sourceChanges.announce), this.store.onCommit(TENANTS, sourceChanges.announce)]
        : []),
    ]);
  }

  private run(tenantId: string, source: MetricSource, signal: AbortSignal, report: ReportItem): Promise<void> {
    const { ingestion, subscriptionChanges: changes, room } = this;
    const warn = (err: unknown) => this.logger.warn({ err, tenantId }, 'the metric data of a tenant are taken up later');
    return runSource(tenantId, source, { ingestion, changes, room, report: (problem) => report(tenantId, problem), warn }, signal);
  }
}

/** Sources by tenant. If two tenants have one subscription, the first one gets it. */
const apart = (targets: readonly SourceOfTenant[], report: ReportItem): ReadonlyMap<string, MetricSource> => {
  const wanted = new Map<string, MetricSource>();
  const taken = new Set<string>();
  for (const { tenantId, source } of targets) {
    const subscription = `${source.projectId}/${source.subscription}`;
    if (taken.has(subscription)) report(tenantId, 'The subscription is the metric source of another tenant');
    else wanted.set(tenantId, source);
    taken.add(subscription);
  }
  return wanted;
};
