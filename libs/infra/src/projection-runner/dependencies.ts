import type { EventStore } from '#domain/shared/event-store.js';
import type { Logger } from '#infra/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { DecodeEvents } from './apply-batch.js';
import type { RunnerTiming } from './runner-timing.js';

/** Everything that runners and rebuilds need. */
export type RunnerDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  /** Categories whose streams lose events after a while, always from their start. */
  expiring: readonly string[];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  timing: RunnerTiming;
}>;
