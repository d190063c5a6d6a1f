import { METRIC_BATCHES_CATEGORY, type MetricBatchEvent } from '#domain/status/metric-source/metric-batches.js';
import { METRIC_SOURCES_CATEGORY, type MetricSourceEvent } from '#domain/status/metric-source/metric-source.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { METRIC_SOURCES, metricSourceCollections, NO_PROGRESS } from './documents.js';

const { sources, progress } = metricSourceCollections;

type On<Type extends MetricBatchEvent['type']> = EventOf<Extract<MetricBatchEvent, { type: Type }>>;

const progressOf = ({ data }: Readonly<{ data: Readonly<{ tenantId: string }> }>) => ({ before: progress.at(data.tenantId) });

const instantOf = (time: string): string => `${time.slice(0, 19)}Z`;

/** The metric source of each tenant, and how far its messages were taken up. */
export const metricSourcesProjection = readModel<MetricSourceEvent | MetricBatchEvent | TenantDeleted>(
  {
    name: METRIC_SOURCES,
    version: 2,
    service: 'status',
    categories: [TENANTS_CATEGORY, METRIC_SOURCES_CATEGORY, METRIC_BATCHES_CATEGORY],
    collections: Object.values(metricSourceCollections),
    partitionsOf: tenantPartitionsOf([METRIC_SOURCES_CATEGORY, METRIC_BATCHES_CATEGORY]),
  },
  {
    MetricSourceConnected: ({ data: { tenantId, ...source } }) => [sources.put(tenantId, source)],
    MetricSourceDisconnected: ({ data }) => [sources.remove(data.tenantId)],
    MetricMessagesTaken: reading(progressOf, ({ data }: On<'MetricMessagesTaken'>, { before = NO_PROGRESS }) => {
      const { tenantId, sequence, done, open } = data;
      return [progress.put(tenantId, { ...before, sequence, done, open })];
    }),
    MetricMessagesIngested: reading(progressOf, ({ data, metadata }: On<'MetricMessagesIngested'>, { before = NO_PROGRESS }) => {
      const { tenantId, sequence, done, messages, points, deadLettered, discarded, flaw } = data;
      const at = instantOf(metadata.time);
      const after = {
        ...before,
        sequence,
        done,
        open: null,
        received: before.received + messages,
        ingested: before.ingested + messages - deadLettered - discarded,
        points: before.points + points,
        deadLettered: before.deadLettered + deadLettered,
        discarded: before.discarded + discarded,
        lastAt: at,
        ...(flaw && { flaw: { ...flaw, at } }),
      };
      return [progress.put(tenantId, after)];
    }),
    TenantDeleted: ({ data }) => [sources.remove(data.tenantId), progress.remove(data.tenantId)],
  },
);
