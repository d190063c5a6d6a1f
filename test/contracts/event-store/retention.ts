import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { newEvents, type OpenEventStore, readWhole, revisionsOf, storeTests } from './fixture.js';

export const retentionContract = (open: OpenEventStore): void => {
  const test = storeTests(open);

  test('hides truncated events at once and for good', async ({ store, stream, secondProcess, reopen }) => {
    const [name, untouched] = [stream(), stream()];
    for (const target of [name, untouched]) await store.append(target, newEvents(6), 'no-stream');
    await store.truncate(name, 4n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([4, 5]);
    expect(revisionsOf(await store.readStream(name, { from: 1n, limit: 1 }))).toEqual([4]);
    expect(revisionsOf(await store.readStream(name, { direction: 'backwards', limit: 10 }))).toEqual([5, 4]);
    expect(await store.readStream(name, { from: 3n, direction: 'backwards', limit: 10 })).toEqual([]);
    expect(revisionsOf(await readWhole(await secondProcess(), name))).toEqual([4, 5]);
    await store.truncate(name, 2n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([4, 5]);
    expect(revisionsOf(await readWhole(await reopen(), name))).toEqual([4, 5]);
    expect(await readWhole(await reopen(), untouched)).toHaveLength(6);
  });

  test('goes on counting revisions in a stream truncated to nothing', async ({ store, stream }) => {
    const name = stream();
    await store.append(name, newEvents(3), 'no-stream');
    await store.truncate(name, 3n);
    expect(await readWhole(store, name)).toEqual([]);
    expect(await store.readStream(name, { direction: 'backwards', limit: 1 })).toEqual([]);
    await expect(store.append(name, newEvents(1), 'no-stream')).rejects.toMatchObject({ name: 'WrongExpectedRevision', actual: 2n });
    await expect(store.append(name, newEvents(1), 0n)).rejects.toMatchObject({ name: 'WrongExpectedRevision', actual: 2n });
    expect((await store.append(name, newEvents(1), 2n)).revision).toBe(3n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([3]);
    expect((await store.append(name, newEvents(1), 'any')).revision).toBe(4n);
  });

  test('keeps only the newest events of a stream with a limit on their number', async ({ store, stream }) => {
    const name = stream();
    await store.append(name, newEvents(5), 'no-stream');
    await store.setRetention(name, { maxCount: 2 });
    expect(revisionsOf(await readWhole(store, name))).toEqual([3, 4]);
    await store.append(name, newEvents(3), 4n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([6, 7]);
    expect(revisionsOf(await store.readStream(name, { direction: 'backwards', limit: 10 }))).toEqual([7, 6]);
    await store.setRetention(name, { maxCount: null });
    await store.append(name, newEvents(3), 7n);
    expect(revisionsOf(await store.readStream(name, { direction: 'backwards', limit: 5 }))).toEqual([10, 9, 8, 7, 6]);
  });

  test('takes limits for a stream that does not exist yet, and sets each limit on its own', async ({ store, stream, reopen }) => {
    const name = stream();
    await store.setRetention(name, { maxCount: 3 });
    await store.setRetention(name, { maxAgeSeconds: 3_600 });
    expect(await readWhole(store, name)).toEqual([]);
    expect((await store.append(name, newEvents(5), 'no-stream')).revision).toBe(4n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([2, 3, 4]);
    await store.setRetention(name, { maxAgeSeconds: null });
    expect(revisionsOf(await readWhole(await reopen(), name))).toEqual([2, 3, 4]);
  });

  test('hides events that have become too old', async ({ store, stream }) => {
    const [name, kept] = [stream(), stream()];
    for (const target of [name, kept]) await store.append(target, newEvents(3), 'no-stream');
    await store.setRetention(name, { maxAgeSeconds: 1 });
    while ((await readWhole(store, name)).length > 0) await delay(50);
    await store.append(name, newEvents(2), 2n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([3, 4]);
    expect(await readWhole(store, kept)).toHaveLength(3);
  });

  test('honours truncation and limits together', async ({ store, stream }) => {
    const name = stream();
    await store.append(name, newEvents(8), 'no-stream');
    await store.setRetention(name, { maxCount: 6 });
    await store.truncate(name, 5n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([5, 6, 7]);
    await store.append(name, newEvents(5), 7n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([7, 8, 9, 10, 11, 12]);
  });
};
