import { METRIC_BATCHES_CATEGORY, type MetricBatchEvent } from '#domain/status/metric-source/metric-batches.js';
import { METRIC_SOURCES_CATEGORY, type MetricSourceEvent } from '#domain/status/metric-source/metric-source.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { METRIC_SOURCES, type MetricProgressDocument, metricSourceCollections, NO_PROGRESS } from './documents.js';

const { sources, progress, setAside } = metricSourceCollections;

type On<Type extends MetricBatchEvent['type']> = EventOf<Extract<MetricBatchEvent, { type: Type }>>;

const progressOf = ({ data }: Readonly<{ data: Readonly<{ tenantId: string }> }>) => ({ before: progress.at(data.tenantId) });

const instantOf = (time: string): string => `${time.slice(0, 19)}Z`;

/** Removes the members that only some events set. */
const apart = ({ again: _, filter: __, retry: ___, ...progress }: MetricProgressDocument): MetricProgressDocument => progress;

/** Each message counts by its current outcome: a retried message no longer counts by its previous one. */
const countedWith = (
  sum: MetricProgressDocument,
  { messages, points, before, dropped = 0, ...set }: On<'MetricMessagesIngested'>['data'],
) => ({
  received: sum.received + (before ? 0 : messages),
  ingested: sum.ingested + messages - set.deadLettered - set.discarded - dropped,
  points: sum.points + points,
  deadLettered: sum.deadLettered + set.deadLettered - (before?.deadLettered ?? 0),
  discarded: sum.discarded + set.discarded - (before?.discarded ?? 0),
  dropped: sum.dropped + dropped - (before?.dropped ?? 0),
});

/** The metric source of each tenant, and the ingestion progress of its messages. */
export const metricSourcesProjection = readModel<MetricSourceEvent | MetricBatchEvent | TenantDeleted>(
  {
    name: METRIC_SOURCES,
    version: 3,
    service: 'status',
    categories: [TENANTS_CATEGORY, METRIC_SOURCES_CATEGORY, METRIC_BATCHES_CATEGORY],
    collections: Object.values(metricSourceCollections),
    partitionsOf: tenantPartitionsOf([METRIC_SOURCES_CATEGORY, METRIC_BATCHES_CATEGORY]),
  },
  {
    MetricSourceConnected: ({ data: { tenantId, ...source } }) => [sources.put(tenantId, source)],
    MetricSourceDisconnected: ({ data }) => [sources.remove(data.tenantId)],
    MetricMessagesTaken: reading(progressOf, ({ data }: On<'MetricMessagesTaken'>, { before = NO_PROGRESS }) => {
      const { tenantId, sequence, done, open, again, filter, retry } = data;
      const set = { ...(again && { again }), ...(filter !== undefined && { filter }), ...(retry && { retry }) };
      return [progress.put(tenantId, { ...apart(before), sequence, done, open, ...set })];
    }),
    MetricMessagesIngested: reading(progressOf, ({ data, metadata }: On<'MetricMessagesIngested'>, { before = NO_PROGRESS }) => {
      const { tenantId, sequence, done, range, retry, flaw } = data;
      const at = instantOf(metadata.time);
      const last = { lastAt: at, ...(flaw && { flaw: { ...flaw, at } }) };
      const after = { ...apart(before), ...countedWith(before, data), sequence, done, open: null, ...(retry && { retry }), ...last };
      const messages = data.setAside ?? [];
      const batch = { tenantId, ...range };
      const kept = messages.length > 0 ? setAside.put(batch, { ...range, at, messages }) : setAside.remove(batch);
      return [progress.put(tenantId, after), kept];
    }),
    MetricRetryRequested: reading(progressOf, ({ data }: On<'MetricRetryRequested'>, { before = NO_PROGRESS }) => [
      progress.put(data.tenantId, { ...before, retry: data.retry }),
    ]),
    MetricRetryFinished: reading(progressOf, ({ data }: On<'MetricRetryFinished'>, { before = NO_PROGRESS }) => [
      progress.put(data.tenantId, { ...apart(before), sequence: data.sequence }),
    ]),
    TenantDeleted: ({ data }) => [sources.remove(data.tenantId), progress.remove(data.tenantId), setAside.removeUnder(`${data.tenantId}/`)],
  },
);
