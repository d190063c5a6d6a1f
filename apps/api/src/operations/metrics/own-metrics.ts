import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import { type CountedRequests, sumOfRequests } from './http-metrics.js';

type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a process has counted, as data that another one can add to its own. */
export type OwnMetrics = Readonly<{ counted: Counted; requests: readonly CountedRequests[] }>;

/** Gauges that each process has of itself; all others are looked up, and are the same for all of them. */
const OF_PROCESS = /^(process|nodejs)_/;

const isGauge = ({ type }: Counted[number]): boolean => `${type}` === 'gauge';

/** What this process counts of itself. */
export const ownMetrics = async (registry: Registry, requests: readonly CountedRequests[]): Promise<OwnMetrics> => {
  const all = await registry.getMetricsAsJSON();
  return { counted: all.filter((metric) => !isGauge(metric) || OF_PROCESS.test(metric.name)), requests };
};

/** As if one process had counted all of it; gauges of those that are gone count no more. */
export const sumOfEnded = (ended: readonly OwnMetrics[]): OwnMetrics => ({
  counted: summed(ended.flatMap(({ counted }) => counted.filter((metric) => !isGauge(metric)))),
  requests: sumOfRequests(ended.flatMap(({ requests }) => requests)),
});

/** Metrics of the same name are one. */
const summed = (all: Counted): Counted => {
  const byName = new Map<string, Counted[number]>();
  for (const metric of all) {
    const known = byName.get(metric.name);
    byName.set(metric.name, known ? { ...known, values: addedUp([...known.values, ...metric.values]) } : metric);
  }
  return [...byName.values()];
};

/** `metricName`: of the parts of a histogram. */
type Value = Counted[number]['values'][number] & Readonly<{ metricName?: string }>;

const addedUp = (values: readonly Value[]): Value[] => {
  const byLabels = new Map<string, Value>();
  for (const value of values) {
    const key = JSON.stringify([value.metricName, value.labels]);
    byLabels.set(key, { ...value, value: value.value + (byLabels.get(key)?.value ?? 0) });
  }
  return [...byLabels.values()];
};

/** The metrics of this process with those of others. */
export const withOthers = async (registry: Registry, others: readonly OwnMetrics[]): Promise<Registry> => {
  const own = await registry.getMetricsAsJSON();
  return AggregatorRegistry.aggregate<PrometheusContentType>([own, ...others.map(({ counted }) => counted)]);
};
