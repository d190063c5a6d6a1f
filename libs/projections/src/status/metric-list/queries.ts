import type { ListedMetric } from '#domain/status/metric-list/metric-list.js';
import { queriesOf } from '#projections/shared/queries.js';
import { METRIC_LIST, metricListCollections } from './documents.js';

const { metrics } = metricListCollections;

export class MetricListQueries extends queriesOf(METRIC_LIST) {
  /** The metrics in the format of answers, including separators. `null` if the list is empty. */
  text(): Promise<Buffer | null> {
    return metrics.bytes(this.view, 'global');
  }

  async metrics(): Promise<readonly ListedMetric[]> {
    return (await metrics.get(this.view, 'global')) ?? [];
  }
}
