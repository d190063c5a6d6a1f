import type { Registry } from 'prom-client';
import type { Integrity } from '#infra/engine/integrity/integrity.js';
import { askedSoon } from './asked-soon.js';
import { lookedUpGauge } from './looked-up.js';

type ChainHealth = Readonly<{
  status: string;
  size: number;
  lagSeconds?: number;
  anchorAgeSeconds?: number | null;
  unanchoredSeconds?: number;
}>;

/**
 * The chain in `/health`: `unknown` if the log does not answer within two seconds. Readiness ignores it, because no request waits for it.
 */
export const chainHealth = async (integrity: Integrity): Promise<ChainHealth> => {
  const found = await askedSoon(integrity.status());
  if (!found) return { status: 'unknown', size: integrity.chain.size };
  const { position: _, ...shown } = found;
  return shown;
};

/** Adds metrics of the chain. Returns a function that updates them. @throws (the result) EventStoreUnavailable */
export const chainMetrics = (registry: Registry, integrity: Integrity): (() => Promise<void>) => {
  const setSize = lookedUpGauge(registry, 'chain_size', 'Leaves of the chain');
  const setLag = lookedUpGauge(registry, 'chain_lag_seconds', 'Age of the oldest event that is not chained');
  const setAge = lookedUpGauge(registry, 'anchor_age_seconds', 'Age of the newest anchor; absent while there is none');
  const setUnanchored = lookedUpGauge(
    registry,
    'unanchored_seconds',
    'Time since the oldest event that no anchor covers was chained; 0: there is none',
  );
  return async () => {
    const status = await integrity.status();
    setSize(status.size);
    setLag(status.lagSeconds);
    setAge(status.anchorAgeSeconds ?? undefined);
    setUnanchored(status.unanchoredSeconds);
  };
};
