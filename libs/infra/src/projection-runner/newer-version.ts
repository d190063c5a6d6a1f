import { setTimeout as sleep } from 'node:timers/promises';
import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';
import type { PositionGate } from './position-gate.js';

export type NewerVersionHost = Readonly<{
  retry: OutageRetry;
  signal: AbortSignal;
  gate: PositionGate;
}>;

/**
 * Watches documents of a newer version for `timing.takeoverMs`. They are abandoned if nobody moves them although the log has gone on.
 * @throws NamespaceGone, AbortError
 */
export const watchNewerVersion = async (
  { store, events, timing, now }: RunnerDependencies,
  { categories }: Projection,
  served: Namespace,
  { retry, signal, gate }: NewerVersionHost,
): Promise<Readonly<{ isAbandoned: boolean; caughtUp: boolean }>> => {
  const before = await retry.retryUntilAvailable(() => store.checkpoint(served));
  gate.advance(before, now());
  const head = await retry.retryUntilAvailable(() => events.head(categories));
  await sleep(timing.takeoverMs, undefined, { signal });
  const after = await retry.retryUntilAvailable(() => store.checkpoint(served));
  return { isAbandoned: after === before && head > before, caughtUp: after >= head };
};
