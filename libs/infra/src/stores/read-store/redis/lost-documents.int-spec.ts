import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { DocumentsLost, type Namespace, type ReadStore } from '#projections/shared/read-store.js';
import { startRedis, type TestRedis } from '#test/support/redis/redis.js';
import { openRedisReadStore } from './redis-read-store.js';

const NAME = 'test.ledger';

describe('documents that are gone from Redis', () => {
  let redis: TestRedis;
  let store: ReadStore;
  let client: ReturnType<typeof createClient>;
  let served: Namespace;
  let lost: string[];
  beforeEach(async () => {
    redis = await startRedis();
    lost = [];
    store = await openRedisReadStore({ url: redis.url, keyPrefix: redis.keyPrefix, onLost: (name) => lost.push(name) });
    client = createClient({ url: redis.url });
    await client.connect();
    served = await store.prepare(NAME, 1);
    const put = (collection: string, key: string) => ({ kind: 'put', collection, key, value: `{"of":"${key}"}` }) as const;
    const log = { kind: 'append', collection: 'logs', key: 'one', piece: 'a piece' } as const;
    const listed = (key: string) => ({ kind: 'put', collection: 'lists', key, value: Buffer.alloc(0) }) as const;
    const list = [listed('one'), listed('two')];
    await store.commit(served, [put('users', 'ada'), put('users', 'bob'), put('names', 'ada'), put('gone', 'x'), log, ...list], 0n, 1n);
    await store.commit(served, [{ kind: 'delete', collection: 'gone', key: 'x' }], 1n, 2n);
    await store.serve(served);
  });
  afterEach(async () => {
    client?.destroy();
    await store?.close();
    await redis?.stop();
  });
  const key = (rest: string): string => `${redis.keyPrefix}:{${NAME}}:${served.slot}${rest}`;
  const view = () => store.view(NAME);
  const commit = (user: string) => store.commit(served, [{ kind: 'put', collection: 'users', key: user, value: '{}' }], 2n, 3n);

  it('are not what was never there, or was deleted', async () => {
    expect(await view().get('users', 'eve')).toBeNull();
    expect(await view().getMany('gone', ['x', 'y'])).toEqual([null, null]);
    expect(await view().lengths('users', ['eve', 'ada'])).toEqual([null, 12]);
    expect(await view().range('gone', {})).toEqual([]);
    expect(await view().count('never', {})).toBe(0);
    expect(lost).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a document', () => client.hDel(key(':documents:users'), 'ada')],
    ['the documents of a collection', () => client.del(key(':documents:users'))],
    ['the index of a collection', () => client.del(key(':index:users'))],
    ['a collection', () => client.del([key(':documents:users'), key(':index:users')])],
    [
      'a collection, into which something was written since',
      async () => {
        await client.del([key(':documents:users'), key(':index:users')]);
        await commit('carl');
      },
    ],
    ['the list of collections', () => client.del(key(''))],
  ])('refuse every read that could show less: %s', async (_what, drop) => {
    await drop();
    const isRefused = (read: Promise<unknown>): Promise<boolean> =>
      read.then(
        (found) => !JSON.stringify(found).includes('null'),
        (error) => error instanceof DocumentsLost,
      );
    for (const read of [view().get('users', 'ada'), view().getMany('users', ['bob', 'ada']), view().lengths('users', ['ada'])])
      expect(await isRefused(read)).toBe(true);
    await expect(view().range('users', {})).rejects.toThrow(DocumentsLost);
    await view()
      .count('users', {})
      .then(
        (count) => expect(count).toBe(2),
        (error) => expect(error).toBeInstanceOf(DocumentsLost),
      );
    expect(new Set(lost)).toEqual(new Set([NAME]));
  });

  it.each(['documents', 'index'])('are the keys of a list, too: without its %s', async (part) => {
    const keysOf = async () => (await view().range('lists', {})).map((document) => document.key);
    expect([await keysOf(), await view().getMany('lists', ['one', 'three'])]).toEqual([
      ['one', 'two'],
      [Buffer.alloc(0), null],
    ]);
    await client.del(key(`:${part}:lists`));
    for (let turn = 2n; turn < 4n; turn++) {
      await expect(keysOf()).rejects.toThrow(DocumentsLost);
      for (const name of part === 'index' ? ['one', 'absent'] : ['one'])
        await expect(view().get('lists', name)).rejects.toThrow(DocumentsLost);
      await store.commit(served, [{ kind: 'put', collection: 'lists', key: 'three', value: Buffer.alloc(0) }], turn, turn + 1n);
    }
  });

  it('are not made whole by a piece that is added to a text that is gone', async () => {
    await client.del(key(':documents:logs'));
    await store.commit(served, [{ kind: 'append', collection: 'logs', key: 'one', piece: 'a later piece' }], 2n, 3n);
    await expect(view().getMany('logs', ['head', 'one'])).rejects.toThrow(DocumentsLost);
  });

  it('are a text without one of its pieces, too', async () => {
    const [field = ''] = (await client.hKeys(key(':documents:logs'))).filter((one) => one.startsWith('one') && one.endsWith('1'));
    await client.sendCommand([
      'EVAL',
      "for _, f in ipairs(redis.call('HKEYS', KEYS[1])) do if string.sub(f, -1) == '1' then redis.call('HDEL', KEYS[1], f) end end",
      '1',
      key(':documents:logs'),
    ]);
    expect(field).not.toBe('');
    await expect(view().get('logs', 'one')).rejects.toThrow(DocumentsLost);
  });

  it('do not stay for a later build in the same place, even if the list of collections is gone', async () => {
    await client.del(key(''));
    for (let build = 0; build < 2; build++) {
      const next = await store.prepare(NAME, 1);
      expect(await store.documents(next).get('users', 'ada')).toBeNull();
      const changes = ['users', 'names'].map((collection) => ({ kind: 'put', collection, key: 'eve', value: '{}' }) as const);
      await store.commit(next, changes, 0n, 3n);
      await store.serve(next);
    }
    expect((await view().range('users', {})).map((document) => document.key)).toEqual(['eve']);
    expect(await view().get('names', 'ada')).toBeNull();
  });

  it('are left out by a comparison of the build, which goes on', async () => {
    await client.hDel(key(':documents:users'), 'ada');
    expect((await store.documents(served).range('users', {})).map((document) => document.key)).toEqual(['bob']);
    expect(lost).toEqual([NAME]);
  });
});
