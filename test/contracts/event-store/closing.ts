import { expect } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { follow, idsOf, newEvents, type OpenEventStore, readWhole, storeTests } from './fixture.js';

export const closingContract = (open: OpenEventStore): void => {
  const test = storeTests(open);

  test('keeps what was appended', async ({ store, stream, reopen }) => {
    const name = stream();
    const events = newEvents(3);
    const { position } = await store.append(name, events, 'no-stream');
    const reopened = await reopen();
    expect(idsOf(await readWhole(reopened, name))).toEqual(idsOf(events));
    const next = await reopened.append(name, newEvents(1), 2n);
    expect(next.revision).toBe(3n);
    expect(next.position).toBeGreaterThan(position);
  });

  test('finishes the appends under way', async ({ store, stream, secondProcess }) => {
    const second = await secondProcess();
    const streams = Array.from({ length: 20 }, () => stream());
    const appends = streams.map((name) => store.append(name, newEvents(2), 'no-stream'));
    await store.close();
    for (const result of await Promise.all(appends)) expect(result.revision).toBe(1n);
    for (const name of streams) expect(await readWhole(second, name)).toHaveLength(2);
  });

  test('ends subscriptions without an error', async ({ store, all, stream }) => {
    await store.append(stream(), newEvents(2), 'no-stream');
    const following = follow(store, { after: 0n, categories: all });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    await store.close();
    await expect(following.stop()).resolves.toBeUndefined();
    expect(following.events).toHaveLength(2);
  });

  test('fails every later call, and may be done twice', async ({ store, stream }) => {
    const name = stream();
    await store.append(name, newEvents(1), 'no-stream');
    await store.close();
    await store.close();
    const subscription = store.subscribeAll({ after: 0n, signal: new AbortController().signal })[Symbol.asyncIterator]();
    const calls = [
      store.append(name, newEvents(1), 'any'),
      store.readStream(name, { limit: 1 }),
      store.readAll({ limit: 1 }),
      store.head(),
      store.end(),
      store.truncate(name, 1n),
      store.setRetention(name, { maxCount: 1 }),
      subscription.next(),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(EventStoreUnavailable);
  });
};
