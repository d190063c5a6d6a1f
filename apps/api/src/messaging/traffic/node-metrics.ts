import { hostname, totalmem } from 'node:os';
import { type MetricView, metrics } from './metric-views.js';

/** What this process takes of the processor (since it started) and of the memory of its host, in percent. */
export const nodeMetrics = (timestamp: string): readonly MetricView[] => {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1e6 / process.uptime();
  const memory = process.memoryUsage.rss() / totalmem();
  return [
    metrics.cpuUsage(hostname(), { timestamp, value: cpu * 100 }),
    metrics.memoryUsage(hostname(), { timestamp, value: memory * 100 }),
  ];
};
