import type { Registry } from 'prom-client';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { ageOfNext } from './history-health.js';

/** Maximum lag of a live index, in seconds. */
const LIVE_SECONDS = 5;

type Parts = Readonly<{ index: AuditIndex; events: Pick<EventStore, 'readAll'> }>;

/**
 * The audit index in `/health`; `unknown` if the log does not answer within two seconds. It never makes a node unready: only `/audit` and
 * reads as of the past wait for it.
 */
export const auditIndexHealth = async ({ index, events }: Parts) => {
  const { size, position } = index.checkpoint();
  const failure = index.stopped();
  const lagSeconds = await askedSoon(ageOfNext(events, BigInt(position)));
  const status = failure !== null ? 'stopped' : lagSeconds === null ? 'unknown' : lagSeconds > LIVE_SECONDS ? 'catching-up' : 'live';
  return { status, size, position, lagSeconds, failure };
};

/** Adds metrics of the audit index. Returns a function that updates them. @throws (the result) EventStoreUnavailable */
export const auditIndexMetrics = (registry: Registry, { index, events }: Parts): (() => Promise<void>) => {
  const setLag = lookedUpGauge(registry, 'audit_index_lag_seconds', 'Age of the oldest event that is not in the audit index');
  const setStopped = lookedUpGauge(
    registry,
    'audit_index_stopped',
    '1 when the audit index was built anew and does not fit the chain again',
  );
  return async () => {
    setStopped(index.stopped() === null ? 0 : 1);
    setLag(await ageOfNext(events, BigInt(index.checkpoint().position)));
  };
};
