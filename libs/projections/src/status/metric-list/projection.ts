import { METRIC_LIST_CATEGORY, type MetricListEvent } from '#domain/status/metric-list/metric-list.js';
import { readModel } from '#projections/shared/read-model.js';
import { METRIC_LIST, METRICS_PARTITION, metricListCollections } from './documents.js';

const { metrics } = metricListCollections;

/** The metric list that all tenants share. */
export const metricListProjection = readModel<MetricListEvent>(
  {
    name: METRIC_LIST,
    version: 1,
    service: 'status',
    categories: [METRIC_LIST_CATEGORY],
    collections: Object.values(metricListCollections),
    partitionsOf: () => [METRICS_PARTITION],
  },
  {
    MetricListReplaced: ({ data }) => [data.metrics.length > 0 ? metrics.put('global', data.metrics) : metrics.remove('global')],
  },
);
