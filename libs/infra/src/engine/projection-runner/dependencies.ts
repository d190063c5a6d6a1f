import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Seats } from '#infra/platform/coordination/seats/seats.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import type { Projection } from '#projections/shared/projection.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { RunnerTiming } from './runner-timing.js';

/** Dependencies of runners and rebuilds. */
export type RunnerDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  /** Categories whose streams lose events after some time, always from their start. */
  expiring: readonly string[];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  timing: RunnerTiming;
  /**
   * Grants the right to apply a projection: without it, a process only follows what another one applies. `null`: this process never applies
   * any. Default: it always does, fenced off from others by the checkpoint alone.
   */
  seats?: Pick<Seats, 'take'> | null;
  /** Number of readable events of some categories; `null` if unknown. Default: always unknown. */
  count?: (categories: readonly string[], signal?: AbortSignal) => Promise<number | null>;
  /**
   * Called with requests of operators to rebuild a projection, or only (`isResumption`) if partitions of it are set aside. `isEarlier`: from before the
   * start. Resolves once it is carried out. Default: others carry them out.
   */
  onRebuildRequested?: (
    request: Readonly<{ projection: string; position: Position; isEarlier: boolean; isResumption: boolean }>,
  ) => Promise<void>;
}>;

/** Namespace that records which process applies which projection. */
export const PROJECTOR_SEATS = 'ops.projectors';

/** Retries for a runner during outages, and logs them. */
export const newRetry = ({ timing, log }: RunnerDependencies, { name }: Projection, signal: AbortSignal): OutageRetry =>
  new OutageRetry(timing, signal, (error, attempt) => {
    if (isLogged(attempt)) log.warn({ projection: name, attempt, err: error }, 'projection waits for a store');
  });
