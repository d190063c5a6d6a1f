import { randomUUID } from 'node:crypto';
import { type Link, openLink } from '#test/support/processes/link.js';
import { startRedisServer } from './redis-server.js';

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

export type RedisLink = Link & Readonly<{ url: string }>;

/** A wire to Redis that can fail, without harm to others who use that Redis. No TLS. */
export const openRedisLink = async (target: string): Promise<RedisLink> => {
  const url = new URL(target);
  const link = await openLink();
  link.leadTo(Number(url.port || 6379), url.hostname);
  url.hostname = '127.0.0.1';
  url.port = String(link.port);
  return { ...link, url: url.href };
};
