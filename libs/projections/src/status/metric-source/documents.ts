import type { MessageRange } from '#domain/status/metric-source/metric-batches.js';
import type { MetricSource } from '#domain/status/metric-source/metric-source.js';
import { collection } from '#projections/shared/collection.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const METRIC_SOURCES = 'status.metric-sources';

/** How far the messages of a tenant were taken up; numbers are totals over all its sources. Instants: `YYYY-MM-DDTHH:MM:SSZ`. */
export type MetricProgressDocument = Readonly<{
  sequence: number;
  /** The batch that is being taken up. */
  open: MessageRange | null;
  done: readonly MessageRange[];
  received: number;
  ingested: number;
  points: number;
  deadLettered: number;
  discarded: number;
  /** When the last batch was finished. */
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
};

export const metricSourceCollections = {
  /** By tenant. */
  sources: collection<MetricSource>('sources', { owner: tenantFirst }),
  /** By tenant. */
  progress: collection<MetricProgressDocument>('progress', { owner: tenantFirst }),
} as const;
