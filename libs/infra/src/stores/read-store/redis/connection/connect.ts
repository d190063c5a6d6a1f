import { SCRIPTS } from '#infra/stores/read-store/redis/scripts.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { ClusterConnection } from './cluster-connection.js';
import type { RedisConnection } from './connection.js';
import type { RedisPlace } from './redis-url.js';
import { ServerConnection, type ServerFinder, type ServerOptions } from './server-connection.js';

/** Interval in milliseconds between queries for the master to the Sentinels. */
const SENTINEL_PERIOD_MS = 1_000;

export type ConnectOptions = Pick<ServerOptions, 'name' | 'timeLimitMs'> &
  Readonly<{
    place: RedisPlace;
    /** Called after each connection, including the first one. */
    onReady?(connection: RedisConnection): void;
    /** Load the scripts after each connection. */
    runsScripts?: boolean;
  }>;

/** Begins to connect; see `untilReady`. */
export const connectTo = ({ place, name, timeLimitMs, runsScripts, onReady = () => undefined }: ConnectOptions): RedisConnection => {
  const prepare = (server: ServerConnection): void => {
    if (runsScripts) loadScripts(server);
  };
  if (place.kind === 'cluster')
    return new ClusterConnection({ seeds: place.seeds, urlOf: place.urlOf, name, timeLimitMs, onReady, onNodeReady: prepare });
  const ready = (server: ServerConnection): void => {
    prepare(server);
    onReady(server);
  };
  if (place.kind === 'server') return new ServerConnection({ server: place.url, name, timeLimitMs, onReady: ready });
  return new ServerConnection({ server: masterOf(place, name, timeLimitMs), name, timeLimitMs, onReady: ready });
};

/** Asks the Sentinels in turn, each over a permanent connection. */
const masterOf = ({ sentinels, master, urlOf }: RedisPlace & { kind: 'sentinel' }, name: string, timeLimitMs: number): ServerFinder => {
  const connections = sentinels.map((server) => new ServerConnection({ server, name, timeLimitMs, onReady: () => undefined }));
  return {
    periodMs: SENTINEL_PERIOD_MS,
    find: async () => {
      let cause: unknown;
      for (const sentinel of connections) {
        try {
          const found = await sentinel.command<readonly [Buffer, Buffer] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]);
          if (found) return urlOf(found[0].toString(), Number(found[1].toString()));
        } catch (error) {
          cause = error;
        }
      }
      throw new ReadStoreUnavailable('no Sentinel names a master', { cause });
    },
    close: () => {
      for (const sentinel of connections) sentinel.abandon();
    },
  };
};

/** Saves the first calls a second round trip. A script that could not be loaded is sent with the call that needs it. */
const loadScripts = (connection: ServerConnection): void => {
  for (const { text } of SCRIPTS) connection.command(['SCRIPT', 'LOAD', text]).catch(() => undefined);
};
