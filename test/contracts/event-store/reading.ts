import { expect } from '@jest/globals';
import type { ReadStreamOptions } from '#domain/shared/event-store.js';
import { idsOf, isIncreasing, newEvent, newEvents, type OpenEventStore, readLog, revisionsOf, storeTests } from './fixture.js';

export const readingContract = (open: OpenEventStore): void => {
  const test = storeTests(open);

  test('finds no events in a stream that does not exist', async ({ store, stream }) => {
    expect(await store.readStream(stream(), { limit: 10 })).toEqual([]);
    expect(await store.readStream(stream(), { direction: 'backwards', limit: 1 })).toEqual([]);
    expect(await store.readStream(stream(), { from: 3n, limit: 1 })).toEqual([]);
  });

  test('pages a stream in both directions, from a revision, up to a limit', async ({ store, stream }) => {
    const name = stream('orders', 'a');
    await store.append(name, newEvents(10), 'no-stream');
    await store.append(stream('orders', 'a-b'), newEvents(1), 'no-stream');
    await store.append(stream('orders', 'A'), newEvents(1), 'no-stream');
    const cases: readonly [ReadStreamOptions, readonly number[]][] = [
      [{ limit: 100 }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
      [{ limit: 3 }, [0, 1, 2]],
      [{ from: 0n, direction: 'forwards', limit: 1 }, [0]],
      [{ from: 4n, limit: 3 }, [4, 5, 6]],
      [{ from: 8n, limit: 100 }, [8, 9]],
      [{ from: 9n, limit: 100 }, [9]],
      [{ from: 10n, limit: 100 }, []],
      [{ from: 1_000n, limit: 100 }, []],
      [{ direction: 'backwards', limit: 1 }, [9]],
      [{ direction: 'backwards', limit: 100 }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ from: 4n, direction: 'backwards', limit: 3 }, [4, 3, 2]],
      [{ from: 1n, direction: 'backwards', limit: 100 }, [1, 0]],
      [{ from: 0n, direction: 'backwards', limit: 100 }, [0]],
      [{ from: 1_000n, direction: 'backwards', limit: 2 }, [9, 8]],
    ];
    for (const [options, revisions] of cases) expect(revisionsOf(await store.readStream(name, options))).toEqual(revisions);
  });

  test('stops once the data have reached a number of bytes', async ({ store, stream }) => {
    const name = stream();
    // {"text":"…"} with an é of two bytes: 100 bytes each
    const events = Array.from({ length: 6 }, () => newEvent({ text: `é${'x'.repeat(87)}` }));
    expect(events.map(({ data }) => Buffer.byteLength(JSON.stringify(data)))).toEqual(events.map(() => 100));
    await store.append(name, events, 'no-stream');
    const cases: readonly [ReadStreamOptions, readonly number[]][] = [
      [{ limit: 10, maxBytes: 1 }, [0]],
      [{ limit: 10, maxBytes: 200 }, [0, 1]],
      [{ limit: 10, maxBytes: 201 }, [0, 1, 2]],
      [{ limit: 2, maxBytes: 1_000 }, [0, 1]],
      [{ limit: 10, maxBytes: 1_000 }, [0, 1, 2, 3, 4, 5]],
      [{ from: 4n, limit: 10, maxBytes: 250, direction: 'backwards' }, [4, 3, 2]],
    ];
    for (const [options, revisions] of cases) expect(revisionsOf(await store.readStream(name, options))).toEqual(revisions);
  });

  test('sees an append as soon as it is acknowledged', async ({ store, secondProcess, stream, all }) => {
    const name = stream();
    const second = await secondProcess();
    for (let revision = 0n; revision < 10n; revision += 1n) {
      const events = newEvents(1);
      const { position } = await store.append(name, events, 'any');
      for (const reader of [store, second]) {
        expect(idsOf(await reader.readStream(name, { from: revision, limit: 5 }))).toEqual(idsOf(events));
        expect(idsOf(await readLog(reader, all, 5, position - 1n))).toEqual(idsOf(events));
        expect(await reader.head(all)).toBe(position);
        expect(await reader.head()).toBeGreaterThanOrEqual(position);
      }
    }
  });

  test('reads the log in the order of the appends, after a position, in pages', async ({ store, stream, all }) => {
    const streams = [stream('orders'), stream('carts'), stream('orders')];
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const events = newEvents(1 + (index % 2));
      await store.append(streams[index % 3] ?? '', events, 'any');
      ids.push(...idsOf(events));
    }
    const whole = await readLog(store, all);
    expect(idsOf(whole)).toEqual(ids);
    expect(isIncreasing(whole.map(({ position }) => position))).toBe(true);
    expect(await readLog(store, all, 1)).toEqual(whole);
    expect(await readLog(store, all, 5)).toEqual(whole);
    for (const index of [0, 7, 16]) {
      expect(await readLog(store, all, 100, whole[index]?.position ?? 0n)).toEqual(whole.slice(index + 1));
    }
    const page = await store.readAll({ categories: all, limit: 4, after: whole[1]?.position ?? 0n });
    expect(page.events.length).toBeLessThanOrEqual(4);
    expect(page.position).toBeGreaterThanOrEqual(page.events.at(-1)?.position ?? 0n);
  });

  test('passes the categories asked for and no others', async ({ store, stream, service }) => {
    const other = { orders: `${service}x.orders-1`, bare: `${service}-1`, dashless: `${service}.dashless` };
    const streams = [stream('orders'), stream('orders2'), stream('orders.sub'), stream('carts'), ...Object.values(other)];
    for (const name of streams) await store.append(name, newEvents(1), 'no-stream');
    const [orders = '', orders2 = '', sub = '', carts = ''] = streams;
    const cases: readonly [readonly string[], readonly string[]][] = [
      [[`${service}.orders`], [orders]],
      [
        [`${service}.orders`, `${service}.carts`, `${service}.orders`],
        [orders, carts],
      ],
      [[`${service}.*`], [orders, orders2, sub, carts, other.dashless]],
      [[`${service}.orders.*`], [sub]],
      [
        [`${service}.carts`, `${service}.*`],
        [orders, orders2, sub, carts, other.dashless],
      ],
      [
        [`${service}x.*`, `${service}.dashless`],
        [other.orders, other.dashless],
      ],
      [[service], [other.bare]],
      [[`${service}.missing`], []],
    ];
    for (const [categories, expected] of cases) {
      const found = await readLog(store, categories);
      expect(found.map((event) => event.stream)).toEqual(expected);
      expect(await store.head(categories)).toBe(found.at(-1)?.position ?? 0n);
    }
  });

  test('without a filter reads every stream but those of the system', async ({ store, stream, service }) => {
    const before = await store.head();
    const names = [stream('orders'), `${service}-plain`, stream('carts')];
    for (const name of names) await store.append(name, newEvents(1), 'no-stream');
    const after = await store.readAll({ after: before, limit: 100 });
    const streams = after.events.map((event) => event.stream);
    expect(streams.filter((name) => name.startsWith(service))).toEqual(names);
    expect(streams.filter((name) => name.startsWith('$'))).toEqual([]);
  });

  test('advances the position and is caught up where nothing passes the filter', async ({ store, stream, service }) => {
    const { position } = await store.append(stream('orders'), newEvents(3), 'no-stream');
    let batch = await store.readAll({ categories: [`${service}.missing`], limit: 10 });
    for (; !batch.caughtUp; batch = await store.readAll({ after: batch.position, categories: [`${service}.missing`], limit: 10 })) {
      expect(batch.events).toEqual([]);
    }
    expect(batch.events).toEqual([]);
    expect(batch.position).toBeGreaterThanOrEqual(position);
    expect(await store.head([`${service}.missing`])).toBe(0n);
  });

  test('says where the log ends, whatever expires: no position that was read lies behind it', async ({
    store,
    stream,
    service,
    secondProcess,
  }) => {
    const name = stream('orders');
    const { position } = await store.append(name, newEvents(3), 'no-stream');
    expect(await store.end()).toBeGreaterThanOrEqual(position);
    await store.setRetention(name, { maxCount: 1 });
    await store.truncate(name, 3n);
    const end = await (await secondProcess()).end();
    expect(end).toBeGreaterThanOrEqual(position);
    const { position: read } = await store.readAll({ after: position, categories: [`${service}.missing`], limit: 10 });
    expect(await store.end()).toBeGreaterThanOrEqual(read);
  });
};
