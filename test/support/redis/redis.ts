import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { addressOf, startRedisServer } from './redis-server.js';

export type TestRedis = Readonly<{
  url: string;
  /** Starts with this what a test writes: the server may be shared. New for every call of `startRedis`. */
  keyPrefix: string;
  /** Removes the keys that start with the prefix, and ends the server if it was started here. */
  stop(): Promise<void>;
}>;

/**
 * A Redis for tests: the one of the environment variable `REDIS_URL` when that is set, else a server of its own without persistence.
 * Further options of redis-server (`'--maxmemory', '8mb'`) always mean a server of its own.
 * @throws when there is no redis-server to start; the message says what to do
 */
export const startRedis = async (...options: readonly string[]): Promise<TestRedis> => {
  const keyPrefix = `logbook-test-${randomUUID()}`;
  const given = process.env.REDIS_URL;
  if (given && options.length === 0) return { url: given, keyPrefix, stop: () => removeKeys(given, keyPrefix) };
  const server = await startRedisServer(() => Promise.resolve(options));
  return { keyPrefix, url: server.url, stop: server.stop };
};

/** All at once: servers may be using them. */
export const removeKeys = async (url: string, keyPrefix: string): Promise<void> => {
  const { createClient } = await import('redis'); // here, because most suites have no Redis, and load it for nothing
  const client = await createClient({ url }).connect();
  try {
    const found: string[] = [];
    for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}*`, COUNT: 1_000 })) found.push(...keys);
    if (found.length > 0) await client.unlink(found);
  } finally {
    client.destroy();
  }
};

export type RedisLink = Readonly<{
  url: string;
  /** Keeps back what Redis answers; what it is asked still arrives. */
  holdReplies(): void;
  /** Lets the answers through, those kept back first. */
  releaseReplies(): void;
  /** Drops every connection, with the answers kept back. New ones are taken, unless refused. */
  cut(): void;
  /** Whether new connections are turned away at once. Default false. */
  refuse(refused: boolean): void;
  /** How many connections were made so far. */
  accepted(): number;
  /** Drops every connection and stops listening. */
  close(): Promise<void>;
}>;

/** A wire to Redis that can fail, without harm to others who use that Redis. No TLS. */
export const openRedisLink = async (target: string): Promise<RedisLink> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const replies = new Set<Socket>();
  let holding = false;
  let refusing = false;
  let accepted = 0;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    track(near);
    if (refusing) {
      near.destroy();
      return;
    }
    accepted++;
    const far = track(connect(Number(port || 6379), hostname));
    near.pipe(far);
    far.on('data', (chunk) => near.write(chunk)).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    replies.add(far.on('close', () => replies.delete(far)));
    if (holding) far.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(addressOf(server.address()).port);
  return {
    url: url.href,
    holdReplies: () => {
      holding = true;
      for (const far of replies) far.pause();
    },
    releaseReplies: () => {
      holding = false;
      for (const far of replies) far.resume();
    },
    cut,
    refuse: (refused) => {
      refusing = refused;
    },
    accepted: () => accepted,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
