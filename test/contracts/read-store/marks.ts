import { expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { MarksConflict, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import { listed, type OpenReadStore, PROJECTION, put, serveDocuments, useReadStore } from './fixture.js';

/** Checkpoint and marks of every call of a listener, and a promise of its hearing of some. */
const hear = (store: ReadStore) => {
  const calls: (readonly [Position, string])[] = [];
  const waiting = new Set<() => void>();
  const stop = store.onCommit(PROJECTION, (checkpoint, marks) => {
    calls.push([checkpoint, marks]);
    for (const look of [...waiting]) look();
  });
  const reached = (checkpoint: Position, marks: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (calls.some((call) => call[0] === checkpoint && call[1] === marks)) resolve();
      };
      waiting.add(look);
      look();
    });
  return { reached, stop };
};

export const marksContract = (open: OpenReadStore): void => {
  const harness = useReadStore(open);

  it('are empty at first, and change with the checkpoint and the documents or not at all', async () => {
    const { store } = harness();
    const namespace = await store.prepare(PROJECTION, 1);
    expect(await store.marks(namespace)).toBe('');
    await store.commit(namespace, [put('a', '1')], 0n, 1n, undefined, { from: '', to: 'one' });
    await store.commit(namespace, [put('a', '2')], 1n, 2n, undefined, { from: 'one', to: 'one' });
    expect(await store.marks(namespace)).toBe('one');
    const refused = store.commit(namespace, [put('a', '3')], 2n, 3n, undefined, { from: '', to: 'two' });
    await expect(refused).rejects.toBeInstanceOf(MarksConflict);
    await expect(refused).rejects.toMatchObject({ projection: PROJECTION, expected: '', actual: 'one' });
    expect([await store.checkpoint(namespace), await store.marks(namespace)]).toEqual([2n, 'one']);
    expect(await listed(store.documents(namespace))).toEqual(['a=2']);
  });

  it('do not change with commits that leave them out', async () => {
    const { store, reopen } = harness();
    const namespace = await serveDocuments(store, []);
    await store.commit(namespace, [], 1n, 2n, undefined, { from: '', to: 'one' });
    await store.commit(namespace, [put('a', '1')], 2n, 3n);
    const again = await reopen();
    expect([await again.checkpoint(namespace), await again.marks(namespace)]).toEqual([3n, 'one']);
  });

  it('are compared after the checkpoint', async () => {
    const { store } = harness();
    const namespace = await serveDocuments(store, []);
    const refused = store.commit(namespace, [], 7n, 8n, undefined, { from: 'wrong', to: 'one' });
    await expect(refused).rejects.toMatchObject({ name: 'CheckpointConflict', expected: 7n, actual: 1n });
  });

  it('can be changed without the checkpoint, together with documents', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const namespace = await serveDocuments(store, []);
    await store.commit(namespace, [put('a', '1')], 1n, 5n);
    await other.mark(namespace, [put('b', '2')], { from: '', to: 'one' });
    expect([await store.checkpoint(namespace), await store.marks(namespace)]).toEqual([5n, 'one']);
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1', 'b=2']);
    await expect(store.mark(namespace, [put('b', '3')], { from: '', to: 'two' })).rejects.toMatchObject({
      name: 'MarksConflict',
      actual: 'one',
    });
    await store.commit(namespace, [], 5n, 5n, undefined, { from: 'one', to: '' });
    expect(await listed(store.view(PROJECTION))).toEqual(['a=1', 'b=2']);
  });

  it('are passed to listeners with every commit and switch, in this process and another one', async () => {
    const { store, secondProcess } = harness();
    const other = await secondProcess();
    const [heard, heardThere] = [hear(store), hear(other)];
    const told = (checkpoint: Position, marks: string) =>
      Promise.all([heard.reached(checkpoint, marks), heardThere.reached(checkpoint, marks)]);
    const namespace = await serveDocuments(store, []);
    await told(1n, '');
    await store.mark(namespace, [], { from: '', to: 'one' });
    await told(1n, 'one');
    await other.commit(namespace, [], 1n, 2n);
    await told(2n, 'one');
    await other.commit(namespace, [], 2n, 3n, undefined, { from: 'one', to: 'two' });
    await told(3n, 'two');
    const next = await store.prepare(PROJECTION, 2);
    expect(await store.marks(next)).toBe('');
    await store.commit(next, [], 0n, 4n, undefined, { from: '', to: 'next' });
    await store.serve(next);
    await told(4n, 'next');
    await expect(store.marks(namespace)).rejects.toBeInstanceOf(NamespaceGone);
    await expect(store.mark(namespace, [], { from: 'two', to: 'three' })).rejects.toBeInstanceOf(NamespaceGone);
    heard.stop();
    heardThere.stop();
  });
};
