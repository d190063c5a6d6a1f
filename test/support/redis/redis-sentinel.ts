import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { untilSays } from './redis-cluster.js';
import { type RedisServer, startRedisServer } from './redis-server.js';

/** Long enough for a busy machine: no failover happens unless a test asks for one. */
const DOWN_AFTER_MS = 120_000;
const NAME = 'read-models';

export type TestSentinel = Readonly<{
  /** For `REDIS_URL`. */
  url: string;
  keyPrefix: string;
  /** Name of the master as the Sentinel knows it. */
  name: string;
  master: RedisServer;
  replica: RedisServer;
  sentinel: RedisServer;
  stop(): Promise<void>;
}>;

/** A master, its replica, and a Sentinel that watches them. */
export const startRedisSentinel = async (): Promise<TestSentinel> => {
  const servers: RedisServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    const master = await startRedisServer(async () => ['--repl-diskless-sync-delay', '0']);
    servers.push(master);
    const replica = await startRedisServer(async () => ['--replicaof', '127.0.0.1', `${master.port}`]);
    servers.push(replica);
    await untilSays(replica, ['INFO', 'replication'], 'master_link_status:up');
    const sentinel = await startRedisServer(async (port, directory) => {
      const file = join(directory, 'sentinel.conf');
      await writeFile(
        file,
        [
          `port ${port}`,
          'bind 127.0.0.1',
          `dir ${directory}`,
          `sentinel monitor ${NAME} 127.0.0.1 ${master.port} 1`,
          `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
        ].join('\n'),
      );
      return [file, '--sentinel'];
    });
    servers.push(sentinel);
    await untilSays(sentinel, ['SENTINEL', 'REPLICAS', NAME], `${replica.port}`);
    return {
      url: `redis+sentinel://127.0.0.1:${sentinel.port}/${NAME}`,
      keyPrefix: `logbook-test-${randomUUID()}`,
      ...{ name: NAME, master, replica, sentinel, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
