import { statfs } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import { lookedUpGauge } from '#api/ops-kit/looked-up.js';
import type { Runtime } from '#api/runtime/runtime.js';

/** Size of the log, and its free space. Returns a function that updates both. @throws (the result) the errors of the log */
export const logMetrics = (
  registry: Registry,
  { audit, logBytes, configuration: { dataDirectory } }: Pick<Runtime, 'audit' | 'logBytes' | 'configuration'>,
): (() => Promise<void>) => {
  const setEvents = lookedUpGauge(
    registry,
    'log_events',
    'Events in the log as far as this node has indexed them, those of the chain and of keys excepted',
  );
  const setBytes = lookedUpGauge(registry, 'log_bytes', 'Bytes of the data of these events; absent on EventStoreDB');
  const setFree = lookedUpGauge(registry, 'disk_free_bytes', 'Free bytes in the file system of the data directory');
  const setSize = lookedUpGauge(registry, 'disk_size_bytes', 'Size of this file system');
  return async () => {
    const { bavail, blocks, bsize } = await statfs(dataDirectory);
    setFree(bavail * bsize);
    setSize(blocks * bsize);
    setEvents(await audit.counted.kept());
    setBytes((await logBytes()) ?? undefined);
  };
};
