import { Counter, type Registry } from 'prom-client';
import { readGauge } from '#api/ops-kit/looked-up.js';
import type { StreamProcessorMetrics } from '#infra/engine/stream-processor/stream-processor.js';

const COUNTERS = [
  ['commands', 'commands_total', 'Commands accepted'],
  ['batches', 'append_batches_total', 'Appends acknowledged, each with the events of one or more commands'],
  ['conflicts', 'append_conflicts_total', 'Appends refused because another process had written'],
  ['unknownOutcomes', 'append_unknown_outcomes_total', 'Appends whose outcome was unknown at first'],
] as const;

const GAUGES = [
  ['waiting', 'commands_waiting', 'Commands that wait for their stream'],
  ['cachedStreams', 'streams_folded', 'Streams whose folded state is in memory'],
  ['stateSize', 'streams_folded_size', 'Estimated size of these states'],
] as const;

/** Metrics that the stream processor counts itself, copied at each scrape of `/metrics`. */
export const processorMetrics = (registry: Registry, read: () => StreamProcessorMetrics): void => {
  for (const [member, name, help] of COUNTERS)
    new Counter({
      name: `logbook_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read()[member]);
      },
    });
  for (const [member, name, help] of GAUGES) readGauge(registry, name, help, () => read()[member]);
};
