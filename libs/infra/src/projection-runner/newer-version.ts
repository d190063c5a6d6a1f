import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';

export type NewerVersionHost = Readonly<{
  retry: OutageRetry;
  signal: AbortSignal;
  /** Called with the checkpoint of the served documents. */
  advance: (position: Position) => void;
}>;

/**
 * Watches documents of a newer version for `timing.takeoverMs`. They are abandoned if nobody moves them although the log has gone on.
 * @throws NamespaceGone, AbortError
 */
export const watchNewerVersion = async (
  { store, events, timing }: RunnerDependencies,
  { categories }: Projection,
  served: Namespace,
  { retry, signal, advance }: NewerVersionHost,
): Promise<Readonly<{ isAbandoned: boolean; caughtUp: boolean }>> => {
  const before = await retry.retryUntilAvailable(() => store.checkpoint(served));
  advance(before);
  const head = await retry.retryUntilAvailable(() => events.head(categories));
  await sleep(timing.takeoverMs, undefined, { signal });
  const after = await retry.retryUntilAvailable(() => store.checkpoint(served));
  return { isAbandoned: after === before && head > before, caughtUp: after >= head };
};
