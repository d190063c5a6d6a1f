import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreDb } from './eventstoredb/server.js';
import { startRedis } from './redis.js';

/** Stores for servers of one test: pass `environment` to each server that works on them. */
export type Deployment = Readonly<{ environment: Readonly<Record<string, string>>; dataDirectory: string; dispose(): Promise<void> }>;

const SECRETS = { LOGBOOK_STATUS_ADMIN_KEY: 'status-administrator', LOGBOOK_OPS_KEY: 'operations-key' };

const embedded = async (): Promise<Deployment> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'logbook-e2e-'));
  return {
    dataDirectory,
    environment: { ...SECRETS, LOGBOOK_DATA_DIR: dataDirectory },
    dispose: () => rm(dataDirectory, { recursive: true, force: true }),
  };
};

const distributed = async (): Promise<Deployment> => {
  const [local, events, redis] = await Promise.all([embedded(), startEventStoreDb(), startRedis()]);
  return {
    ...local,
    environment: { ...local.environment, EVENTSTORE_URL: events.connectionString, REDIS_URL: redis.url },
    dispose: async () => {
      await Promise.all([events.stop(), redis.stop()]);
      await local.dispose();
    },
  };
};

/** Both kinds of stores, for `describe.each`. */
export const deployments: readonly (readonly [string, () => Promise<Deployment>])[] = [
  ['embedded stores', embedded],
  ['Redis and the EventStoreDB client', distributed],
];
