import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import type { JsonObject, Position, ServiceName } from '#domain/shared/events.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { openEventStoreDb } from '#infra/stores/event-store/eventstoredb/event-store.js';
import type { Deployment } from './deployments.js';

/** An event that no command would make. */
export type Planted = Readonly<{ stream: string; type: string; data: JsonObject; service?: ServiceName }>;

/** The log of a deployment, opened beside the server that runs on it. */
export const openLogOf = async ({ environment }: Pick<Deployment, 'environment'>): Promise<EventStore> => {
  const { EVENTSTORE_URL: connectionString, LOGBOOK_DATA_DIR = '' } = environment;
  return connectionString ? openEventStoreDb({ connectionString }) : openEmbeddedEventStore({ path: join(LOGBOOK_DATA_DIR, 'log') });
};

/** Appends events past all rules. */
export const plant = async (deployment: Pick<Deployment, 'environment'>, ...planted: readonly Planted[]): Promise<Position> => {
  const log = await openLogOf(deployment);
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
