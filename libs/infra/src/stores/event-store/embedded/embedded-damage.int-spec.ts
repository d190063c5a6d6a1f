import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DamagedBlock, DamagedLog } from '#domain/shared/damaged-log.js';
import { openEnvironment } from '#infra/platform/lmdb/environment.js';
import { DATABASE_COUNT, LOG_FORMAT, openDatabases } from '#infra/stores/event-store/embedded/storage/databases.js';
import { follow, newEvent, newEvents, readLog, readWhole, revisionsOf } from '#test/contracts/event-store/fixture.js';
import { changeLetter } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
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

describe('damage to the embedded log', () => {
  const dataFile = () => join(directory.path, 'data.mdb');

  it('is found when it is read: the error names the position, appends are refused, and the rest can still be read', async () => {
    const found: DamagedLog[] = [];
    const store = openStore({ onDamage: (error) => found.push(error) });
    for (const text of ['before', 'victim', 'after']) await store.append('notes-1', [newEvent({ text })], 'any');
    expect(await store.trouble()).toBeNull();
    changeLetter(dataFile(), 'victim');

    const failure = { name: 'EventStoreUnavailable', position: 2n, message: expect.stringContaining('position 2') };
    await expect(readWhole(store, 'notes-1')).rejects.toMatchObject(failure);
    await expect(store.readAll({ limit: 10 })).rejects.toMatchObject(failure);
    expect(found).toEqual([expect.objectContaining(failure)]);
    expect(await store.trouble()).toContain('it is damaged');
    await expect(store.append('notes-2', newEvents(1), 'any')).rejects.toThrow('takes no events: it is damaged');
    expect(revisionsOf(await store.readStream('notes-1', { limit: 1 }))).toEqual([0]);
    expect(revisionsOf(await store.readStream('notes-1', { from: 2n, limit: 1 }))).toEqual([2]);
    const following = follow(openStore({ readOnly: true }), { after: 0n, categories: ['notes'] });
    await expect(following.until(() => following.events.length === 3)).rejects.toThrow(DamagedBlock);
    // It can still be truncated.
    await store.truncate('notes-1', 2n);
    expect(await store.sweep()).toBe(2);
    expect(revisionsOf(await readLog(store, ['notes']))).toEqual([2]);
  });

  it('keeps the next process from opening the log, even if this process closed it in order', async () => {
    const store = openStore();
    await store.append('notes-1', [newEvent({ text: 'victim' })], 'any');
    await store.close();
    const reader = openStore();
    changeLetter(dataFile(), 'victim');
    await expect(readWhole(reader, 'notes-1')).rejects.toThrow(DamagedBlock);
    await reader.close();
    expect(() => openStore()).toThrow(`${directory.path} is damaged: data.mdb has a damaged event at position 1. Put back`);
  });

  it('of a head is found before an append relies on it', async () => {
    const store = openStore();
    await store.append('notes-victim', newEvents(3), 'any');
    changeLetter(dataFile(), 'revision":2,"first');
    await expect(store.append('notes-victim', newEvents(1), 'any')).rejects.toThrow('damaged at the head of stream notes-victim');
    await expect(readWhole(store, 'notes-victim')).rejects.toThrow(DamagedLog);
    expect(await store.trouble()).not.toContain('victim');
  });

  it('of an index is found when a read comes across a gap, a foreign event or a wrong count', async () => {
    const written = openStore();
    for (const name of ['notes-aaaa', 'notes-bbbb']) for (let n = 0; n < 3; n += 1) await written.append(name, newEvents(2), 'any');
    await written.close();
    const root = openEnvironment({ path: directory.path, durability: 'durable', maxDbs: DATABASE_COUNT, format: LOG_FORMAT });
    const store = openStore({ readOnly: true });
    const { streams, categories } = openDatabases(root.root);
    const [gap, foreign, count] = [streams.get(['notes-aaaa', 3]), streams.get(['notes-bbbb', 1]), streams.get(['notes-bbbb', 5])];
    if (!gap || !foreign || !count) throw new Error('the index is not as it was');
    const change = (work: () => unknown) => root.root.transaction(work);
    const reads = (name: string, direction: 'forwards' | 'backwards') => store.readStream(name, { limit: 10, direction });

    await change(() => streams.removeSync(['notes-aaaa', 3]));
    for (const direction of ['forwards', 'backwards'] as const) await expect(reads('notes-aaaa', direction)).rejects.toThrow(DamagedLog);
    await change(() => streams.putSync(['notes-aaaa', 3], gap));
    expect(revisionsOf(await reads('notes-aaaa', 'forwards'))).toEqual([0, 1, 2, 3, 4, 5]);
    await change(() => streams.putSync(['notes-aaaa', 3], foreign));
    await expect(reads('notes-aaaa', 'forwards')).rejects.toThrow(DamagedBlock);
    await change(() => streams.putSync(['notes-bbbb', 5], [count[0], 1, count[2]]));
    await expect(reads('notes-bbbb', 'backwards')).rejects.toThrow(DamagedLog);
    await change(() => categories.putSync(['letters', 2], 2));
    await expect(store.readAll({ limit: 10, categories: ['letters'] })).rejects.toThrow(DamagedBlock);
    await root.close();
  });
});

describe('an embedded log of another version', () => {
  it('has blocks as earlier releases of its format read them: any other form raises LOG_FORMAT', async () => {
    const [one, two] = newEvents(2).map((event, index) => ({ ...event, id: `00000000-0000-4000-8000-00000000000${index}` }));
    if (!one || !two) throw new Error('there are no events');
    const { metadata } = one;
    await openStore().append('notes-1', [one, { ...two, metadata }], 'any');
    await Promise.all(opened.splice(0).map((store) => store.close()));
    const root = openEnvironment({ path: directory.path, durability: 'durable', maxDbs: DATABASE_COUNT, format: LOG_FORMAT });
    const blocks = root.root.openDB<string, number>('blocks', { encoding: 'string', keyEncoding: 'uint32' });
    const stored = blocks.get(1)?.replace(/^[\da-f]{8}/, '');
    const texts = [one, two].map(({ id, type, data }) => `{"id":"${id}","type":"${type}","data":${JSON.stringify(data)}}`);
    const sizes = `${texts.map(({ length }) => length)};${[one, two].map(({ data }) => JSON.stringify(data).length)}`;
    const place = '"stream":"notes-1","revision":0,"position":1,"recordedAt":<time>';
    expect([LOG_FORMAT, stored?.replace(/("recordedAt":)\d+/, '$1<time>')]).toEqual([
      3,
      `2;${sizes}\n{${place},"events":[${texts}],"metadata":${JSON.stringify(metadata)}}`,
    ]);
    await root.close();
  });

  it('is not opened if it is newer', async () => {
    await openStore().close();
    const file = join(directory.path, 'store.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), format: LOG_FORMAT + 1 }));
    expect(() => openStore()).toThrow(`${directory.path} was written by a newer version of Logbook`);
  });
});
