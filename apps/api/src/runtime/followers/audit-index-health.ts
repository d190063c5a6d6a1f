import type { Registry } from 'prom-client';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditIndex } from '#infra/engine/audit-index/audit-index.js';
import { ageOfNext } from './history-health.js';

/** Seconds by which an index that is live may be behind. */
const LIVE_SECONDS = 5;

type Parts = Readonly<{ index: AuditIndex; events: Pick<EventStore, 'readAll'> }>;

/**
 * The audit index as `/health` shows it, `unknown` when the log does not say within two seconds how far it is behind. It never makes a node unready: only
 * `/audit` and reads as of the past wait for it.
 */
export const auditIndexHealth = async ({ index, events }: Parts): Promise<object> => {
  const { size, position } = index.checkpoint();
  const failure = index.stopped();
  const lagSeconds = await askedSoon(ageOfNext(events, BigInt(position)));
  const status = failure !== null ? 'stopped' : lagSeconds === null ? 'unknown' : lagSeconds > LIVE_SECONDS ? 'catching-up' : 'live';
  return { status, size, position, lagSeconds, failure };
};

/** Adds what `/metrics` says of the audit index. Returns how to bring it up to date. @throws (the result) EventStoreUnavailable */
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
