import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { RECORD_DEPTH, sizeWithin } from '#domain/status/limits.js';

/** A metric of the monitoring system with its tags (status extended contract 9). */
export type ListedMetric = Readonly<{ name: string; tags: readonly string[] }>;

export type MetricListEvent = Readonly<{ type: 'MetricListReplaced'; data: Readonly<{ metrics: readonly ListedMetric[] }> }>;
type MetricListCommand = Readonly<{ type: 'ReplaceMetricList'; metrics: readonly ListedMetric[] }>;

export const METRIC_LIST_CATEGORY = 'status.metrics';
/** One list, shared by all tenants. */
export const METRIC_LIST_STREAM = `${METRIC_LIST_CATEGORY}-global`;

export const metricListEvents: CatalogueOf<MetricListEvent> = { MetricListReplaced: { resource: none } };

/** The list is replaced as a whole; an equal list changes nothing. Rejects with `OVER_LIMIT`. */
export const metricList: Decider<Readonly<{ metrics: string }>, MetricListCommand, MetricListEvent> = {
  window: 1,
  initialState: () => ({ metrics: '[]' }),
  decide: ({ metrics }, state) => {
    sizeWithin('metricListSize', metrics, RECORD_DEPTH - 1);
    return JSON.stringify(metrics) === state.metrics ? [] : [{ type: 'MetricListReplaced', data: { metrics } }];
  },
  evolve: (_state, { data }) => ({ metrics: JSON.stringify(data.metrics) }),
};
