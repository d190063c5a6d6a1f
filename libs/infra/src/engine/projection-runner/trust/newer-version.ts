import { setTimeout as sleep } from 'node:timers/promises';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { headAfter } from '#infra/engine/projection-runner/progress/newest-event.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';

type NewerVersionHost = Readonly<{
  retry: OutageRetry;
  signal: AbortSignal;
  gate: PositionGate;
  /** Called until the documents show all events that were in the log at the beginning, then once more with `true`. */
  onLook: (caughtUp: boolean) => void;
}>;

/** Interval between checks, in memory, of the newer process's commits. */
const LOOK_MS = 50;

/**
 * Watches documents of a newer version for `timing.takeoverMs`. They are abandoned if no process moves them although the log has grown.
 * @throws NamespaceGone, AbortError
 */
export const watchNewerVersion = async (
  { store, events, timing, now }: RunnerDependencies,
  { categories }: Projection,
  served: Namespace,
  { retry, signal, gate, onLook }: NewerVersionHost,
): Promise<Readonly<{ isAbandoned: boolean; caughtUp: boolean }>> => {
  const before = await retry.retryUntilAvailable(() => store.checkpoint(served));
  gate.advance(before, now());
  const head = await retry.retryUntilAvailable((signal) => headAfter(events, categories, before, signal));
  const until = performance.now() + timing.takeoverMs;
  for (let left = timing.takeoverMs; left > 0; left = until - performance.now()) {
    const isShown = gate.position >= head;
    onLook(isShown); // at once, because a node that keeps up with a newer one is equally ready
    await sleep(isShown ? left : Math.min(left, LOOK_MS), undefined, { signal });
  }
  const after = await retry.retryUntilAvailable(() => store.checkpoint(served));
  return { isAbandoned: after === before && head > before, caughtUp: after >= head };
};
