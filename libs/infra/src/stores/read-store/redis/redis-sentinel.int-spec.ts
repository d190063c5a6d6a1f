import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CheckpointConflict, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { COLLECTION, listed, PROJECTION, put, serveDocuments, textOf } from '#test/contracts/read-store/fixture.js';
import { reaching, whenBack, whenBackOrBehind } from '#test/support/read-stores.js';
import { askServer, untilSays } from '#test/support/redis/redis-cluster.js';
import { startRedisSentinel, type TestSentinel } from '#test/support/redis/redis-sentinel.js';
import { openRedisReadStore } from './redis-read-store.js';

describe('the Redis read store behind a Sentinel', () => {
  let redis: TestSentinel;
  let store: ReadStore;
  let other: ReadStore;
  beforeEach(async () => {
    redis = await startRedisSentinel();
    const { url, keyPrefix } = redis;
    [store, other] = await Promise.all([openRedisReadStore({ url, keyPrefix }), openRedisReadStore({ url, keyPrefix })]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    await redis.stop();
  });

  const failOver = (): Promise<void> => untilSays(redis.sentinel, ['SENTINEL', 'FAILOVER', redis.name], 'OK');

  it('goes on with the replica of a master that died, and does not hide that it lacks the last commit', async () => {
    const { master, replica } = redis;
    const namespace = await serveDocuments(store, [put('a', '1')]);
    await askServer(master, 'WAIT', '1', '5000');
    const seen = reaching(other, PROJECTION, 2n);
    // From here on the replica receives nothing.
    replica.signal('SIGSTOP');
    await askServer(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
    await store.commit(namespace, [put('b', '2')], 1n, 2n);
    await seen;
    master.signal('SIGKILL');
    replica.signal('SIGCONT');
    await expect(store.commit(namespace, [put('c', '3')], 2n, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await failOver();
    expect(await whenBack(() => store.checkpoint(namespace))).toBe(1n);
    await expect(store.commit(namespace, [put('c', '3')], 2n, 3n)).rejects.toBeInstanceOf(CheckpointConflict);
    for (const one of [store, other])
      expect(await whenBackOrBehind(() => one.view(PROJECTION, () => 2n).get(COLLECTION, 'a'))).toBe('behind');
    await store.commit(namespace, [put('b', '2')], 1n, 2n);
    const again = reaching(other, PROJECTION, 3n);
    await store.commit(namespace, [put('c', '3')], 2n, 3n);
    await again;
    for (const one of [store, other]) expect(await listed(one.view(PROJECTION))).toEqual(['a=1', 'b=2', 'c=3']);
  });

  it('leaves a master that was replaced although it still answers', async () => {
    const namespace = await serveDocuments(store, [put('a', '1')]);
    await askServer(redis.master, 'WAIT', '1', '5000');
    await failOver();
    await untilSays(redis.replica, ['ROLE'], 'master');
    const written = async (): Promise<void> => {
      const checkpoint = await store.checkpoint(namespace);
      if (checkpoint === 1n) await store.commit(namespace, [put('a', '2')], 1n, 2n);
    };
    while (textOf(await askServer(redis.replica, 'HGET', `${redis.keyPrefix}:{${PROJECTION}}:meta`, 'a.checkpoint').then(bytes)) !== '2')
      await whenBack(written);
    expect(await whenBack(() => listed(store.view(PROJECTION)))).toEqual(['a=2']);
  });

  it('never repeats a commit by itself whose connection broke before the answer', async () => {
    const namespace = await serveDocuments(store, [put('a', '1')]);
    const outcomes = new Set<string>();
    let checkpoint = 1n;
    for (let commit = 0; commit < 20; commit++) {
      const committed = store.commit(namespace, [put('b', `${commit}`)], checkpoint, checkpoint + 1n);
      const cut = askServer(redis.master, 'CLIENT', 'KILL', 'TYPE', 'normal').catch(() => undefined);
      outcomes.add(
        await committed.then(
          () => 'done',
          (error: Error) => error.name,
        ),
      );
      await cut;
      checkpoint = (await whenBack(() => store.checkpoint(namespace))) ?? checkpoint;
    }
    expect(checkpoint).toBeGreaterThan(1n);
    outcomes.delete('done');
    expect([...outcomes]).toEqual(outcomes.size > 0 ? [ReadStoreUnavailable.name] : []);
  });
});

const bytes = (answer: unknown): Buffer | null => (answer === null ? null : Buffer.from(String(answer)));
