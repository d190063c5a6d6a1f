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

const together = (all: readonly Counted[]): Registry => AggregatorRegistry.aggregate<PrometheusContentType>([...all]);

/** As if one process had counted all of it; gauges of those that are gone count no more. */
export const sumOfEnded = async (ended: readonly OwnMetrics[]): Promise<OwnMetrics> => ({
  counted: await together(ended.map(({ counted }) => counted.filter((metric) => !isGauge(metric)))).getMetricsAsJSON(),
  requests: sumOfRequests(ended.flatMap(({ requests }) => requests)),
});

/** The metrics of this process with those of others. */
export const withOthers = async (registry: Registry, others: readonly OwnMetrics[]): Promise<Registry> => {
  return together([await registry.getMetricsAsJSON(), ...others.map(({ counted }) => counted)]);
};
