import type { ListedMetric } from '#domain/status/metric-list/metric-list.js';
import { collection } from '#projections/shared/collection.js';
import { itemsCodec, RECORD_DEPTH } from '#projections/status/layout.js';

/** Name of the read model. */
export const METRIC_LIST = 'status.metrics';

/** The only partition of the read model. */
export const METRICS_PARTITION = 'metrics';

export const metricListCollections = {
  /** One document, `global`: the metrics in the format of answers, including separators. Absent while the list is empty. */
  metrics: collection<readonly ListedMetric[], 'global'>('metrics', {
    codec: itemsCodec(RECORD_DEPTH),
    owner: { by: 'collection', partition: METRICS_PARTITION },
  }),
} as const;
