import { expect, it } from '@jest/globals';
import { type Change, NamespaceGone } from '#projections/shared/read-store.js';
import {
  append,
  COLLECTION,
  listed,
  PROJECTION,
  put,
  remove,
  removePrefix,
  serveDocuments,
  textOf,
  type UsedReadStore,
} from './fixture.js';

export const appendingContract = (harness: UsedReadStore): void => {
  it('adds pieces to the text there is, or begins it', async () => {
    const { store, secondProcess, reopen } = harness();
    const namespace = await serveDocuments(store, [put('a', 'x'), append('b', ''), append('a', '1'), append('c', 'é')]);
    await store.commit(namespace, [append('a', '2'), append('c', '€'), append('a', '3'), put('d', 'old')], 1n, 2n);
    await store.commit(namespace, [append('d', '1'), put('d', 'new'), append('d', '2'), append('a', '', 'other')], 2n, 3n);
    const expected = ['a=x123', 'b=', 'c=é€', 'd=new2'];
    await store.flush();
    const other = await secondProcess();
    for (const view of [store.view(PROJECTION), store.documents(namespace), other.view(PROJECTION)]) {
      expect(await listed(view)).toEqual(expected);
      expect(await listed(view, { reverse: true, limit: 2 })).toEqual(expected.slice(2).toReversed());
      expect(await listed(view, { maxBytes: 4 })).toEqual(expected.slice(0, 1));
      expect((await view.getMany(COLLECTION, ['d', 'none', 'a'])).map(textOf)).toEqual(['new2', null, 'x123']);
      expect(await view.lengths(COLLECTION, ['a', 'b', 'c', 'd', 'none', ''])).toEqual([4, 0, 5, 4, null, null]);
      expect(textOf(await view.get(COLLECTION, 'c'))).toBe('é€');
      expect([await view.count(COLLECTION, {}), textOf(await view.get('other', 'a'))]).toEqual([4, '']);
    }
    expect((await store.size(PROJECTION)).documents).toBe(5);
    expect(await listed((await reopen()).view(PROJECTION))).toEqual(expected);
  });

  it('begins anew after a removal, in one commit or several', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, [append('a', '1'), append('a', '2'), append('p/a', '1'), append('p/b', '1')]);
    await store.commit(namespace, [remove('a'), append('a', '3'), removePrefix('p/'), append('p/a', '2')], 1n, 2n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=3', 'p/a=2']);
    await store.commit(namespace, [append('a', '4'), append('a', '5'), append('p/a', '3')], 2n, 3n);
    await store.commit(namespace, [remove('a'), removePrefix('p/')], 3n, 4n);
    expect([await listed(store.view(PROJECTION)), (await store.size(PROJECTION)).documents]).toEqual([[], 0]);
    await store.commit(namespace, [append('a', '6'), put('p/a', '4'), append('p/b', '')], 4n, 5n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=6', 'p/a=4', 'p/b=']);
    expect((await store.size(PROJECTION)).documents).toBe(3);
  });

  it('adds a thousand pieces of any length, each with its commit', async () => {
    const { store, reopen } = harness();
    const namespace = await serveDocuments(store, [put('long', 'x'.repeat(5_000))]);
    const expected = { long: 'x'.repeat(5_000), short: '', begun: '' };
    for (let number = 1; number <= 1_000; number++) {
      const [one, other] = [`${number},`, `${number}é`.repeat(number % 40)];
      const changes: readonly Change[] = [append('short', one), append('long', other), ...(number % 3 ? [] : [append('begun', other)])];
      expected.short += one;
      expected.long += other;
      if (changes.length > 2) expected.begun += other;
      const commit = number % 2 ? store.commit : store.commitSoon;
      await commit.call(store, namespace, changes, BigInt(number), BigInt(number + 1));
      if (number % 100 > 1) continue;
      const view = store.view(PROJECTION);
      expect((await view.getMany(COLLECTION, ['begun', 'long', 'short'])).map(textOf)).toEqual([
        expected.begun || null,
        expected.long,
        expected.short,
      ]);
      expect(await view.lengths(COLLECTION, ['long', 'short'])).toEqual(
        [expected.long, expected.short].map((text) => Buffer.byteLength(text)),
      );
    }
    await store.flush();
    const again = (await reopen()).view(PROJECTION);
    for (const [key, text] of Object.entries(expected)) expect(textOf(await again.get(COLLECTION, key))).toBe(text);
  });

  it('counts a piece once, whatever becomes of its commit', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, [append('a', '1')]);
    await expect(store.commit(namespace, [append('a', '2')], 0n, 2n)).rejects.toMatchObject({ name: 'CheckpointConflict' });
    await expect(store.commit(namespace, [append('a', '2'), put('', 'x')], 1n, 2n)).rejects.toThrow(RangeError);
    await store.commit(namespace, [append('a', '3')], 1n, 1n, undefined, 'm');
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe('13');
    const next = await store.prepare(PROJECTION, 2);
    await store.commit(next, [append('a', 'new')], 0n, 1n);
    expect(textOf(await store.documents(next).get(COLLECTION, 'a'))).toBe('new');
    await store.serve(next);
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe('new');
    await expect(store.commit(namespace, [append('a', '4')], 1n, 2n)).rejects.toBeInstanceOf(NamespaceGone);
    expect((await store.size(PROJECTION)).documents).toBe(1);
  });

  it('adds many pieces in one commit, larger than a store takes at once', async () => {
    const { store } = harness();
    const ids = Array.from({ length: 7_000 }, (_, n) => `k${n}`);
    const namespace = await serveDocuments(
      store,
      ids.map((id) => append(id, id)),
    );
    await store.commit(
      namespace,
      [...ids.map((id) => append(id, '!')), removePrefix('k6'), ...ids.slice(0, 10).map((id) => append(id, '?'))],
      1n,
      2n,
    );
    const view = store.view(PROJECTION);
    expect((await view.getMany(COLLECTION, ['k3', 'k10', 'k6', 'k6999'])).map(textOf)).toEqual(['k3!?', 'k10!', '?', null]);
    expect(await view.lengths(COLLECTION, ids)).toEqual(
      ids.map((id, n) => (id.startsWith('k6') ? (n < 10 ? 1 : null) : id.length + (n < 10 ? 2 : 1))),
    );
    expect((await store.size(PROJECTION)).documents).toBe(await view.count(COLLECTION, {}));
  });

  it('takes pieces as UTF-8, wherever a text is divided', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, [
      append('a', '\ud83d'),
      append('a', '\ude00'),
      append('b', '\ud83d'),
      append('c', '\ud83d\ude00'),
    ]);
    await store.commit(namespace, [append('b', '\ude00')], 1n, 2n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=\ufffd\ufffd', 'b=\ufffd\ufffd', 'c=\ud83d\ude00']);
  });
};
