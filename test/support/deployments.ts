import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosenClient } from '#test/support/eventstoredb/chosen-client.js';
import type { LogBackup as EventStoreDbBackup } from '#test/support/eventstoredb/log-server.js';
import { answeredPositions } from './events/answered-positions.js';
import { loadOnce } from './processes/load-once.js';
import { removeKeys, startRedis } from './redis/redis.js';
import { askHost } from './server-host/host-connection.js';
import { isFullRun, SEED } from './test-runs.js';

/** Stores for servers of one test: pass `environment` to each server that works on them. */
export type Deployment = Readonly<{
  environment: Readonly<Record<string, string>>;
  dataDirectory: string;
  /** Of the log. With the embedded one no server may run; EventStoreDB is copied as it is. */
  backUpLog(): Promise<LogBackup>;
  /**
   * Puts a backup in the place of the log, also one of another deployment of the same kind; `null`: an empty log. With the embedded one no server
   * may run; EventStoreDB is away for a moment.
   */
  restoreLog(backup: LogBackup | null): Promise<void>;
  dispose(): Promise<void>;
}>;

/** Deletes the documents of a deployment, and the read models in Redis. No server may run on embedded ones. */
export const dropReadModels = async ({ dataDirectory, environment }: Deployment): Promise<void> => {
  const { REDIS_URL, LOGBOOK_REDIS_PREFIX } = environment;
  await rm(join(dataDirectory, 'documents'), { recursive: true, force: REDIS_URL !== undefined });
  if (REDIS_URL !== undefined) await removeKeys(REDIS_URL, LOGBOOK_REDIS_PREFIX ?? '');
};

/** What a deployment's log held. */
export type LogBackup = Readonly<{ directory?: string; eventStoreDb?: EventStoreDbBackup }>;

/** Keys that every server of a deployment takes from its environment. */
export const ADMIN = 'status-administrator';
export const OPERATOR = 'operations-key';
export const SERVICE_TOKEN = 'messaging-service-token';
export const SYSTEM_ADMIN = 'accounting-system-administrator';

/** Those keys as environment variables. */
export const ADMINISTRATORS = {
  LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN,
  LOGBOOK_STATUS_ADMIN_KEY: ADMIN,
  LOGBOOK_ACCOUNTING_ADMIN_TOKEN: SYSTEM_ADMIN,
  LOGBOOK_OPS_KEY: OPERATOR,
} as const;

/** Everything in a directory of its own. Its end compares the events of the log with docs/events. */
export const embedded = async (): Promise<Deployment> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'logbook-e2e-'));
  const log = join(dataDirectory, 'log');
  let backups = 0;
  return {
    dataDirectory,
    backUpLog: async () => {
      const directory = join(dataDirectory, `backup-${++backups}`);
      await cp(log, directory, { recursive: true });
      return { directory };
    },
    restoreLog: async (backup) => {
      await rm(log, { recursive: true });
      if (backup?.directory) await cp(backup.directory, log, { recursive: true });
    },
    environment: { ...ADMINISTRATORS, LOGBOOK_DATA_DIR: dataDirectory },
    dispose: async () => {
      const answered = Array.from(answeredPositions, ([requestId, position]) => [requestId, position?.toString() ?? null] as const);
      const looked = await askHost({ log: dataDirectory, answered });
      const flaws = 'flaws' in looked ? looked.flaws : [];
      await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
      if (flaws.length > 0) throw new Error(`events that are not as in docs/events, or not where answers said:\n${flaws.join('\n')}`);
    },
  };
};

/**
 * EventStoreDB, which is the test server or a real one (`EVENTSTORE_COMMAND`), and a Redis of its own or keys of its own in the one given by `REDIS_URL`.
 * @param client that speaks with EventStoreDB. Default: `LOGBOOK_EVENTSTORE_CLIENT` of this process, or else `native`
 */
export const distributed = async (client = chosenClient()): Promise<Deployment> => {
  const redis = await startRedis();
  // Here, because most suites have none.
  const { startLogServer } = loadOnce<typeof import('./eventstoredb/log-server.js')>('test/support/eventstoredb/log-server');
  const events = await startLogServer();
  const local = await embedded();
  return {
    ...local,
    environment: {
      ...local.environment,
      EVENTSTORE_URL: events.connectionString,
      LOGBOOK_EVENTSTORE_CLIENT: client,
      REDIS_URL: redis.url,
      LOGBOOK_REDIS_PREFIX: redis.keyPrefix,
    },
    backUpLog: async () => ({ eventStoreDb: await events.backup() }),
    restoreLog: async (backup) => {
      await events.goDown();
      await events.comeUp(backup?.eventStoreDb ?? null);
    },
    dispose: async () => {
      await Promise.all([events.stop(), redis.stop()]);
      await local.dispose();
    },
  };
};

/** The environment of one more node on the stores of a deployment: each node has a data directory to itself, but for the keys. */
export const oneMoreNode = async ({ dataDirectory, environment }: Deployment): Promise<Deployment['environment']> => {
  const keys = join(dataDirectory, 'keys');
  await mkdir(keys, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(dataDirectory, 'node-'));
  await symlink(keys, join(own, 'keys'));
  return { ...environment, LOGBOOK_DATA_DIR: own };
};

type NamedDeployment = readonly [string, () => Promise<Deployment>];

/** Both kinds of stores, for `describe.each`: for the journeys that every run makes on both. */
export const bothDeployments: readonly NamedDeployment[] = [
  ['embedded stores', embedded],
  ['Redis and the EventStoreDB client', distributed],
];

/** For journeys on one kind of stores: embedded in a plain run, those that the seed selects in a full one. */
export const deployments: readonly NamedDeployment[] = bothDeployments.filter((_, index) => index === (isFullRun ? SEED % 2 : 0));
