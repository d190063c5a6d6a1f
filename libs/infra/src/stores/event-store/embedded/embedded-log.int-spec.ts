import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable, InvalidAppend } from '#domain/shared/event-store.js';
import { type Inspector, inspectDataFile } from '#infra/platform/lmdb/inspection.js';
import { NAMES } from '#infra/stores/event-store/embedded/storage/databases.js';
import { LogInspector } from '#infra/stores/event-store/embedded/storage/log-inspector.js';
import { follow, idsOf, newEvent, newEvents, readLog, readWhole, revisionsOf } from '#test/contracts/event-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { until } from '#test/support/eventually.js';
import { inTurns } from '#test/support/turns.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from './embedded-event-store.js';
import type { EmbeddedEventStoreOptions } from './embedded-options.js';

let directory: ReturnType<typeof temporaryDirectory>;
let opened: EmbeddedEventStore[];

beforeEach(() => {
  directory = temporaryDirectory();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  directory.remove();
});

const openStore = (options: Omit<EmbeddedEventStoreOptions, 'path'> = {}): EmbeddedEventStore => {
  const store = openEmbeddedEventStore({ path: directory.path, ...options });
  opened.push(store);
  return store;
};

describe('the sweep of the embedded log', () => {
  it('deletes truncated events from the disk, in parts, with their index entries', async () => {
    const store = openStore();
    const events = newEvents(450);
    await store.append('notes-1', events, 'no-stream');
    await store.append('notes-2', newEvents(5), 'no-stream');
    await store.truncate('notes-1', 440n);
    // Events appended together are stored in blocks of 100; the last block still holds readable events.
    expect(await store.sweep()).toBe(400);
    expect(await store.sweep()).toBe(0);
    expect(revisionsOf(await readLog(store, ['notes'])).length).toBe(55);
    expect(revisionsOf(await readWhole(store, 'notes-1'))).toEqual([440, 441, 442, 443, 444, 445, 446, 447, 448, 449]);
    expect(await store.head()).toBe(455n);
    expect(await store.stats()).toMatchObject({ categories: [{ category: 'notes', events: 55, streams: 2 }] });
    // Its ids are deleted, so this is a conflict and not a repeat.
    await expect(store.append('notes-1', events.slice(0, 1), 'no-stream')).rejects.toMatchObject({
      name: 'WrongExpectedRevision',
      actual: 449n,
    });
    expect((await store.append('notes-1', newEvents(1), 449n)).position).toBe(456n);
    await store.truncate('notes-1', 450n);
    expect(await store.sweep()).toBe(50);
    expect(await store.stats()).toMatchObject({ categories: [{ category: 'notes', events: 6 }] });
  });

  it('applies retention as the stream grows, even when the newest event of the log is deleted', async () => {
    const store = openStore();
    await store.setRetention('notes-1', { maxCount: 3 });
    for (const deleted of [0, 5, 5]) {
      expect(await store.sweep()).toBe(deleted);
      for (const event of newEvents(deleted === 0 ? 8 : 5)) await store.append('notes-1', [event], 'any');
    }
    await store.truncate('notes-1', 18n);
    expect(await store.sweep()).toBe(8);
    expect(await readLog(store, ['notes'])).toEqual([]);
    expect(await store.head()).toBe(18n);
    expect(await store.stats()).toMatchObject({ categories: [{ category: 'notes', events: 0, bytes: 0, streams: 1 }] });
    const following = follow(store, { after: 13n, categories: ['notes'] });
    expect((await store.append('notes-1', newEvents(1), 17n)).position).toBe(19n);
    await following.until(() => following.events.at(-1)?.position === 19n);
    await following.stop();
  });
});

describe('the list of the sweep', () => {
  /** Number of listed streams. All other rows are checked, too. */
  const listed = (): number => {
    let count = 0;
    const inspector = new LogInspector();
    const visit: Inspector['visit'] = (database, key, value) => {
      if (database === NAMES.retained) count += 1;
      inspector.visit(database, key, value);
    };
    const finish = () => inspector.finish();
    expect(inspectDataFile(join(directory.path, 'data.mdb'), () => ({ visit, finish }))).toEqual({ kind: 'sound' });
    return count;
  };

  it('has no stream that holds nothing, though it has limits, until it holds events again', async () => {
    const store = openStore();
    await store.append('notes-1', newEvents(2), 'no-stream');
    await store.setRetention('notes-1', { maxCount: 3 });
    await store.truncate('notes-1', 2n);
    expect(listed()).toBe(1);
    expect(await store.sweep()).toBe(2);
    expect(listed()).toBe(0);
    for (const event of newEvents(5)) await store.append('notes-1', [event], 'any');
    expect(listed()).toBe(1);
    expect(await store.sweep()).toBe(2);
    expect(listed()).toBe(1);
  });
});

