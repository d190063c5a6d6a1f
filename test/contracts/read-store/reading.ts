import { expect, it } from '@jest/globals';
import type { KeyRange, ReadView } from '#projections/shared/read-store.js';
import { COLLECTION, keysOf, listed, PROJECTION, put, serveDocuments, textOf, type UsedReadStore } from './fixture.js';

/** A collection without sealed members. */
const BLOBS = 'blobs';

const dated = ['p1/2024-01-01', 'p1/2024-02-01', 'p1/2024-03-01', 'p2/2024-01-15', 'p3/2023-12-31', 'p3/2024-06-30'];

export const readingContract = (harness: UsedReadStore): void => {
  it('finds nothing before anything is served', async () => {
    const { store } = harness();
    const view = store.view(PROJECTION);
    const unserved = await store.prepare(PROJECTION, 1);
    await store.commit(unserved, [put('a', '1')], 0n, 1n);
    expect(await view.get(COLLECTION, 'a')).toBeNull();
    expect(await view.getMany(COLLECTION, ['a', 'b'])).toEqual([null, null]);
    expect(await view.range(COLLECTION, {})).toEqual([]);
    expect(await view.ranges(COLLECTION, [{}, { limit: 1 }])).toEqual([[], []]);
    expect(await view.count(COLLECTION, {})).toBe(0);
    expect(await store.served(PROJECTION)).toBeNull();
    expect((await store.size(PROJECTION)).documents).toBe(0);
    expect(textOf(await store.documents(unserved).get(COLLECTION, 'a'))).toBe('1');
  });

  it('returns the very bytes of a document, one or many, in the order asked', async () => {
    const { store } = harness();
    const text = '{"näme":"日本 😀","empty":"","n":1e3}';
    await serveDocuments(store, [put('k', text), put('empty', ''), put('k', 'other', 'elsewhere')]);
    const view = store.view(PROJECTION);
    expect(await view.get(COLLECTION, 'k')).toEqual(Buffer.from(text));
    expect(await view.get(COLLECTION, 'empty')).toEqual(Buffer.alloc(0));
    expect(await view.get(COLLECTION, 'missing')).toBeNull();
    expect(textOf(await view.get('elsewhere', 'k'))).toBe('other');
    const many = await view.getMany(COLLECTION, ['missing', 'k', 'empty', 'k']);
    expect(many.map(textOf)).toEqual([null, text, '', text]);
    expect(await view.getMany(COLLECTION, [])).toEqual([]);
  });

  it('returns bytes that later reads do not change', async () => {
    const { store } = harness();
    await serveDocuments(store, [put('a', 'A'.repeat(40_000)), put('b', 'B'.repeat(40_000))]);
    const view = store.view(PROJECTION);
    const first = await view.get(COLLECTION, 'a');
    const [ranged] = await view.range(COLLECTION, { limit: 1 });
    await view.get(COLLECTION, 'b');
    await view.range(COLLECTION, { gt: 'a' });
    expect(textOf(first)).toBe('A'.repeat(40_000));
    expect(ranged?.value.toString()).toBe('A'.repeat(40_000));
  });

  it('ends each range with the document that reaches its limit of bytes', async () => {
    const { store } = harness();
    const lengths = Array.from({ length: 60 }, (_, index) => (index % 3) * 10);
    const keys = lengths.map((_, index) => String(index).padStart(2, '0'));
    await serveDocuments(
      store,
      keys.map((key, index) => put(key, 'x'.repeat(lengths[index] ?? 0))),
    );
    const view = store.view(PROJECTION);
    const found = async (...ranges: readonly KeyRange[]) =>
      (await view.ranges(COLLECTION, ranges)).map((documents) => documents.map(({ key, value }) => [key, value.length]));
    const first = (count: number) => keys.slice(0, count).map((key, index) => [key, lengths[index]]);
    expect(await found({ maxBytes: 1 }, { maxBytes: 10 }, { maxBytes: 11 }, { maxBytes: 0 })).toEqual([2, 2, 3, 1].map(first));
    expect(await found({ maxBytes: 300 }, { maxBytes: 100_000 }, {})).toEqual([30, 60, 60].map(first));
    expect(await found({ maxBytes: 300, limit: 7 }, { maxBytes: 30, reverse: true })).toEqual([first(7), first(60).reverse().slice(0, 2)]);
    expect(await found({ maxBytes: 30, gt: '98' })).toEqual([[]]);
  });

  it('applies every kind of bound, forwards and backwards', async () => {
    const { store } = harness();
    await serveDocuments(
      store,
      dated.map((key) => put(key, `v:${key}`)),
    );
    const view = store.view(PROJECTION);
    const inside = (range: KeyRange): readonly string[] =>
      dated.filter(
        (key) =>
          (range.gte === undefined || key >= range.gte) &&
          (range.gt === undefined || key > range.gt) &&
          (range.lte === undefined || key <= range.lte) &&
          (range.lt === undefined || key < range.lt),
      );
    const points = ['', 'p1/2024-02-01', 'p1/2024-02', 'p2', 'p3/2024-06-30', 'zzz'];
    const lowers: KeyRange[] = [{}, ...points.flatMap((point) => [{ gte: point }, { gt: point }])];
    const uppers: KeyRange[] = [{}, ...points.flatMap((point) => [{ lte: point }, { lt: point }])];
    const all = lowers.flatMap((lower) => uppers.map((upper) => ({ ...lower, ...upper })));
    const forwards = await view.ranges(COLLECTION, all);
    const backwards = await view.ranges(
      COLLECTION,
      all.map((range) => ({ ...range, reverse: true })),
    );
    expect(forwards.map((found) => found.map(({ key }) => key))).toEqual(all.map(inside));
    expect(backwards.map((found) => found.map(({ key }) => key))).toEqual(all.map((range) => [...inside(range)].reverse()));
    expect(await Promise.all(all.map((range) => view.count(COLLECTION, range)))).toEqual(all.map((range) => inside(range).length));
  });

  it('answers several ranges at once, in the order asked, and keeps collections apart', async () => {
    const { store } = harness();
    await serveDocuments(store, [
      put('a', '1'),
      put('b', '2'),
      put('a', '3', 'profiles2'),
      put('z', '4', 'profile'),
      put('b', '5', 'profiles2'),
    ]);
    const view = store.view(PROJECTION);
    const found = await view.ranges(COLLECTION, [{ gt: 'a' }, { lt: 'a' }, { reverse: true }]);
    expect(found.map((documents) => documents.map(({ key, value }) => key + value.toString()))).toEqual([['b2'], [], ['b2', 'a1']]);
    expect(await view.ranges(COLLECTION, [])).toEqual([]);
    expect(await listed(view, {}, 'profiles2')).toEqual(['a=3', 'b=5']);
    expect(await listed(view, { reverse: true }, 'profile')).toEqual(['z=4']);
    expect(await view.count('profiles2', {})).toBe(2);
    expect(await listed(view, {}, 'nothing')).toEqual([]);
  });

  it('finds nothing under keys that no document can have, and takes bounds of any length', async () => {
    const { store } = harness();
    const longest = 'k'.repeat(1_500);
    await serveDocuments(store, [put('a', '1'), put(longest, '2'), put('日'.repeat(500), '3')]);
    const view = store.view(PROJECTION);
    expect(await view.get(COLLECTION, '')).toBeNull();
    expect(await view.get(COLLECTION, `${longest}k`)).toBeNull();
    expect(await view.get(COLLECTION, '日'.repeat(3_000))).toBeNull();
    expect((await view.getMany(COLLECTION, ['', 'x'.repeat(10_000), longest])).map(textOf)).toEqual([null, null, '2']);
    expect(textOf(await view.get(COLLECTION, '日'.repeat(500)))).toBe('3');
    for (const beyond of [`${longest}k`, longest + 'k'.repeat(9_000)]) {
      expect(await keysOf(view, { lte: beyond })).toEqual(['a', longest]);
      expect(await keysOf(view, { lt: beyond, reverse: true, limit: 1 })).toEqual([longest]);
      expect(await keysOf(view, { gt: beyond })).toEqual(['日'.repeat(500)]);
      expect(await keysOf(view, { gte: beyond, reverse: true })).toEqual(['日'.repeat(500)]);
      expect(await view.count(COLLECTION, { gte: 'b', lte: beyond })).toBe(1);
    }
  });

  it('gives bytes as they were put, whatever they are', async () => {
    const { store, reopen } = harness();
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const long = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * n * 7_919) >> 8));
    const values = { all: every, empty: Buffer.alloc(0), long, some: every.subarray(128), text: Buffer.from('é') };
    const changes = Object.entries(values).map(([key, value]) => put(key, value, BLOBS));
    const namespace = await serveDocuments(store, [put('all', 'text', BLOBS), ...changes]);
    const view = store.view(PROJECTION);
    const check = async (shown: ReadView) => {
      expect((await shown.getMany(BLOBS, Object.keys(values))).map((one) => one?.toString('hex'))).toEqual(
        Object.values(values).map((value) => value.toString('hex')),
      );
      expect(await shown.lengths(BLOBS, Object.keys(values))).toEqual(Object.values(values).map(({ length }) => length));
      expect((await shown.range(BLOBS, { lte: 'all' }))[0]?.value.equals(every)).toBe(true);
      expect((await shown.get(BLOBS, 'long'))?.equals(long)).toBe(true);
    };
    await check(view);
    const next = Buffer.concat([long.subarray(0, 50_000), every, long.subarray(50_000)]);
    await store.commit(namespace, [put('long', next, BLOBS), put('z', 'text', BLOBS)], 1n, 2n);
    expect((await view.get(BLOBS, 'long'))?.equals(next)).toBe(true);
    await store.commit(namespace, changes, 2n, 3n);
    await check((await reopen()).view(PROJECTION));
  });

  it('gives bytes of a commit that is larger than a store takes at once', async () => {
    const { store } = harness();
    const bytes = (n: number): Buffer => Buffer.from([n & 255, (n >> 8) & 255, 255, 0]);
    const many = Array.from({ length: 7_000 }, (_, n) => put(`k${n}`, bytes(n), BLOBS));
    await serveDocuments(store, many);
    const found = await store.view(PROJECTION).getMany(
      BLOBS,
      many.map((_, n) => `k${n}`),
    );
    expect(found.every((value, n) => value?.equals(bytes(n)))).toBe(true);
  });
};
