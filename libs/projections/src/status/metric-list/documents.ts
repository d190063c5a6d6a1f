import type { ListedMetric } from '#domain/status/metric-list/metric-list.js';
import { collection } from '#projections/shared/collection.js';
import { itemsCodec, RECORD_DEPTH } from '#projections/status/layout.js';

/** Name of the read model. */
export const METRIC_LIST = 'status.metrics';

/** Everything belongs to this partition. */
export const METRICS_PARTITION = 'metrics';

export const metricListCollections = {
  /** One document, `global`: the metrics as they stand in an answer, separated as there. Absent while the list is empty. */
  metrics: collection<readonly ListedMetric[], 'global'>('metrics', {
    codec: itemsCodec(RECORD_DEPTH),
    owner: { by: 'collection', partition: METRICS_PARTITION },
  }),
} as const;
