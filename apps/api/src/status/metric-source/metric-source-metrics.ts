import { Gauge, type Registry } from 'prom-client';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';

const OUTCOMES = [
  ['ingested', 'ingested'],
  ['dead_lettered', 'deadLettered'],
  ['discarded', 'discarded'],
  ['dropped', 'dropped'],
] as const;

/** Gauges for all metric sources together: the number of series must not grow with the tenants. Returns a function that sets them. */
export const metricSourceMetrics = (registry: Registry, store: ReadStore): (() => Promise<void>) => {
  const queries = new MetricSourceQueries(store);
  const sources = new Gauge({
    name: 'logbook_metric_sources',
    help: 'Tenants whose metric data come from a subscription',
    registers: [registry],
  });
  const messages = new Gauge({
    name: 'logbook_metric_source_messages',
    help: 'Messages that the metric sources of today have taken up, by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return async () => {
    const all = await queries.all(new TimeSlice());
    const progresses = await queries.progresses(all.map(({ tenantId }) => tenantId));
    sources.set(all.length);
    for (const [outcome, member] of OUTCOMES)
      messages.set(
        { outcome },
        progresses.reduce((sum, one) => sum + (one?.[member] ?? 0), 0),
      );
  };
};
