import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuntime, type Runtime } from '#api/runtime/runtime.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { realServerCommand, startRealServer } from '#test/support/eventstoredb/real-server.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import type { Lab } from './scenario.js';
import { startChild } from './servers/child.js';
import { type LogbookServer, startLogbookServer } from './servers/logbook-server.js';

/** `embedded`: log and read models in LMDB. `redis`: read models in Redis. `distributed`: the log in EventStoreDB, too. */
export type Stores = 'embedded' | 'redis' | 'distributed';

/** An empty Logbook of one scenario: its stores, and how to work on them with and without a server. */
export type Installation = Readonly<{
  directory: string;
  /** Of its servers. */
  environment: Readonly<Record<string, string>>;
  /** For stores that are not embedded; what is written to Redis must start with the prefix. */
  redis?: Pick<TestRedis, 'url' | 'keyPrefix'>;
  eventStoreUrl?: string;
  /** Everything below HTTP, in this process; the read models do not follow the log. Ends with the cleanup. */
  runtime(): Promise<Runtime>;
  /** The same for as long as `work` takes. */
  withRuntime<Result>(work: (runtime: Runtime) => Promise<Result>): Promise<Result>;
  /** A server in a process of its own, its read models up to date. `more`: further variables of its environment. `patienceMs`: until then. */
  serve(more?: Readonly<Record<string, string>>, patienceMs?: number): Promise<LogbookServer>;
}>;

/** The same for all installations: a log server that is kept holds what earlier ones sealed. */
const MASTER_KEY = Buffer.alloc(32, 'bench').toString('base64');
/** The service token of the messaging service. */
export const MESSAGING_TOKEN = 'bench-messaging';
/** The token of the first system administrator of the accounting service. */
export const ACCOUNTING_TOKEN = 'bench-accounting';

/** @param more of the environment; default: that of the lab */
export const install = async (lab: Lab, stores: Stores, more = lab.environment): Promise<Installation> => {
  const { cleanup, profiles, onServer } = lab;
  const directory = await mkdtemp(join(tmpdir(), 'logbook-bench-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const redis = stores === 'embedded' ? undefined : await redisOf(lab);
  const eventStoreUrl = stores === 'distributed' ? await eventStoreOf(lab) : undefined;
  const environment: Record<string, string> = {
    LOGBOOK_LOG_LEVEL: 'warn',
    LOGBOOK_DATA_DIR: directory,
    LOGBOOK_MASTER_KEY: MASTER_KEY,
    LOGBOOK_MESSAGING_SERVICE_TOKEN: MESSAGING_TOKEN,
    LOGBOOK_ACCOUNTING_ADMIN_TOKEN: ACCOUNTING_TOKEN,
    LOGBOOK_STATUS_ADMIN_KEY: 'bench-status',
    LOGBOOK_OPS_KEY: 'bench-ops',
    ...more,
    ...(redis && { REDIS_URL: redis.url, LOGBOOK_REDIS_PREFIX: redis.keyPrefix }),
    ...(eventStoreUrl && { EVENTSTORE_URL: eventStoreUrl }),
  };
  const open = () => openRuntime(loadConfiguration(environment), createLogger('warn', process.stderr));
  return {
    directory,
    environment,
    redis,
    eventStoreUrl,
    runtime: async () => {
      const runtime = await open();
      cleanup.defer(() => runtime.close());
      return runtime;
    },
    withRuntime: async (work) => {
      const runtime = await open();
      try {
        return await work(runtime);
      } finally {
        await runtime.close();
      }
    },
    serve: async (own = {}, patienceMs) => {
      const execArgv = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
      const server = await startLogbookServer(cleanup, { environment: { ...environment, ...own }, directory, execArgv, patienceMs });
      onServer?.(server);
      return server;
    },
  };
};

const redisOf = async ({ cleanup }: Lab): Promise<TestRedis> => {
  const redis = await startRedis();
  cleanup.defer(() => redis.stop());
  return redis;
};

/** The server of the environment, an empty one that its command starts, else the test server in a process of its own. */
const eventStoreOf = async ({ cleanup }: Lab): Promise<string> => {
  if (process.env.EVENTSTORE_URL) return process.env.EVENTSTORE_URL;
  const command = realServerCommand();
  if (command === undefined) return (await startChild(cleanup, 'test/bench/servers/event-store-server', {})).url;
  const server = await startRealServer(command);
  cleanup.defer(() => server.stop());
  return server.connectionString;
};
