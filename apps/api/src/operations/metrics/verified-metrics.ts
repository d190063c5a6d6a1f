import { Gauge, type Registry } from 'prom-client';
import type { FindingsOfJobs } from '#api/operations/findings/verified.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';

/**
 * Findings of verifications; while jobs cannot be read, those found last: a damaged log stays damaged. Returns a function that sets them.
 * @throws (the result) ReadStoreUnavailable, if nothing was found yet
 */
export const verifiedMetrics = (
  registry: Registry,
  readModels: Pick<ReadModels, 'names'>,
  verified: Pick<FindingsOfJobs, 'look' | 'known'>,
): (() => Promise<void>) => {
  const setDamaged = lookedUpGauge(registry, 'log_damaged', '1 when a verification has found that the log does not match what was signed');
  const differences = new Gauge({
    name: 'logbook_projection_differences',
    help: 'Documents that differ from the log, as the newest verification has found',
    labelNames: ['projection'],
    registers: [registry],
  });
  return async () => {
    const found = await verified.look().catch((error) => {
      if (verified.known === null) throw error;
      return verified.known;
    });
    setDamaged(Number(found.log !== null));
    for (const projection of readModels.names) differences.set({ projection }, found.differences.get(projection) ?? 0);
  };
};
