import { expect, it } from '@jest/globals';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { eventually } from '#test/support/eventually.js';
import { runs } from '#test/support/test-runs.js';
import {
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

/** More than a call can pass as arguments of its own, on the stack of Lua, and in a full run on that of JavaScript. */
const MANY = runs(60_000, 10_000);

const idsUpTo = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `r${String(n).padStart(6, '0')}`);

export const bulkContract = (harness: UsedReadStore): void => {
  it(`takes ${MANY} changes in one commit`, async () => {
    const { store } = harness();
    const view = store.view(PROJECTION);
    const ids = idsUpTo(MANY);
    const namespace = await serveDocuments(
      store,
      ids.flatMap((id) => [put(`${id}/1`, id), put(id, '', 'elsewhere')]),
    );
    expect([await view.count(COLLECTION, {}), await view.count('elsewhere', {})]).toEqual([MANY, MANY]);
    await store.commit(
      namespace,
      [...ids.slice(1).map((id) => remove(`${id}/1`)), removePrefix('r', 'elsewhere'), put('r', 'last', 'elsewhere')],
      1n,
      2n,
    );
    expect([await view.count(COLLECTION, {}), await view.count('elsewhere', {})]).toEqual([1, 1]);
    await eventually(() => store.size(PROJECTION)).until(({ documents }) => documents === 2);
  });

  it(`reads ${MANY} documents in one call, each way`, async () => {
    const { store } = harness();
    const ids = idsUpTo(MANY);
    const namespace = await serveDocuments(
      store,
      ids.flatMap((id) => [put(`${id}/1`, 'old'), put(`${id}/2`, id)]),
    );
    const wanted = ids.map((id, n) => (n % 2 ? `${id}/2` : `${id}/3`));
    const ranges = ids.map((id) => ({ gte: `${id}/`, lt: `${id}0`, reverse: true, limit: 1 }));
    for (const view of [store.view(PROJECTION), store.documents(namespace)]) {
      const many = (await view.getMany(COLLECTION, wanted)).map(textOf);
      const newest = (await view.ranges(COLLECTION, ranges)).map((found) => found.map(({ key, value }) => key + value).join());
      // As texts: to compare so many elements one by one takes long.
      expect(many.join() === ids.map((id, n) => (n % 2 ? id : null)).join()).toBe(true);
      expect(newest.join() === ids.map((id) => `${id}/2${id}`).join()).toBe(true);
    }
    const all = (await store.view(PROJECTION).range(COLLECTION, { gte: 'r' })).map(({ key }) => key);
    expect(all.join() === ids.flatMap((id) => [`${id}/1`, `${id}/2`]).join()).toBe(true);
  });

  it(`removes ${MANY} documents by prefix at once, and no others`, async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const ids = idsUpTo(MANY);
    const namespace = await serveDocuments(store, [
      ...ids.map((id) => put(`p/${id}`, id)),
      ...['a', 'p', 'p0', 'q'].map((key) => put(key, '1')),
      put('p/r', '1', 'elsewhere'),
    ]);
    await store.commit(namespace, [put('p/first', '2'), put('b', '2'), removePrefix('p/'), remove('q'), put('c', '2')], 1n, 2n);
    const [first = '', second = ''] = ids;
    for (const view of [store.view(PROJECTION), other.view(PROJECTION)]) {
      expect(await view.get(COLLECTION, `p/${first}`)).toBeNull();
      expect((await view.getMany(COLLECTION, ['a', 'p/first', `p/${second}`, 'c'])).map(textOf)).toEqual(['1', null, null, '2']);
      const ranges = [{ gte: 'p/', lt: 'p0' }, { gte: 'p/r000001', lte: 'p/r000002' }, { lte: 'b' }, { gt: 'p/', reverse: true }];
      const found = await view.ranges(COLLECTION, ranges);
      expect(found.map((documents) => documents.map(({ key }) => key))).toEqual([[], [], ['a', 'b'], ['p0']]);
      expect(
        await Promise.all([{ gte: 'p/', lt: 'p0' }, { gte: 'p', lt: 'p/' }, {}].map((range) => view.count(COLLECTION, range))),
      ).toEqual([0, 1, 5]);
      expect(textOf(await view.get('elsewhere', 'p/r'))).toBe('1');
    }
    await other.commit(namespace, [put(`p/${second}`, 'again'), put('d', '3')], 2n, 3n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1', 'b=2', 'c=2', 'd=3', 'p=1', `p/${second}=again`, 'p0=1']);
    await eventually(() => store.size(PROJECTION)).until(({ documents }) => documents === 8);
  });

  it('finds far offsets, each way', async () => {
    const { store } = harness();
    const keys = idsUpTo(5_000);
    await serveDocuments(store, [...keys.map((key) => put(key, '1')), put('a', '1'), put('z', '1')]);
    const view = store.view(PROJECTION);
    const within = keys.slice(10, 4_990);
    const bounds = { gte: within[0] ?? '', lt: keys[4_990] ?? '' };
    for (const [offset, limit] of [
      [600, 3],
      [4_978, 5],
      [4_980, 1],
      [1_000, 0],
      [700, 2_500],
    ] as const) {
      const [forwards, backwards] = await view.ranges(COLLECTION, [
        { ...bounds, offset, limit },
        { ...bounds, offset, limit, reverse: true },
      ]);
      expect(forwards?.map(({ key }) => key)).toEqual(within.slice(offset, offset + limit));
      expect(backwards?.map(({ key }) => key)).toEqual(within.toReversed().slice(offset, offset + limit));
    }
    expect((await view.range(COLLECTION, { offset: 4_999 })).map(({ key }) => key)).toEqual(['r004998', 'r004999', 'z']);
    expect(await keysOf(view, { gt: 'a', offset: 4_999, reverse: true })).toEqual(['r000001', 'r000000']);
  });

  it(`finds nothing for ${MANY} keys before anything is served`, async () => {
    const view = harness().store.view(PROJECTION);
    const ids = idsUpTo(MANY);
    expect((await view.getMany(COLLECTION, ids)).every((found) => found === null)).toBe(true);
    expect(
      (
        await view.ranges(
          COLLECTION,
          ids.map((gte) => ({ gte })),
        )
      ).every((found) => found.length === 0),
    ).toBe(true);
  });

  it('reads many documents in one state, also while they are written', async () => {
    const { store } = harness();
    const ids = idsUpTo(runs(5_000, 2_000));
    const written = (value: bigint) => ids.map((id) => put(id, String(value)));
    const namespace = await serveDocuments(store, written(1n));
    let checkpoint = 1n;
    let reading = true;
    const writing = (async () => {
      while (reading) {
        await store.commit(namespace, written(checkpoint + 1n), checkpoint, checkpoint + 1n);
        checkpoint += 1n;
      }
    })();
    const view = store.view(PROJECTION);
    const states: string[][] = [];
    while (checkpoint < 6n) {
      await nextTurn(); // a store that answers at once leaves no turn to the writer
      states.push((await view.getMany(COLLECTION, ids)).map(String));
      const found = await view.ranges(
        COLLECTION,
        ids.map((id) => ({ gte: id, lte: id })),
      );
      states.push(found.flatMap((documents) => documents.map(({ value }) => value.toString())));
    }
    reading = false;
    await writing;
    expect(states.map((values) => [values.length, new Set(values).size])).toEqual(states.map(() => [ids.length, 1]));
  });
};
