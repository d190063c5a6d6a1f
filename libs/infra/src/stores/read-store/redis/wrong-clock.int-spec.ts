import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { COLLECTION, listed, PROJECTION, put, serveDocuments } from '#test/contracts/read-store/fixture.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { STAGE } from './commits/commit-scripts.js';
import { Committer } from './commits/committer.js';
import { Unfinished } from './commits/unfinished.js';
import { connectTo } from './connection/connect.js';
import type { RedisConnection } from './connection/connection.js';
import { parseRedisUrl } from './connection/redis-url.js';
import { ProjectionKeys } from './keys.js';
import { HOLD } from './read-scripts.js';
import { openRedisReadStore } from './redis-read-store.js';

const HOUR_MS = 3_600_000;
const TIME_LIMIT_MS = 1_200;

/** Imitates the effects of clock changes, because the clock of a shared server cannot be set. */
describe('the Redis read store after the clock of Redis was set', () => {
  let redis: TestRedis;
  let store: ReadStore;
  let connection: RedisConnection;
  let keys: ProjectionKeys;
  let namespace: Namespace;
  beforeEach(async () => {
    redis = await startRedis();
    const { url, keyPrefix } = redis;
    store = await openRedisReadStore({ url, keyPrefix, timeLimitMs: TIME_LIMIT_MS });
    connection = connectTo({ place: parseRedisUrl(url), name: 'test', timeLimitMs: TIME_LIMIT_MS, runsScripts: true });
    await connection.untilReady();
    keys = new ProjectionKeys(keyPrefix, PROJECTION);
    namespace = await serveDocuments(store, [put('a', '1')]);
  });
  afterEach(async () => {
    await store.close();
    await connection.close();
    await redis.stop();
  });

  const hold = () => connection.run<number>(HOLD, [keys.meta], [namespace.slot]);
  const heldUntil = (time: number) => connection.command(['HSET', keys.meta, `${namespace.slot}.held`, `${Math.round(time)}`]);

  it('does not wait for a hold from before the clock was set back', async () => {
    await heldUntil(Date.now() + HOUR_MS);
    await store.commit(namespace, [put('a', '2')], 1n, 2n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=2']);
    await heldUntil(Date.now() + HOUR_MS);
    expect(await hold()).toBe(1);
  });

  it('still waits for a hold of now', async () => {
    expect(await hold()).toBe(1);
    const until = Number(await connection.command(['HGET', keys.meta, `${namespace.slot}.held`]));
    await store.commit(namespace, [put('a', '2')], 1n, 2n);
    const [time = []] = await connection.commandEach<readonly Buffer[]>(['TIME']);
    expect(Number(time[0]) * 1_000 + Number(time[1]) / 1_000).toBeGreaterThanOrEqual(until);
  });

  it('stages a large commit again of which the first parts have expired', async () => {
    const committed = { parts: 0 };
    const run: RedisConnection['run'] = async (script, names, args) => {
      const reply = await connection.run(script, names, args);
      committed.parts += script === STAGE ? 1 : 0;
      // Expired parts are gone, and the next part begins a new list.
      if (script === STAGE && committed.parts === 1) await connection.command(['UNLINK', names[0] ?? '']);
      return reply as never;
    };
    const losing = Object.create(connection, { run: { value: run } }) as RedisConnection;
    const committer = new Committer(losing, keys, new Unfinished(losing, keys), TIME_LIMIT_MS);
    const changes = Array.from({ length: 6_001 }, (_, index) => put(`key-${index}`, `${index}`));
    await committer.commit(namespace, changes, { from: '1', to: '2', origin: '', token: '' });
    expect(await store.view(PROJECTION).count(COLLECTION, {})).toBe(changes.length + 1);
  });
});