describe('the embedded log', () => {
  it('refuses appends below the reserve of free space and writes nothing', async () => {
    const store = openStore({ freeSpaceReserveBytes: Number.MAX_SAFE_INTEGER });
    await expect(store.append('notes-1', newEvents(1), 'any')).rejects.toThrow(EventStoreUnavailable);
    expect(await readWhole(store, 'notes-1')).toEqual([]);
    expect(await store.trouble()).toBe('too little space is left on the disk');
  });

  it('reports why it takes no events for as long as the reason lasts', async () => {
    let freeBytes = 0;
    const store = openStore({ disk: { freeBytes: () => freeBytes, tryWrite: () => {} } });
    await expect(store.append('notes-1', newEvents(1), 'any')).rejects.toThrow('too little space is left on the disk');
    freeBytes = 2 ** 40;
    await until(async () => (await store.trouble()) === null);
    await store.append('notes-1', newEvents(1), 'any');
    expect(await readWhole(store, 'notes-1')).toHaveLength(1);
  });

  it('opens only an existing log for reading, and refuses to write to it', async () => {
    expect(() => openStore({ readOnly: true })).toThrow(`${directory.path} holds no data`);
    const events = newEvents(2);
    await openStore().append('notes-1', events, 'no-stream');
    const reader = openStore({ readOnly: true });
    expect(idsOf(await readWhole(reader, 'notes-1'))).toEqual(idsOf(events));
    expect(await reader.stats()).toMatchObject({ categories: [{ events: 2 }] });
    for (const call of [reader.append('notes-1', newEvents(1), 'any'), reader.truncate('notes-1', 1n), reader.sweep()]) {
      await expect(call).rejects.toThrow(EventStoreUnavailable);
    }
  });

  it('refuses malformed stream names and limits', async () => {
    const store = openStore();
    for (const name of ['x'.repeat(1001), 'notes-\ud800']) {
      await expect(store.append(name, newEvents(1), 'any')).rejects.toThrow(InvalidAppend);
      expect(await store.readStream(name, { limit: 1 })).toEqual([]);
    }
    for (const limit of [0, -1, 1.5, Number.NaN]) await expect(store.readStream('notes-1', { limit })).rejects.toThrow(RangeError);
    await expect(store.setRetention('notes-1', { maxCount: 0 })).rejects.toThrow(RangeError);
    const text = '{"__proto__":{"a":1},"zero":-0}';
    await store.append('notes-1', [newEvent(JSON.parse(text))], 'no-stream');
    const [stored] = await readWhole(store, 'notes-1');
    expect(JSON.stringify(stored?.data)).toBe('{"__proto__":{"a":1},"zero":0}');
  });
});

it('A subscriber gives way to others while it takes an append of thousands of events', async () => {
  const store = openStore();
  const over = new AbortController();
  const turns = new Set<number>();
  await inTurns(async (turn) => {
    const batches = store.subscribeAll({ after: 0n, signal: over.signal });
    expect((await batches.next()).value).toMatchObject({ caughtUp: true });
    const following = batches.next();
    await store.append('notes-1', newEvents(10_000), 'no-stream');
    for (let batch = await following; !batch.done; batch = await batches.next()) {
      turns.add(turn());
      for (const end = performance.now() + 5; performance.now() < end; );
      if (batch.value.position === 10_000n) over.abort();
    }
  });
  expect(turns.size).toBeGreaterThan(5);
});

it.each(['forwards', 'backwards'] as const)('A page of large events gives way to others while it is read %s', async (direction) => {
  const store = openStore();
  const text = 'x'.repeat(100_000);
  const events = Array.from({ length: 40 }, (_, n) => newEvent({ n, text }));
  await store.append('notes-1', events.slice(0, 20), 'no-stream');
  for (const event of events.slice(20)) await store.append('notes-1', [event], 'any');
  const { page, turns } = await inTurns(async (turn) => {
    const page = await store.readStream('notes-1', { direction, limit: 100 });
    return { page, turns: turn() };
  });
  expect(page.map(({ id }) => id)).toEqual((direction === 'forwards' ? events : events.toReversed()).map(({ id }) => id));
  expect(turns).toBeGreaterThan(5);
  const part = await store.readStream('notes-1', { direction, limit: 30, maxBytes: 1_000_000 });
  expect(part).toEqual(page.slice(0, 10));
});
