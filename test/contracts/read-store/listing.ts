import { expect, it } from '@jest/globals';
import {
  append,
  COLLECTION,
  keysOf,
  listed,
  PROJECTION,
  put,
  remove,
  removePrefix,
  serveDocuments,
  textOf,
  type UsedReadStore,
} from './fixture.js';

const NOTHING = Buffer.alloc(0);

/** Collections whose documents are empty bytes. */
export const listingContract = (harness: UsedReadStore): void => {
  const enter = (key: string, collection = 'list') => put(key, NOTHING, collection);

  it('keeps keys alone, in their order, beside documents', async () => {
    const { store, secondProcess, reopen } = harness();
    const namespace = await serveDocuments(store, [enter('b'), put('a', '1'), enter('a/2'), enter('a/1'), enter('gone'), enter('p/1')]);
    await store.commit(namespace, [enter('c'), enter('b'), remove('gone', 'list'), removePrefix('p/', 'list'), enter('p/2')], 1n, 2n);
    await store.flush();
    const other = await secondProcess();
    const keys = ['a/1', 'a/2', 'b', 'c', 'p/2'];
    for (const view of [store.view(PROJECTION), store.documents(namespace), other.view(PROJECTION)]) {
      expect(await listed(view, {}, 'list')).toEqual(keys.map((key) => `${key}=`));
      expect(await keysOf(view, { reverse: true, offset: 1, limit: 2 }, 'list')).toEqual(['c', 'b']);
      expect(await keysOf(view, { gt: 'a/1', lte: 'b', maxBytes: 10 }, 'list')).toEqual(['a/2', 'b']);
      expect((await view.getMany('list', ['b', 'gone', 'p/1', 'a/1'])).map(textOf)).toEqual(['', null, null, '']);
      expect([textOf(await view.get('list', 'c')), await view.get('list', 'none')]).toEqual(['', null]);
      expect(await view.lengths('list', ['c', 'none'])).toEqual([0, null]);
      expect([await view.count('list', {}), await view.count('list', { gte: 'b' })]).toEqual([5, 3]);
      expect(await listed(view)).toEqual(['a=1']);
    }
    expect((await store.size(PROJECTION)).documents).toBe(6);
    expect(await keysOf((await reopen()).view(PROJECTION), {}, 'list')).toEqual(keys);
  });

  it('may hold documents, and has keys among documents', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, [enter('a'), enter('b'), put('a', '1'), put('b', '1')]);
    await store.commit(
      namespace,
      [put('a', '2', 'list'), enter('a', COLLECTION), append('b', '3', 'list'), append('c', '4', 'list')],
      1n,
      2n,
    );
    const view = store.view(PROJECTION);
    expect([await listed(view, {}, 'list'), await listed(view)]).toEqual([
      ['a=2', 'b=3', 'c=4'],
      ['a=', 'b=1'],
    ]);
    await store.commit(namespace, [enter('a'), enter('b'), append('c', '5', 'list'), append('a', '6')], 2n, 3n);
    expect([await listed(view, {}, 'list'), await listed(view)]).toEqual([
      ['a=', 'b=', 'c=45'],
      ['a=6', 'b=1'],
    ]);
    expect((await store.size(PROJECTION)).documents).toBe(5);
    await store.commit(namespace, [removePrefix('', 'list'), remove('a'), remove('b')], 3n, 4n);
    expect([await listed(view, {}, 'list'), (await store.size(PROJECTION)).documents]).toEqual([[], 0]);
    await store.commit(namespace, [put('a', '7', 'list'), enter('b')], 4n, 5n);
    expect(await listed(view, {}, 'list')).toEqual(['a=7', 'b=']);
  });

  it('takes and removes more keys in one commit than a store takes at once', async () => {
    const { store } = harness();
    const keys = Array.from({ length: 7_000 }, (_, n) => `k${n}`);
    const namespace = await serveDocuments(
      store,
      keys.flatMap((key) => [enter(key), put(key, '1')]),
    );
    await store.commit(namespace, [removePrefix('k1', 'list'), enter('k10'), ...keys.slice(3_000).map((key) => remove(key))], 1n, 2n);
    const view = store.view(PROJECTION);
    expect(await view.count('list', {})).toBe(7_000 - 1_111 + 1);
    expect((await view.getMany('list', ['k1', 'k10', 'k6999'])).map(textOf)).toEqual([null, '', '']);
    expect((await view.range('list', { offset: 5_000, limit: 3 })).every(({ value }) => value.length === 0)).toBe(true);
    expect((await store.size(PROJECTION)).documents).toBe((await view.count('list', {})) + 3_000);
  });
};
