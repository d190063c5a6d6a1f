import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import type { JsonObject, Position, ServiceName } from '#domain/shared/events.js';
import { isLocked } from '#infra/platform/lmdb/lock.js';
import type { Deployment } from './deployments.js';
import { type LogbookProcess, runLogbook } from './processes/logbook-process.js';

/** An event that no command would make. */
export type Planted = Readonly<{ stream: string; type: string; data: JsonObject; service?: ServiceName }>;

/** The log of a deployment, to be read also while a server runs: of an embedded one it is a copy then, as it was at the call. */
export const openLogOf = async ({ environment }: Pick<Deployment, 'environment'>, readOnly = true): Promise<EventStore> => {
  const { EVENTSTORE_URL: connectionString, LOGBOOK_DATA_DIR = '' } = environment;
  // Here, because most suites load this file for nothing.
  if (connectionString) {
    const { openEventStoreDb } = await import('#infra/stores/event-store/eventstoredb/event-store.js');
    return openEventStoreDb({ connectionString });
  }
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  const path = join(LOGBOOK_DATA_DIR, 'log');
  if (!readOnly || !isLocked(path)) return openEmbeddedEventStore({ path, readOnly });
  const copy = await mkdtemp(join(tmpdir(), 'logbook-copied-'));
  const { code, stderr } = await runLogbook(['backup', join(copy, 'backup')], environment);
  if (code !== 0) throw new Error(`no copy was made: ${stderr}`);
  const log = openEmbeddedEventStore({ path: join(copy, 'backup', 'log'), readOnly });
  const close = log.close.bind(log);
  return Object.assign(log, { close: () => close().finally(() => rm(copy, { recursive: true, force: true })) });
};

/**
 * Changes the log past a server: beside it, or, as one process writes to an embedded log, between it and a new one at the same address.
 * @returns the server that runs then
 */
export const changeLog = async (
  deployment: Pick<Deployment, 'environment'>,
  server: LogbookProcess,
  start: (at: Readonly<{ LOGBOOK_PORT: string }>) => Promise<LogbookProcess>,
  change: () => Promise<unknown>,
): Promise<LogbookProcess> => {
  const isShared = deployment.environment.EVENTSTORE_URL !== undefined;
  if (!isShared) await server.stop();
  await change();
  return isShared ? server : startAt(start, new URL(server.url).port);
};

/** A connection of another program may have the port for a moment. */
const startAt = async (
  start: (at: Readonly<{ LOGBOOK_PORT: string }>) => Promise<LogbookProcess>,
  port: string,
): Promise<LogbookProcess> => {
  for (;;) {
    try {
      return await start({ LOGBOOK_PORT: port });
    } catch (error) {
      if (!String(error).includes('cannot listen on')) throw error;
    }
  }
};

/** Whether the key of a subject, and with it all its data, is destroyed. */
export const isForgotten = async (deployment: Pick<Deployment, 'environment'>, subject: string): Promise<boolean> => {
  const log = await openLogOf(deployment);
  const events = await log.readStream(`keys.subject-${subject}`, { limit: 10 }).finally(() => log.close());
  return events.map(({ type }) => type).join() === 'SubjectKeyDestroyed';
};

/** Appends events past all rules. No server may run on an embedded log. */
export const plant = async (deployment: Pick<Deployment, 'environment'>, ...planted: readonly Planted[]): Promise<Position> => {
  const log = await openLogOf(deployment, false);
  try {
    let last = 0n;
    for (const { stream, type, data, service = 'status' } of planted) {
      const metadata = {
        time: new Date().toISOString(),
        actor: { kind: 'system', id: 'test' },
        service,
        requestId: 'planted',
        correlationId: 'planted',
        causationId: 'planted',
        schemaVersion: 1,
      } as const;
      last = (await log.append(stream, [{ id: randomUUID(), type, data, metadata }], 'any')).position;
    }
    return last;
  } finally {
    await log.close();
  }
};
