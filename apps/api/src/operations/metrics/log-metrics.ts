import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Runtime } from '#api/runtime.js';

/** Size of the log and room for it. Returns how to bring both up to date. @throws (the result) the errors of the log */
export const logMetrics = (
  registry: Registry,
  { audit, logBytes, configuration: { dataDirectory } }: Pick<Runtime, 'audit' | 'logBytes' | 'configuration'>,
): (() => Promise<void>) => {
  const gauge = (name: string, help: string) => new Gauge({ name: `logbook_${name}`, help, registers: [registry] });
  const events = gauge('log_events', 'Events in the log as far as this node has indexed them, those of the chain and of keys excepted');
  const bytes = gauge('log_bytes', 'Bytes of the data of these events; NaN on EventStoreDB');
  const free = gauge('disk_free_bytes', 'Free bytes in the file system of the data directory');
  const size = gauge('disk_size_bytes', 'Size of this file system');
  return async () => {
    const { bavail, blocks, bsize } = await statfs(dataDirectory);
    free.set(bavail * bsize);
    size.set(blocks * bsize);
    const gone = await audit.expired.count();
    events.set(audit.index.categories().reduce((sum, { name, events: all }) => sum + all - (gone.get(name) ?? 0), 0));
    bytes.set((await logBytes()) ?? Number.NaN);
  };
};
