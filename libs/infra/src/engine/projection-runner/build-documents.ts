import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import { rebuild } from '#infra/engine/projection-runner/rebuild/rebuild.js';
import { RebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';
import { EventFailed } from './failure.js';
import type { FailureStop } from './failure-stop.js';

/**
 * Builds the documents of a projection for its runner. Returns when this version is served, or the served documents must be checked again.
 * @param instead documents to replace: nothing is built if others are served by then
 */
export const buildDocuments = async (
  dependencies: RunnerDependencies,
  projection: Projection,
  failureStop: FailureStop,
  signal: AbortSignal,
  instead: Namespace,
): Promise<void> => {
  try {
    await rebuild(dependencies, projection, { signal, instead });
  } catch (error) {
    if (error instanceof EventFailed) await failureStop.at(error, null);
    else if (error instanceof RebuildUnderWay) await sleep(dependencies.timing.takeoverMs, undefined, { signal });
    // Only a restart helps: every attempt would rebuild everything up to the damage.
    else if (error instanceof DamagedLog) await sleep(LONGEST_TIMER_MS, undefined, { signal });
    else throw error;
  }
};
