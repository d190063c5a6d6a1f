import { expect, it } from '@jest/globals';
import { type Change, CheckpointConflict, NamespaceGone, ReadStoreUnavailable } from '#projections/shared/read-store.js';
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

export const committingContract = (harness: UsedReadStore): void => {
  it('applies the changes of a batch in order', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, [put('a/1', 'old'), put('a/2', 'old'), put('b', 'old'), put('c', 'old')]);
    await store.commit(
      namespace,
      [
        put('a/3', 'early'),
        removePrefix('a/'),
        put('a/2', 'late'),
        put('b', 'first'),
        put('b', 'second'),
        remove('c'),
        put('d', 'gone'),
        remove('d'),
        remove('never'),
        put('e', '1'),
        remove('e'),
        put('e', '2'),
        put('a/1', 'apart', 'other'),
      ],
      1n,
      2n,
    );
    const view = store.view(PROJECTION);
    expect(await listed(view)).toEqual(['a/2=late', 'b=second', 'e=2']);
    expect(await listed(view, {}, 'other')).toEqual(['a/1=apart']);
    expect((await store.size(PROJECTION)).documents).toBe(4);
  });

  it('takes the characters of a prefix literally', async () => {
    const { store } = harness();
    const keys = [
      'a',
      'a*',
      'a*b',
      'a[b',
      'a[c',
      'ab',
      'a\u{10ffff}',
      'a\u{10ffff}\u{10ffff}',
      '[a',
      '(a',
      '-',
      '+',
      '\u0000',
      '\u0000x',
      '*',
    ];
    const afterRemoving = async (prefix: string): Promise<readonly string[]> => {
      const namespace = await store.prepare(PROJECTION, 1);
      await store.commit(
        namespace,
        keys.map((key) => put(key, '1')),
        0n,
        1n,
      );
      await store.commit(namespace, [put('a', '1', 'other'), removePrefix(prefix)], 1n, 2n);
      expect(await keysOf(store.documents(namespace), {}, 'other')).toEqual(['a']);
      return keysOf(store.documents(namespace));
    };
    for (const prefix of ['', 'a*', 'a[', '[', '(', '-', '+', '*', '\u0000', 'a\u{10ffff}', 'a', 'nothing', 'a'.repeat(2_000)]) {
      expect(new Set(await afterRemoving(prefix))).toEqual(new Set(keys.filter((key) => !key.startsWith(prefix))));
    }
  });

  it('moves the checkpoint with the documents, or neither', async () => {
    const { store } = harness();
    const namespace = await store.prepare(PROJECTION, 3);
    expect(await store.checkpoint(namespace)).toBe(0n);
    await store.commit(namespace, [put('a', '1')], 0n, 7n);
    await store.commit(namespace, [], 7n, 2n ** 62n);
    expect(await store.checkpoint(namespace)).toBe(2n ** 62n);
    const refused = store.commit(namespace, [put('b', '2'), removePrefix('a')], 7n, 2n ** 63n);
    await expect(refused).rejects.toBeInstanceOf(CheckpointConflict);
    await expect(refused).rejects.toMatchObject({ projection: PROJECTION, expected: 7n, actual: 2n ** 62n });
    expect(await store.checkpoint(namespace)).toBe(2n ** 62n);
    expect(await listed(store.documents(namespace))).toEqual(['a=1']);
  });

  it('keeps the origin of the documents beside the checkpoint, and changes both in one step', async () => {
    const { store } = harness();
    const namespace = await store.prepare(PROJECTION, 1);
    expect(await store.progress(namespace)).toEqual({ checkpoint: 0n, origin: null, token: '' });
    const origin = JSON.stringify({ installation: 'é'.repeat(100), last: ['7', 'a'.repeat(700)] });
    await store.commit(namespace, [put('a', '1')], 0n, 7n, origin);
    expect(await store.progress(namespace)).toEqual({ checkpoint: 7n, origin, token: '' });
    await store.commit(namespace, [], 7n, 9n);
    expect(await store.progress(namespace)).toEqual({ checkpoint: 9n, origin, token: '' });
    await expect(store.commit(namespace, [], 7n, 10n, 'refused')).rejects.toBeInstanceOf(CheckpointConflict);
    expect(await store.progress(namespace)).toEqual({ checkpoint: 9n, origin, token: '' });
    await store.commit(namespace, [], 9n, 8n, 'back');
    await store.commit(namespace, [], 8n, 8n, 'again');
    expect(await store.progress(namespace)).toEqual({ checkpoint: 8n, origin: 'again', token: '' });
    await store.serve(namespace);
    const next = await store.prepare(PROJECTION, 1);
    await store.commit(next, [], 0n, 8n, 'next');
    await store.serve(next);
    expect(await store.progress(await store.prepare(PROJECTION, 1))).toEqual({ checkpoint: 0n, origin: null, token: '' });
    await expect(store.progress(namespace)).rejects.toBeInstanceOf(NamespaceGone);
  });

  it('changes the token with the checkpoint and the documents, or not at all; at first it is empty', async () => {
    const { store, reopen } = harness();
    const namespace = await serveDocuments(store, []);
    expect((await store.progress(namespace)).token).toBe('');
    await store.commit(namespace, [put('a', '1')], 1n, 2n, undefined, 'one');
    const refused = store.commit(namespace, [put('a', '2')], 1n, 3n, undefined, 'two');
    await expect(refused).rejects.toMatchObject({ name: 'CheckpointConflict', expected: 1n, actual: 2n });
    expect(await store.progress(namespace)).toMatchObject({ checkpoint: 2n, token: 'one' });
    expect(await listed(store.documents(namespace))).toEqual(['a=1']);
    await store.commit(namespace, [put('a', '3')], 2n, 3n);
    expect(await (await reopen()).progress(namespace)).toMatchObject({ checkpoint: 3n, token: 'one' });
  });

  it('lets one of two racing writers win each step', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const namespace = await serveDocuments(store, []);
    const written: string[] = [];
    for (let step = 1n; step <= 20n; step++) {
      const tried = await Promise.allSettled([
        store.commit(namespace, [put(`step/${step}`, 'one')], step, step + 1n),
        other.commit(namespace, [put(`step/${step}`, 'other')], step, step + 1n),
      ]);
      const won = tried.findIndex(({ status }) => status === 'fulfilled');
      const lost = tried.find(({ status }) => status === 'rejected');
      expect(lost).toMatchObject({ reason: { name: 'CheckpointConflict', expected: step, actual: step + 1n } });
      expect(textOf(await store.view(PROJECTION).get(COLLECTION, `step/${step}`))).toBe(won === 0 ? 'one' : 'other');
      written.push(`step/${step}`);
    }
    expect(await keysOf(other.view(PROJECTION))).toEqual(written.sort());
  });

  it('writes nothing of a batch with an impossible key', async () => {
    const { store } = harness();
    const namespace = await store.prepare(PROJECTION, 1);
    const impossible: Change[] = [
      put('', '1'),
      put('k'.repeat(1_501), '1'),
      put('日'.repeat(501), '1'),
      remove(''),
      put('a', '1', ''),
      put('a', '1', 'c\0d'),
    ];
    for (const change of impossible) {
      await expect(store.commit(namespace, [put('a', '1'), change], 0n, 1n)).rejects.toMatchObject({ name: 'RangeError' });
    }
    expect(await store.checkpoint(namespace)).toBe(0n);
    expect(await listed(store.documents(namespace))).toEqual([]);
  });

  it('takes thousands of changes and megabytes of text at once', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(
      store,
      Array.from({ length: 5_000 }, (_, n) => put(`n/${String(n).padStart(5, '0')}`, `value ${n}`)),
    );
    const big = 'é'.repeat(2 ** 20);
    const view = store.view(PROJECTION);
    expect(await view.count(COLLECTION, { gte: 'n/', lt: 'n0' })).toBe(5_000);
    await store.commit(namespace, [put('big', big), put('big2', big.slice(1))], 1n, 2n);
    expect(textOf(await view.get(COLLECTION, 'big'))).toBe(big);
    const both = await view.range(COLLECTION, { gte: 'big', lt: 'c' });
    expect(both.map(({ value }) => value.length)).toEqual([2 ** 21, 2 ** 21 - 2]);
    const all = await view.range(COLLECTION, { gte: 'n/' });
    expect(all.map(({ value }) => value.toString())).toEqual(Array.from({ length: 5_000 }, (_, n) => `value ${n}`));
    const many = await view.getMany(COLLECTION, all.map(({ key }) => key).reverse());
    expect(many.map(textOf)).toEqual(Array.from({ length: 5_000 }, (_, n) => `value ${4_999 - n}`));
    const mixed = Array.from({ length: 5_000 }, (_, n) =>
      n % 2 === 0 ? remove(`n/${String(n).padStart(5, '0')}`) : put(`m/${n}`, 'x', `c${n % 40}`),
    );
    await store.commit(namespace, mixed, 2n, 3n);
    expect(await view.count(COLLECTION, { gte: 'n/' })).toBe(2_500);
    expect((await store.size(PROJECTION)).documents).toBe(5_002);
    await store.commit(namespace, [removePrefix('n/')], 3n, 4n);
    expect(await keysOf(view)).toEqual(['big', 'big2']);
    expect((await store.size(PROJECTION)).documents).toBe(2_502);
  });

  it('keeps everything over a restart', async () => {
    const { store, reopen } = harness();
    const served = await serveDocuments(store, [put('a', '1')]);
    const building = await store.prepare(PROJECTION, 2);
    await store.commit(building, [put('b', '2')], 0n, 9n);
    const again = await reopen();
    await expect(store.view(PROJECTION).get(COLLECTION, 'a')).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await expect(store.commit(served, [], 1n, 2n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(await again.served(PROJECTION)).toEqual(served);
    expect(await again.checkpoint(served)).toBe(1n);
    expect(await listed(again.view(PROJECTION))).toEqual(['a=1']);
    expect(await again.checkpoint(building)).toBe(9n);
    await again.commit(building, [put('c', '3')], 9n, 10n);
    await again.serve(building);
    expect(await listed(again.view(PROJECTION))).toEqual(['b=2', 'c=3']);
  });
};
