import { expect } from '@jest/globals';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { follow, idsOf, isIncreasing, newEvents, type OpenEventStore, readLog, storeTests } from './fixture.js';

const appendOneByOne = async (store: EventStore, stream: string, count: number): Promise<readonly string[]> => {
  const events = newEvents(count);
  for (const event of events) await store.append(stream, [event], 'any');
  return idsOf(events);
};

/** Once true it stays true, and positions never turn back. */
const expectProgress = (batches: readonly EventBatch[]): void => {
  const flags = batches.map(({ caughtUp }) => caughtUp);
  expect(flags).toEqual([...flags].sort());
  for (const [index, { position, events }] of batches.entries()) {
    expect(position).toBeGreaterThanOrEqual(batches[index - 1]?.position ?? 0n);
    expect(position).toBeGreaterThanOrEqual(events.at(-1)?.position ?? 0n);
  }
};

export const subscribingContract = (open: OpenEventStore): void => {
  const test = storeTests(open);

  test('hands over history, then what is appended, each event once and in order', async ({ store, stream, all }) => {
    const names = [stream('orders'), stream('carts')];
    await store.append(names[0] ?? '', newEvents(30), 'no-stream');
    await store.append(names[1] ?? '', newEvents(30), 'no-stream');
    const following = follow(store, { after: 0n, categories: all, maxBatch: 7 });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    expect(following.events).toHaveLength(60);
    for (let round = 0; round < 5; round += 1) await store.append(names[round % 2] ?? '', newEvents(3), 'any');
    await following.until(() => following.events.length >= 75);
    await following.stop();
    expect(following.events).toEqual(await readLog(store, all));
    expect(isIncreasing(following.events.map(({ position }) => position))).toBe(true);
    expect(Math.max(...following.batches.map(({ events }) => events.length))).toBeLessThanOrEqual(7);
    expectProgress(following.batches);
  });

  test('resumes strictly after a checkpoint', async ({ store, stream, all }) => {
    const name = stream();
    await store.append(name, newEvents(20), 'no-stream');
    const whole = await readLog(store, all);
    for (const index of [0, 9, 19]) {
      const following = follow(store, { after: whole[index]?.position ?? 0n, categories: all });
      await following.until(() => following.batches.at(-1)?.caughtUp === true);
      await following.stop();
      expect(following.events).toEqual(whole.slice(index + 1));
    }
  });

  test('resumes without loss after the position of any batch', async ({ store, stream, all }) => {
    await store.append(stream('orders'), newEvents(12), 'no-stream');
    await store.append(stream('carts'), newEvents(12), 'no-stream');
    const whole = await readLog(store, all);
    const seen: string[] = [];
    let after = 0n;
    for (let caughtUp = false; !caughtUp; ) {
      const following = follow(store, { after, categories: all, maxBatch: 5 });
      await following.until(() => following.batches.length > 0);
      await following.stop();
      const [first] = following.batches;
      seen.push(...idsOf(first?.events ?? []));
      after = first?.position ?? 0n;
      caughtUp = first?.caughtUp ?? true;
    }
    expect(seen).toEqual(idsOf(whole));
  });

  test('says that it is caught up where there is nothing to hand over', async ({ store, stream, service }) => {
    const { position } = await store.append(stream('orders'), newEvents(5), 'no-stream');
    const following = follow(store, { after: 0n, categories: [`${service}.missing`] });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    const atHead = follow(store, { after: await store.head(), categories: [`${service}.*`] });
    await atHead.until(() => atHead.batches.at(-1)?.caughtUp === true);
    await Promise.all([following.stop(), atHead.stop()]);
    expect(following.events).toEqual([]);
    expect(following.batches.at(-1)?.position).toBeGreaterThanOrEqual(position);
    expect(atHead.events).toEqual([]);
    expectProgress(following.batches);
  });

  test('is caught up not before all that was there has been handed over', async ({ store, stream, all }) => {
    await store.append(stream(), newEvents(50), 'no-stream');
    const following = follow(store, { after: 0n, categories: all, maxBatch: 10 });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    await following.stop();
    expect(following.events).toHaveLength(50);
  });

  test('passes only the categories asked for, live too', async ({ store, stream, service }) => {
    const following = follow(store, { after: 0n, categories: [`${service}.orders`] });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    const ids: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      await appendOneByOne(store, stream('carts'), 2);
      ids.push(...(await appendOneByOne(store, stream('orders'), 2)));
    }
    await following.until(() => following.events.length >= ids.length);
    await following.stop();
    expect(idsOf(following.events)).toEqual(ids);
  });

  test('sees what another process appends, in between too', async ({ store, secondProcess, stream, all }) => {
    const second = await secondProcess();
    const following = follow(store, { after: 0n, categories: all });
    await following.until(() => following.batches.at(-1)?.caughtUp === true);
    const ids: string[] = [];
    for (const writer of [second, store, second, second, store]) {
      ids.push(...(await appendOneByOne(writer, stream(), 3)));
      await following.until(() => following.events.length >= ids.length);
    }
    await Promise.all([appendOneByOne(store, stream(), 10), appendOneByOne(second, stream(), 10)]);
    await following.until(() => following.events.length >= ids.length + 20);
    await following.stop();
    expect(following.events).toEqual(await readLog(store, all));
    expect(idsOf(following.events).slice(0, ids.length)).toEqual(ids);
  });

  test('loses nothing for a consumer that stands still', async ({ store, stream, all }) => {
    const abort = new AbortController();
    const iterator = store.subscribeAll({ after: 0n, categories: all, signal: abort.signal, maxBatch: 20 })[Symbol.asyncIterator]();
    await store.append(stream(), newEvents(1), 'no-stream');
    const seen: string[] = [];
    const take = async (count: number): Promise<void> => {
      while (seen.length < count) seen.push(...idsOf((await iterator.next()).value?.events ?? []));
    };
    await take(1);
    const names = [stream(), stream()];
    for (let round = 0; round < 20; round += 1) await store.append(names[round % 2] ?? '', newEvents(15), 'any');
    await take(301);
    abort.abort();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(seen).toEqual(idsOf(await readLog(store, all)));
  });

  test('serves several subscriptions independently', async ({ store, stream, service, all }) => {
    const everything = follow(store, { after: 0n, categories: all });
    const orders = follow(store, { after: 0n, categories: [`${service}.orders`] });
    await appendOneByOne(store, stream('carts'), 3);
    const orderIds = await appendOneByOne(store, stream('orders'), 3);
    await everything.until(() => everything.events.length >= 6);
    await everything.stop();
    const later = await appendOneByOne(store, stream('orders'), 2);
    await orders.until(() => orders.events.length >= 5);
    await orders.stop();
    expect(everything.events).toHaveLength(6);
    expect(idsOf(orders.events)).toEqual([...orderIds, ...later]);
  });

  test('ends without an error when aborted: before it starts, while it waits, and between batches', async ({ store, stream, all }) => {
    await store.append(stream(), newEvents(30), 'no-stream');
    const aborted = store.subscribeAll({ after: 0n, categories: all, signal: AbortSignal.abort() });
    expect(await aborted[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });

    const waiting = follow(store, { after: 0n, categories: all });
    await waiting.until(() => waiting.batches.at(-1)?.caughtUp === true);
    await expect(waiting.stop()).resolves.toBeUndefined();

    const abort = new AbortController();
    const batches: EventBatch[] = [];
    for await (const batch of store.subscribeAll({ after: 0n, categories: all, signal: abort.signal, maxBatch: 5 })) {
      batches.push(batch);
      if (batch.events.length > 0) abort.abort();
    }
    expect(batches.filter(({ events }) => events.length > 0)).toHaveLength(1);
  });

  test('may be left with break', async ({ store, stream, all }) => {
    await store.append(stream(), newEvents(3), 'no-stream');
    const seen: string[] = [];
    for await (const batch of store.subscribeAll({ after: 0n, categories: all, signal: new AbortController().signal })) {
      seen.push(...idsOf(batch.events));
      if (seen.length === 3) break;
    }
    expect(seen).toHaveLength(3);
  });
};
