import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { UnsuitableRedis } from '#infra/stores/read-store/redis/connection/suitable-redis.js';
import { CheckpointConflict, NamespaceGone, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { COLLECTION, listed, PROJECTION, put, remove, serveDocuments, textOf } from '#test/contracts/read-store/fixture.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { reaching, whenBack } from '#test/support/read-stores.js';
import { openRedisLink, type RedisLink, startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { openRedisReadStore } from './redis-read-store.js';

/** Long enough for a busy machine: a connection without an answer for this long is replaced. */
const TIME_LIMIT_MS = 1_200;

describe('the Redis read store over a failing connection', () => {
  let redis: TestRedis;
  let link: RedisLink;
  /** Connected through the faulty link. */
  let store: ReadStore;
  /** Connected directly. */
  let direct: ReadStore;
  let impatient: ReadStore | undefined;
  /** Connected through the faulty link, with a short time limit, for tests that wait for it. */
  const openImpatient = async (): Promise<ReadStore> => {
    impatient = await openRedisReadStore({ url: link.url, keyPrefix: redis.keyPrefix, timeLimitMs: TIME_LIMIT_MS });
    return impatient;
  };
  beforeEach(async () => {
    redis = await startRedis();
    link = await openRedisLink(redis.url);
    const { keyPrefix } = redis;
    store = await openRedisReadStore({ url: link.url, keyPrefix, timeLimitMs: LONGEST_MS });
    direct = await openRedisReadStore({ url: redis.url, keyPrefix, timeLimitMs: LONGEST_MS });
    impatient = undefined;
  });
  afterEach(async () => {
    await impatient?.close();
    await store.close();
    await direct.close();
    await link.close();
    await redis.stop();
  });

  it('reports a commit whose answer was lost as unknown, and refuses its repetition', async () => {
    const namespace = await serveDocuments(store, [put('a', '1')]);
    const arrived = reaching(direct, PROJECTION, 2n);
    const hasty = await openImpatient();
    link.hold('back');
    const lost = hasty.commit(namespace, [put('a', '2')], 1n, 2n);
    await expect(lost).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await arrived;
    link.hold('none');
    expect(await whenBack(() => hasty.checkpoint(namespace))).toBe(2n);
    await expect(store.commit(namespace, [put('a', '2')], 1n, 2n)).rejects.toBeInstanceOf(CheckpointConflict);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=2']);
  });

  it('replaces a connection without any answer, even one that was never greeted', async () => {
    await serveDocuments(direct, [put('a', '1')]);
    const hasty = await openImpatient();
    const first = link.accepted();
    link.hold('back');
    await expect(hasty.view(PROJECTION).get(COLLECTION, 'a')).rejects.toBeInstanceOf(ReadStoreUnavailable);
    // The replacement gets no answer to its greeting either, so it is replaced, too.
    await until(() => link.accepted() >= first + 2);
    link.hold('none');
    expect(textOf(await whenBack(() => hasty.view(PROJECTION).get(COLLECTION, 'a')))).toBe('1');
  });

  it('applies each step exactly once while the connection keeps breaking', async () => {
    const namespace = await serveDocuments(store, []);
    const steps = 30;
    const unknown = new Set<bigint>();
    let step = 1n;
    while (step <= steps) {
      const committed = store.commit(namespace, [put(String(step).padStart(3, '0'), 'x')], step, step + 1n);
      if (step % 3n === 0n && !unknown.has(step)) setImmediate(() => link.reset());
      try {
        await committed;
        step++;
      } catch (error) {
        expect(error).toBeInstanceOf(ReadStoreUnavailable);
        unknown.add(step);
        const checkpoint = await whenBack(() => store.checkpoint(namespace));
        expect([step, step + 1n]).toContain(checkpoint);
        step = checkpoint;
      }
    }
    expect(unknown.size).toBeGreaterThan(0);
    expect(await whenBack(() => store.view(PROJECTION).count(COLLECTION, {}))).toBe(steps);
    expect(await direct.checkpoint(namespace)).toBe(BigInt(steps + 1));
  });

  it('fails at once while there is no connection, and recovers by itself', async () => {
    await serveDocuments(store, [put('a', '1')]);
    const view = store.view(PROJECTION);
    link.refuse(true);
    link.reset();
    await expect(view.get(COLLECTION, 'a')).rejects.toBeInstanceOf(ReadStoreUnavailable);
    const tried = await Promise.allSettled(Array.from({ length: 1_000 }, () => view.get(COLLECTION, 'a')));
    // Fails for lack of a connection, not at the time limit.
    const lost = new ReadStoreUnavailable('Redis refused a call, or the connection was lost');
    for (const call of tried) expect(call).toEqual({ status: 'rejected', reason: lost });
    await expect(openRedisReadStore({ url: link.url, timeLimitMs: 50 })).rejects.toBeInstanceOf(ReadStoreUnavailable);
    link.refuse(false);
    expect(textOf(await whenBack(() => view.get(COLLECTION, 'a')))).toBe('1');
  });

  it('notifies of a commit that was published while the subscription was down', async () => {
    const namespace = await serveDocuments(store, []);
    const first = reaching(store, PROJECTION, 2n);
    await direct.commit(namespace, [], 1n, 2n);
    await first;
    const second = reaching(store, PROJECTION, 3n);
    link.refuse(true);
    link.reset();
    await direct.commit(namespace, [], 2n, 3n);
    link.refuse(false);
    await second;
    const third = reaching(store, PROJECTION, 4n);
    await direct.commit(namespace, [], 3n, 4n);
    await third;
  });
});

describe('the Redis read store on a server in trouble', () => {
  const PASSWORD = 'a secret: p@ss';
  let redis: TestRedis;
  let url: string;
  let store: ReadStore;
  let admin: (...command: readonly string[]) => Promise<unknown>;
  let close: () => Promise<void>;
  beforeEach(async () => {
    redis = await startRedis('--requirepass', PASSWORD);
    const withPassword = new URL(redis.url);
    withPassword.password = PASSWORD;
    url = withPassword.href;
    store = await openRedisReadStore({ url, keyPrefix: redis.keyPrefix });
    const client = await createClient({ url }).connect();
    admin = (...command) => client.sendCommand(command);
    close = async () => {
      await store.close();
      client.destroy();
      await redis.stop();
    };
  });
  afterEach(() => close());

  it('sends its scripts again if Redis has lost them', async () => {
    const namespace = await serveDocuments(store, [put('a', '1')]);
    await admin('SCRIPT', 'FLUSH');
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe('1');
    await admin('SCRIPT', 'FLUSH');
    await store.commit(namespace, [put('b', '2')], 1n, 2n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1', 'b=2']);
  });

  it('writes all of a commit or nothing when memory runs out', async () => {
    const namespace = await serveDocuments(store, [put('a', '1'), put('b', '2')]);
    await admin('CONFIG', 'SET', 'maxmemory', '1');
    await expect(store.commit(namespace, [remove('a'), put('c', '3')], 1n, 2n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(await store.checkpoint(namespace)).toBe(1n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1', 'b=2']);
    await admin('CONFIG', 'SET', 'maxmemory', '0');
    await store.commit(namespace, [remove('a'), put('c', '3')], 1n, 2n);
    expect(await listed(store.view(PROJECTION))).toEqual(['b=2', 'c=3']);
  });

  it('serves nothing after Redis lost its data, and starts over', async () => {
    const lost = await serveDocuments(store, [put('a', '1')]);
    await admin('FLUSHALL');
    expect(await store.view(PROJECTION).get(COLLECTION, 'a')).toBeNull();
    expect(await store.served(PROJECTION)).toBeNull();
    await expect(store.checkpoint(lost)).rejects.toBeInstanceOf(NamespaceGone);
    await expect(store.commit(lost, [put('a', '2')], 1n, 2n)).rejects.toBeInstanceOf(NamespaceGone);
    await serveDocuments(store, [put('a', '3')]);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=3']);
  });

  it.each(['allkeys-lru', 'allkeys-random'])('refuses a Redis that may drop any key: %s', async (policy) => {
    await admin('CONFIG', 'SET', 'maxmemory-policy', policy);
    const refused = openRedisReadStore({ url, keyPrefix: redis.keyPrefix });
    await expect(refused).rejects.toBeInstanceOf(UnsuitableRedis);
    await expect(refused).rejects.toThrow(`maxmemory-policy of Redis is ${policy}`);
  });

  it('tells of a Redis that keeps nothing over a restart', async () => {
    const told: string[] = [];
    const report = (message: string): number => told.push(message);
    const open = async (): Promise<void> => (await openRedisReadStore({ url, keyPrefix: redis.keyPrefix, report })).close();
    await open();
    expect(told).toEqual([expect.stringContaining('append-only file')]);
    await admin('CONFIG', 'SET', 'appendonly', 'yes');
    await admin('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl');
    await open();
    expect(told).toHaveLength(1);
  });

  it('keeps credentials out of errors', async () => {
    const wrong = new URL(redis.url);
    wrong.password = 'wrong-secret';
    const refused: unknown = await openRedisReadStore({ url: wrong.href, timeLimitMs: TIME_LIMIT_MS }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ReadStoreUnavailable);
    expect(inspect(refused, { depth: 9 })).toContain('WRONGPASS');
    const malformed: unknown = await openRedisReadStore({ url: 'redis://:wrong-secret@[' }).catch((error: unknown) => error);
    expect(malformed).toMatchObject({ name: 'MalformedRedisUrl' });
    for (const error of [refused, malformed]) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('wrong-secret');
  });
});
