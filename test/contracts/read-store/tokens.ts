import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { listed, PROJECTION, put, serveDocuments, type UsedReadStore } from './fixture.js';

/** Checkpoint and token of every call of a listener, and a promise of its hearing of some. */
const hear = (store: ReadStore) => {
  const calls: (readonly [Position, string])[] = [];
  const waiting = new Set<() => void>();
  const stop = store.onCommit(PROJECTION, (checkpoint, token) => {
    calls.push([checkpoint, token]);
    for (const look of [...waiting]) look();
  });
  const reached = (checkpoint: Position, token: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (calls.some((call) => call[0] === checkpoint && call[1] === token)) resolve();
      };
      waiting.add(look);
      look();
    });
  return { reached, stop };
};

export const tokensContract = (harness: UsedReadStore): void => {
  it('are empty at first, and change with the checkpoint and the documents or not at all', async () => {
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

  it('can be changed, and emptied, where the checkpoint stays', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, []);
    await store.commit(namespace, [put('a', '1')], 1n, 1n, undefined, 'one');
    expect(await store.progress(namespace)).toMatchObject({ checkpoint: 1n, token: 'one' });
    await store.commit(namespace, [], 1n, 1n, undefined, '');
    expect(await store.progress(namespace)).toMatchObject({ checkpoint: 1n, token: '' });
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1']);
  });

  it('are passed to listeners with every commit and switch, in this process and another one', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const [heard, heardThere] = [hear(store), hear(other)];
    const told = (checkpoint: Position, token: string) =>
      Promise.all([heard.reached(checkpoint, token), heardThere.reached(checkpoint, token)]);
    const namespace = await serveDocuments(store, []);
    await told(1n, '');
    await store.commit(namespace, [], 1n, 1n, undefined, 'one');
    await told(1n, 'one');
    await other.commit(namespace, [], 1n, 2n);
    await told(2n, 'one');
    await other.commit(namespace, [], 2n, 3n, undefined, 'two');
    await told(3n, 'two');
    const next = await store.prepare(PROJECTION, 2);
    expect((await store.progress(next)).token).toBe('');
    await store.commit(next, [], 0n, 4n, undefined, 'next');
    await store.serve(next);
    await told(4n, 'next');
    await expect(store.progress(namespace)).rejects.toBeInstanceOf(NamespaceGone);
    await expect(store.commit(namespace, [], 3n, 3n, undefined, 'three')).rejects.toBeInstanceOf(NamespaceGone);
    heard.stop();
    heardThere.stop();
  });
};
