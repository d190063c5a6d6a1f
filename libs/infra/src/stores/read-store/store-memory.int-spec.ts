import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import type { ReadStore } from '#projections/shared/read-store.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { openRedisReadStore } from './redis/redis-read-store.js';
import { daysLeft, MemoryWatch } from './store-memory.js';

const DAY = 86_400_000;

describe('days until the memory is full', () => {
  const grown = (days: number, bytes: number) => [[0, 1_000] as const, [days * DAY, bytes] as const] as const;

  it('are those at the pace of the last week', () => {
    expect(daysLeft(grown(7, 1_700), 7 * DAY, { bytes: 1_700, limit: 3_000 })).toBe(13);
    const twoWeeks = Array.from({ length: 57 }, (_, at) => [(at * DAY) / 4, at < 28 ? 0 : 100 * (at - 28)] as const);
    expect(daysLeft(twoWeeks, 14 * DAY, { bytes: 2_800, limit: 5_600 })).toBeCloseTo(7, 0);
  });

  it('are not known without a limit, on the first day, and while nothing grows', () => {
    expect(daysLeft(grown(7, 1_700), 7 * DAY, { bytes: 1_700, limit: null })).toBeNull();
    expect(daysLeft(grown(0.5, 1_700), 0.5 * DAY, { bytes: 1_700, limit: 3_000 })).toBeNull();
    expect(daysLeft(grown(7, 900), 7 * DAY, { bytes: 900, limit: 3_000 })).toBeNull();
    expect(daysLeft([], DAY, { bytes: 900, limit: 3_000 })).toBeNull();
  });
});

describe('the memory of Redis', () => {
  let redis: TestRedis;
  let store: ReadStore;
  let client: ReturnType<typeof createClient>;
  beforeEach(async () => {
    redis = await startRedis('--maxmemory', '12mb', '--maxmemory-policy', 'noeviction');
    store = await openRedisReadStore({ url: redis.url });
    client = createClient({ url: redis.url });
    await client.connect();
  });
  afterEach(async () => {
    client?.destroy();
    await store?.close();
    await redis?.stop();
  });
  const fill = async (): Promise<void> => {
    for (let number = 0; ; number++) {
      const refusal = await client.set(`filling ${number}`, 'x'.repeat(2 ** 18)).catch((error: Error) => error);
      if (refusal instanceof Error) return;
    }
  };

  it('is shown with its limit, and keeps a sample of every six hours for all nodes', async () => {
    let now = DAY;
    expect(await new MemoryWatch(store, () => now).look()).toEqual({
      bytes: expect.any(Number),
      limit: 12 * 2 ** 20,
      ...{ evicted: 0, refused: 0, refusal: null, drops: null, daysLeft: null },
    });
    now = 3 * DAY;
    await client.set('more', 'x'.repeat(2 ** 21));
    const { daysLeft: days } = (await new MemoryWatch(store, () => now, false).look()) ?? {};
    expect([days && days > 0, days && days < 20]).toEqual([true, true]);
  });

  it('has samples after a clock that was ahead is set right', async () => {
    let now = 30 * DAY;
    await new MemoryWatch(store, () => now).look();
    now = DAY;
    await new MemoryWatch(store, () => now).look();
    now = 3 * DAY;
    await client.set('more', 'x'.repeat(2 ** 21));
    expect((await new MemoryWatch(store, () => now).look())?.daysLeft).not.toBeNull();
  });

  it('refuses writes when it is full, and is seen to', async () => {
    const watch = new MemoryWatch(store, () => DAY, true, 0);
    expect(await watch.look()).toMatchObject({ refusal: null, refused: 0 });
    await fill();
    expect(await watch.look()).toMatchObject({ refusal: 'its memory is full', refused: expect.any(Number) });
    await client.configSet('maxmemory', '1mb');
    expect((await store.usage?.())?.refusal).toBe('its memory is full');
    await client.configSet('maxmemory', '100mb');
    expect((await store.usage?.())?.refusal).toBeNull();
  });

  it('is not safe with a policy that drops documents, whenever it is set', async () => {
    await client.configSet('maxmemory-policy', 'allkeys-lru');
    expect((await store.usage?.())?.drops).toBe('maxmemory-policy of Redis is allkeys-lru');
    for (let number = 0; number < 100; number++) await client.set(`filling ${number}`, 'x'.repeat(2 ** 18));
    expect((await store.usage?.())?.evicted).toBeGreaterThan(0);
  });
});
