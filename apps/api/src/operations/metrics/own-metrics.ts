import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';
import { type CountedRequests, sumOfRequests } from './http-metrics.js';

type Counted = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Metrics of a process as data, which another one can add to its own. */
export type OwnMetrics = Readonly<{ counted: Counted; requests: readonly CountedRequests[] }>;

/** Gauges that each process has for itself. All others are looked up, and equal in all processes. */
const OF_PROCESS = /^(process|nodejs)_/;

const isGauge = ({ type }: Counted[number]): boolean => `${type}` === 'gauge';

/** Metrics of this process. */
export const ownMetrics = async (registry: Registry, requests: readonly CountedRequests[]): Promise<OwnMetrics> => {
  const all = await registry.getMetricsAsJSON();
  return { counted: all.filter((metric) => !isGauge(metric) || OF_PROCESS.test(metric.name)), requests };
};

const together = (all: readonly Counted[]): Registry => AggregatorRegistry.aggregate<PrometheusContentType>([...all]);

/** The sum of ended processes, without their gauges. */
export const sumOfEnded = async (ended: readonly OwnMetrics[]): Promise<OwnMetrics> => ({
  counted: await together(ended.map(({ counted }) => counted.filter((metric) => !isGauge(metric)))).getMetricsAsJSON(),
  requests: sumOfRequests(ended.flatMap(({ requests }) => requests)),
});

/** The metrics of this process including those of others. */
export const withOthers = async (registry: Registry, others: readonly OwnMetrics[]): Promise<Registry> => {
  return together([await registry.getMetricsAsJSON(), ...others.map(({ counted }) => counted)]);
};
