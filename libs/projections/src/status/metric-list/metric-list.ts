import { METRIC_LIST_CATEGORY, type MetricListEvent } from '#domain/status/metric-list/metric-list.js';
import { defineProjection } from '#projections/shared/define.js';
import { type Projection, put, remove } from '#projections/shared/projection.js';
import { itemsCodec, RECORD_DEPTH } from '#projections/status/layout.js';

export const METRIC_LIST_PROJECTION = 'status.metrics';

/** Has one document, {@link METRIC_LIST_KEY}: the metrics as they stand in a response, separated as there. None while the list is empty. */
export const METRIC_LIST = 'metrics';
export const METRIC_LIST_KEY = 'global';

/** The metric list, global as it is. */
export const metricListProjection: Projection = defineProjection<MetricListEvent>({
  name: METRIC_LIST_PROJECTION,
  version: 1,
  service: 'status',
  categories: [METRIC_LIST_CATEGORY],
  handles: ['MetricListReplaced'],
  partitions: { ofEvent: () => ['metrics'], owners: { [METRIC_LIST]: { by: 'collection', partition: 'metrics' } } },
  codecs: { [METRIC_LIST]: itemsCodec(RECORD_DEPTH) },
  apply: ({ data: { metrics } }) => [
    metrics.length > 0 ? put(METRIC_LIST, METRIC_LIST_KEY, metrics) : remove(METRIC_LIST, METRIC_LIST_KEY),
  ],
});
