import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { NamespaceGone } from '#projections/shared/read-store.js';
import {
  COLLECTION,
  harnessOver,
  listed,
  PROJECTION,
  put,
  type ReadStoreHarness,
  removePrefix,
  serveDocuments,
} from '#test/contracts/read-store/fixture.js';
import { readStoreContract } from '#test/contracts/read-store.contract.js';
import { removeKeys, startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { openRedisReadStore } from './redis-read-store.js';

let redis: TestRedis;
let harnesses = 0;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

const newPrefix = (): string => `${redis.keyPrefix}-${++harnesses}`;

const openHarness = (): Promise<ReadStoreHarness> => {
  const keyPrefix = newPrefix();
  return harnessOver(() => openRedisReadStore({ url: redis.url, keyPrefix }));
};

readStoreContract('Redis', openHarness);

const keysIn = async (url: string, keyPrefix: string): Promise<readonly string[]> => {
  const client = await createClient({ url }).connect();
  try {
    const found: string[] = [];
    for await (const keys of client.scanIterator({ MATCH: `${keyPrefix}:*`, COUNT: 1_000 })) found.push(...keys);
    return found.sort();
  } finally {
    client.destroy();
  }
};

it('the Redis read store leaves no keys of builds that were given up or replaced', async () => {
  const keyPrefix = newPrefix();
  const base = `${keyPrefix}:{${PROJECTION}}`;
  const store = await openRedisReadStore({ url: redis.url, keyPrefix });
  await serveDocuments(store, [put('a', '1'), put('x', '1', 'only-old')]);
  const givenUp = await store.prepare(PROJECTION, 2);
  await store.commit(givenUp, [put('a', '2'), put('y', '2', 'only-given-up')], 0n, 1n);
  const next = await store.prepare(PROJECTION, 2);
  await store.commit(next, [put('b', '3'), put('gone/1', '3', 'emptied')], 0n, 1n);
  await store.commit(next, [removePrefix('gone/', 'emptied')], 1n, 2n);
  await store.serve(next);
  expect(await keysIn(redis.url, keyPrefix)).toEqual([
    `${base}:b`,
    `${base}:b:documents:${COLLECTION}`,
    `${base}:b:index:${COLLECTION}`,
    `${base}:meta`,
  ]);
  await store.close();
});

it('the Redis read store refuses commits to a build from before it lost everything, also where one stands in its place', async () => {
  const keyPrefix = newPrefix();
  const store = await openRedisReadStore({ url: redis.url, keyPrefix });
  const before = await store.prepare(PROJECTION, 1);
  await removeKeys(redis.url, keyPrefix);
  const after = await store.prepare(PROJECTION, 1);
  expect(after.slot).toBe(before.slot);
  await expect(store.commit(before, [put('a', '1')], 0n, 1n)).rejects.toThrow(NamespaceGone);
  await store.close();
});

it('the Redis read store keeps the keys of a list once', async () => {
  const keyPrefix = newPrefix();
  const store = await openRedisReadStore({ url: redis.url, keyPrefix });
  const { slot } = await serveDocuments(store, [put('a', Buffer.alloc(0)), put('b', Buffer.alloc(0)), put('a', '', 'texts')]);
  const client = await createClient({ url: redis.url }).connect();
  const fields = (collection: string) => client.hLen(`${keyPrefix}:{${PROJECTION}}:${slot}:documents:${collection}`);
  expect([await fields(COLLECTION), await fields('texts')]).toEqual([1, 1]);
  client.destroy();
  await store.close();
});

it('the Redis read store does a large commit in steps, and goes on with what an ended process left of it', async () => {
  const keyPrefix = newPrefix();
  const MANY = 20_000;
  const client = await createClient({ url: redis.url }).connect();
  const scripts = async (): Promise<number> => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
  const store = await openRedisReadStore({ url: redis.url, keyPrefix });
  const namespace = await serveDocuments(
    store,
    Array.from({ length: MANY }, (_, n) => put(`p/${n}`, '1')),
  );
  await store.size(PROJECTION);
  const before = await scripts();
  await store.commit(namespace, [removePrefix('p/'), put('a', '1')], 1n, 2n);
  await store.close();
  const left = await client.zCard(`${keyPrefix}:{${PROJECTION}}:${namespace.slot}:index:${COLLECTION}`);
  expect(left).toBeGreaterThan(0);
  const next = await openRedisReadStore({ url: redis.url, keyPrefix });
  expect(await next.view(PROJECTION).get(COLLECTION, 'p/7')).toBeNull();
  await next.commit(namespace, [put('b', '1')], 2n, 3n);
  expect(await next.size(PROJECTION)).toEqual({ documents: 2, bytes: null });
  expect(await keysIn(redis.url, keyPrefix)).not.toContainEqual(expect.stringContaining('unfinished'));
  expect((await scripts()) - before).toBeGreaterThan(MANY / 1_000);
  await next.close();
  client.destroy();
});

it('the Redis read store refuses what shows less than the floor of a view, also after the checkpoint went back, and all keys vanished', async () => {
  const keyPrefix = newPrefix();
  const store = await openRedisReadStore({ url: redis.url, keyPrefix });
  const unavailable = expect.objectContaining({ name: 'ReadModelsUnavailable' });
  let floor = 9n;
  const view = store.view(PROJECTION, () => floor);
  const served = await serveDocuments(store, [put('a', '1')]);
  await expect(view.get(COLLECTION, 'a')).rejects.toEqual(unavailable);
  await store.commit(served, [put('a', '2')], 1n, 10n);
  expect((await view.get(COLLECTION, 'a'))?.toString()).toBe('2');
  floor = 11n;
  await expect(view.getMany(COLLECTION, ['a'])).rejects.toEqual(unavailable);
  floor = 10n;
  expect(await listed(view)).toEqual(['a=2']);
  await store.commit(served, [put('a', '1')], 10n, 9n);
  await expect(view.ranges(COLLECTION, [{}])).rejects.toEqual(unavailable);
  await removeKeys(redis.url, keyPrefix);
  await expect(view.count(COLLECTION, {})).rejects.toEqual(unavailable);
  expect(await store.view(PROJECTION).get(COLLECTION, 'a')).toBeNull();
  await store.close();
});
