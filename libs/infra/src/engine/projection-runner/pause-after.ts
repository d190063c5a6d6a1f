import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, NamespaceGone } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';
import { hasNothingAfter } from './progress/newest-event.js';
import type { PositionGate } from './progress/position-gate.js';

type PauseHost = Readonly<{
  gate: PositionGate;
  retry: OutageRetry;
  /** Pauses after outages. */
  restarts: OutageRetry;
  signal: AbortSignal;
  /** Called while documents that another process applies show all events. */
  onLevel: () => void;
}>;

/** After a failure of a runner: resolves when it should check the served documents again, or on the signal. */
export const pauseAfter = async (
  error: unknown,
  dependencies: RunnerDependencies,
  projection: Projection,
  host: PauseHost,
): Promise<void> => {
  const { log, timing } = dependencies;
  const { name } = projection;
  const { restarts, signal } = host;
  try {
    if (error instanceof CheckpointConflict && error.actual > error.expected) {
      log.info({ projection: name, position: `${error.actual}` }, 'another runner is active: standing by');
      await untilStill(dependencies, projection, host);
      log.info({ projection: name }, 'the other runner stands still: taking over');
    } else if (error instanceof CheckpointConflict || error instanceof NamespaceGone) {
      log.info({ projection: name, err: error }, 'going on with the documents that are served now');
      await sleep(timing.firstRetryMs, undefined, { signal });
    } else await restarts.pause(error);
  } catch {
    // It ends, or must check the served documents again.
  }
};

/** Returns when nothing moves although there are events to apply: no other process is active then. */
const untilStill = async (
  { events, timing, seats }: RunnerDependencies,
  { categories }: Projection,
  { gate, retry, signal, onLevel }: PauseHost,
): Promise<void> => {
  for (let seen: Position = -1n; ; ) {
    const { position } = gate;
    const isLevel = await retry.retryUntilAvailable((signal) => hasNothingAfter(events, categories, position, signal));
    if (isLevel) onLevel();
    if (!isLevel && seen === position) return;
    seen = position;
    await sleep(seats ? timing.seatedTakeoverMs : timing.takeoverMs, undefined, { signal });
  }
};
