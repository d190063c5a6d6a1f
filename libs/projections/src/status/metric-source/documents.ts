import { batchKey, type MessageRange, type Retry } from '#domain/status/metric-source/metric-batches.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import type { OffsetRange, SetAside } from '#domain/status/metric-source/set-aside.js';
import { collection } from '#projections/shared/collection.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const METRIC_SOURCES = 'status.metric-sources';

/** Ingestion progress of a tenant's messages. Numbers are totals over all its sources. Instants: `YYYY-MM-DDTHH:MM:SSZ`. */
export type MetricProgressDocument = Readonly<{
  sequence: number;
  /** The batch that is being ingested, for a retried batch the range that is retried, and the recorded filter. */
  open: MessageRange | null;
  again?: OffsetRange;
  filter?: string;
  retry?: Retry;
  done: readonly MessageRange[];
  received: number;
  ingested: number;
  points: number;
  /** Numbers of messages that are currently set aside, by outcome. Some of them may have expired. */
  deadLettered: number;
  discarded: number;
  dropped: number;
  /** Time when the last batch was finished. */
  lastAt?: string;
  flaw?: Readonly<{ messageId: string; reason: string; at: string }>;
}>;

export const NO_PROGRESS: MetricProgressDocument = {
  sequence: 0,
  open: null,
  done: [],
  received: 0,
  ingested: 0,
  points: 0,
  deadLettered: 0,
  discarded: 0,
  dropped: 0,
};

/** The messages of a batch that are set aside. `at`: time when they were set aside. */
export type SetAsideDocument = Readonly<{ topicId: string; from: number; to: number; at: string; messages: readonly SetAside[] }>;
type SetAsideId = Readonly<{ tenantId: string; topicId: string; from: number }>;

export const metricSourceCollections = {
  /** By tenant. */
  sources: collection<MetricSource>('sources', { owner: tenantFirst }),
  /** By tenant. */
  progress: collection<MetricProgressDocument>('progress', { owner: tenantFirst }),
  /** Batches by tenant, topic and first offset. */
  setAside: collection<SetAsideDocument, SetAsideId>('set-aside', {
    key: ({ tenantId, topicId, from }) => `${tenantId}/${batchKey(topicId, from)}`,
    owner: tenantFirst,
  }),
} as const;
