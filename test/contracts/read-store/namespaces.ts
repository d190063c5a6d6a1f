import { expect, it } from '@jest/globals';
import { NamespaceGone } from '#projections/shared/read-store.js';
import { runs } from '#test/support/test-runs.js';
import { COLLECTION, keysOf, listed, PROJECTION, put, serveDocuments, textOf, type UsedReadStore } from './fixture.js';

/** Builds that are served one after another while others read; more if the readers have seen too few of them. */
const GENERATIONS = runs(16, 8);

export const namespacesContract = (harness: UsedReadStore): void => {
  it('builds beside the served documents, then takes over', async () => {
    const { store } = harness();
    const old = await serveDocuments(store, [put('a', 'old'), put('x', 'old', 'only-old')]);
    const next = await store.prepare(PROJECTION, 2);
    expect(next).toEqual({
      projection: PROJECTION,
      version: 2,
      slot: expect.not.stringContaining(old.slot),
      generation: expect.any(Number),
    });
    expect(next.generation).toBeGreaterThan(old.generation);
    expect(await store.checkpoint(next)).toBe(0n);
    await store.commit(next, [put('a', 'new'), put('b', 'new')], 0n, 5n);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=old']);
    expect(await listed(store.documents(next))).toEqual(['a=new', 'b=new']);
    expect(await store.served(PROJECTION)).toEqual(old);
    expect((await store.size(PROJECTION)).documents).toBe(2);

    await store.serve(next);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=new', 'b=new']);
    expect(await keysOf(store.view(PROJECTION), {}, 'only-old')).toEqual([]);
    expect(await store.served(PROJECTION)).toEqual(next);
    expect((await store.size(PROJECTION)).documents).toBe(2);
    await store.serve(next);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=new', 'b=new']);
    await store.commit(next, [put('c', 'new')], 5n, 6n);
    expect(await store.view(PROJECTION).count(COLLECTION, {})).toBe(3);
  });

  it('is empty before anything is served; with a floor that is an error, like everything below it', async () => {
    const { store } = harness();
    const unavailable = expect.objectContaining({ name: 'ReadModelsUnavailable' });
    const floored = store.view(PROJECTION, () => 1n);
    const reads = () => [
      floored.get(COLLECTION, 'a'),
      floored.getMany(COLLECTION, ['a']),
      floored.range(COLLECTION, {}),
      floored.ranges(COLLECTION, [{}]),
      floored.count(COLLECTION, {}),
    ];
    const areRefused = async () => {
      for (const read of await Promise.allSettled(reads())) expect(read).toEqual({ status: 'rejected', reason: unavailable });
    };
    expect(await listed(store.view(PROJECTION))).toEqual([]);
    expect(await store.standing(PROJECTION)).toBeNull();
    await areRefused();
    const next = await store.prepare(PROJECTION, 1);
    await store.commit(next, [put('a', 'x')], 0n, 12n);
    expect(await store.standing(PROJECTION)).toBeNull();
    await areRefused();
    await store.serve(next);
    expect(await store.standing(PROJECTION)).toEqual({ namespace: next, checkpoint: 12n });
    for (const floor of [0n, 9n, 12n]) expect(textOf(await store.view(PROJECTION, () => floor).get(COLLECTION, 'a'))).toBe('x');
    expect(await listed(floored)).toEqual(['a=x']);
    expect(await floored.count(COLLECTION, {})).toBe(1);
  });

  it('fences off a builder that was replaced', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const served = await serveDocuments(store, [put('a', 'served')]);
    const abandoned = await store.prepare(PROJECTION, 2);
    await store.commit(abandoned, [put('a', 'abandoned'), put('z', 'abandoned')], 0n, 3n);
    const newer = await other.prepare(PROJECTION, 2);
    expect(newer.slot).toBe(abandoned.slot);
    expect(newer.generation).toBeGreaterThan(abandoned.generation);
    expect(await keysOf(store.documents(newer))).toEqual([]);
    expect(await store.checkpoint(newer)).toBe(0n);

    const gone = expect.objectContaining({ name: 'NamespaceGone' });
    await expect(store.commit(abandoned, [put('a', 'late')], 3n, 4n)).rejects.toEqual(gone);
    await expect(store.checkpoint(abandoned)).rejects.toBeInstanceOf(NamespaceGone);
    await expect(store.serve(abandoned)).rejects.toEqual(gone);
    const view = store.documents(abandoned);
    await expect(view.get(COLLECTION, 'a')).rejects.toBeInstanceOf(NamespaceGone);
    await expect(view.getMany(COLLECTION, ['a'])).rejects.toEqual(gone);
    await expect(view.range(COLLECTION, {})).rejects.toEqual(gone);
    await expect(view.ranges(COLLECTION, [{}])).rejects.toEqual(gone);
    await expect(view.count(COLLECTION, {})).rejects.toEqual(gone);

    await other.commit(newer, [put('b', 'newer')], 0n, 4n);
    await other.serve(newer);
    await expect(store.commit(served, [put('a', 'late')], 1n, 2n)).rejects.toEqual(gone);
    await expect(store.checkpoint(served)).rejects.toEqual(gone);
    expect(await listed(store.view(PROJECTION))).toEqual(['b=newer']);
  });

  it('lets a build that is behind replace a namespace that does not count, and no other', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const alien = await store.prepare(PROJECTION, 1);
    await store.commit(alien, [put('a', 'alien')], 0n, 100n);
    await store.serve(alien);
    const replaced = { ...alien, generation: alien.generation - 1 };
    const next = await other.prepare(PROJECTION, 1);
    await other.commit(next, [put('b', 'own')], 0n, 7n);
    await expect(other.serve(next, replaced)).rejects.toMatchObject({ name: 'CheckpointConflict', expected: 7n, actual: 100n });
    expect(await listed(store.view(PROJECTION))).toEqual(['a=alien']);
    await other.serve(next, alien);
    expect(await other.served(PROJECTION)).toEqual(next);
    expect(await listed(other.view(PROJECTION))).toEqual(['b=own']);
    await expect(store.commit(alien, [put('a', 'late')], 100n, 101n)).rejects.toBeInstanceOf(NamespaceGone);
    const late = await store.prepare(PROJECTION, 1);
    await expect(store.serve(late, alien)).rejects.toMatchObject({ name: 'CheckpointConflict', expected: 0n, actual: 7n });
  });

  it('keeps projections apart', async () => {
    const { store } = harness();
    await serveDocuments(store, [put('a', '1')], 'one');
    const other = await store.prepare('one.rebuild', 1);
    await serveDocuments(store, [put('a', '2')], 'two');
    await store.commit(other, [put('a', '3')], 0n, 1n);
    expect(await listed(store.view('one'))).toEqual(['a=1']);
    expect(await listed(store.view('two'))).toEqual(['a=2']);
    expect(await listed(store.view('one.rebuild'))).toEqual([]);
  });

  it('shows readers one build or the other during a switch, never a mixture and never nothing', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const build = async (generation: number): Promise<void> => {
      const namespace = await other.prepare(PROJECTION, generation);
      await other.commit(
        namespace,
        keys.map((key) => put(key, String(generation))),
        0n,
        1n,
      );
      await other.serve(namespace);
    };
    await build(0);
    let building = true;
    let answers = 0;
    const seen = new Set<string>();
    const check = (values: readonly (Buffer | null)[]): void => {
      const texts = values.map(textOf);
      expect(texts).toHaveLength(keys.length);
      expect(new Set(texts).size).toBe(1);
      seen.add(String(texts[0]));
      answers++;
    };
    const read = async (): Promise<void> => {
      const view = store.view(PROJECTION);
      while (building) {
        check(await view.getMany(COLLECTION, keys));
        check((await view.range(COLLECTION, { gte: 'k' })).map(({ value }) => value));
        expect(await view.get(COLLECTION, 'k7')).not.toBeNull();
        expect(await view.count(COLLECTION, {})).toBe(keys.length);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const readers = Promise.all([read(), read(), read()]).finally(() => {
      building = false;
    });
    try {
      for (let generation = 1; building && (generation <= GENERATIONS || answers <= 30 || seen.size <= 2); generation++)
        await build(generation);
    } finally {
      building = false;
      await readers;
    }
  });

  it('gives racing builders different generations, only one of which can go on', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const prepared = await Promise.all([store, other, store, other].map((one) => one.prepare(PROJECTION, 1)));
    expect(new Set(prepared.map(({ generation }) => generation)).size).toBe(4);
    const tried = await Promise.allSettled(
      prepared.map((namespace) => store.commit(namespace, [put('a', String(namespace.generation))], 0n, 1n)),
    );
    const newest = Math.max(...prepared.map(({ generation }) => generation));
    expect(tried.map(({ status }) => status === 'fulfilled')).toEqual(prepared.map(({ generation }) => generation === newest));
  });
};
