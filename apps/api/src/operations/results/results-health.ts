import type { Registry } from 'prom-client';
import { readGauge } from '#api/ops-kit/looked-up.js';
import type { ResultsThread } from '#api/runtime/results-thread.js';

/** Stored results in `/health`. They never make a node unready: missing ones are computed on request. */
export const resultsHealth = (engine: ResultsThread | null) =>
  engine && { status: engine.state, lagSeconds: engine.lagSeconds, daysWaiting: engine.progress?.daysWaiting ?? 0 };

/** Adds metrics of stored results. */
export const resultsMetrics = (registry: Registry, engine: ResultsThread | undefined): void => {
  const gauge = (name: string, help: string, value: (engine: ResultsThread) => number) =>
    readGauge(registry, `results_${name}`, help, () => (engine ? value(engine) : 0));
  gauge('lag_seconds', 'Age of the oldest change that stored results do not show', ({ lagSeconds }) => lagSeconds);
  gauge('waiting', 'Days of results that wait to be computed in the background', ({ progress }) => progress?.daysWaiting ?? 0);
  gauge('bytes', 'Bytes of stored results', ({ progress }) => progress?.bytes ?? 0);
  gauge('last_seconds', 'Time that the last day took that was asked for', ({ progress }) => (progress?.lastMs ?? 0) / 1_000);
};
