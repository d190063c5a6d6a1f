import type { Registry } from 'prom-client';
import type { Nodes } from '#api/operations/findings/nodes.js';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import type { MemoryWatch } from '#infra/stores/read-store/store-memory.js';

/** Memory of the server of the read models, absent on embedded ones. Returns a function that sets them. @throws (the result) ReadStoreUnavailable */
export const memoryMetrics = (registry: Registry, memory: Pick<MemoryWatch, 'look'>): (() => Promise<void>) => {
  const gauge = (name: string, help: string) => lookedUpGauge(registry, `read_store_${name}`, help);
  const setBytes = gauge('bytes', 'Bytes of memory that Redis uses');
  const setLimit = gauge('limit_bytes', 'The most that it may use; absent without a limit');
  const setDays = gauge(
    'days_left',
    'Days until its memory is full at the pace of the last week; absent if it does not grow, and on the first day',
  );
  const setEvicted = gauge('evicted_keys', 'Keys that Redis has dropped since its start to make room');
  const setRefused = gauge('refused_writes', 'Writes that Redis has refused since its start for want of memory');
  const setRefuses = gauge('refuses_writes', '1 while Redis refuses writes');
  const setDrops = gauge('drops_documents', '1 while the settings of Redis let it drop documents');
  return async () => {
    const now = await memory.look();
    setBytes(now?.bytes);
    setLimit(now?.limit ?? undefined);
    setDays(now?.daysLeft ?? undefined);
    setEvicted(now?.evicted);
    setRefused(now?.refused);
    setRefuses(now ? Number(now.refusal !== null) : undefined);
    setDrops(now ? Number(now.drops !== null) : undefined);
  };
};

/** Roles that no node has. Returns a function that sets their number. @throws (the result) ReadStoreUnavailable */
export const roleMetrics = (registry: Registry, nodes: Pick<Nodes, 'others'>): (() => Promise<void>) => {
  const setMissing = lookedUpGauge(registry, 'roles_missing', 'Roles that no node of the installation has');
  return async () => setMissing((await nodes.others()).missing.length);
};
