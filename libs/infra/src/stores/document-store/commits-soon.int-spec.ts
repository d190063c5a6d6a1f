import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Position } from '#domain/shared/events.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { type Change, type Namespace, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { COLLECTION, keysOf, listed, PROJECTION, put, remove, serveDocuments, textOf } from '#test/contracts/read-store/fixture.js';
import { eventually } from '#test/support/eventually.js';
import { reaching } from '#test/support/read-stores.js';
import { DISK, type Files } from './files/files.js';
import { type DocumentStoreOptions, openDocumentStore } from './open.js';

let directory: string;
let path: string;
let opened: ReadStore[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-documents-'));
  path = join(directory, 'documents');
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(directory, { recursive: true, force: true });
});

const open = async (options: Partial<DocumentStoreOptions> = {}): Promise<ReadStore> => {
  const store = await openDocumentStore({ path, keepsPast: () => true, ...options });
  opened.push(store);
  return store;
};

const KEYS = Array.from({ length: 20 }, (_, n) => `k${n}`);
/** Puts the same value into every document of a set. */
const all = (value: bigint): readonly Change[] => KEYS.map((key) => put(key, `${value}`));

/** Opens a store with a served build at position 1 that has these documents, and a second, read-only opening. */
const openBoth = async (changes: readonly Change[]): Promise<Readonly<{ store: ReadStore; reader: ReadStore; namespace: Namespace }>> => {
  const store = await open();
  const namespace = await serveDocuments(store, changes);
  return { store, namespace, reader: await open({ readOnly: true }) };
};

describe('commits in memory', () => {
  it('are read here at once, and by another process soon, documents and checkpoint together', async () => {
    const { store, reader, namespace } = await openBoth(all(1n));
    const reached = reaching(reader, PROJECTION, 2n);
    await store.commitSoon(namespace, [...all(2n), remove('k3')], 1n, 2n, 'origin');
    expect(await store.progress(namespace)).toEqual({ checkpoint: 2n, origin: 'origin', token: '' });
    expect((await store.standing(PROJECTION))?.checkpoint).toBe(2n);
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'k2'))).toBe('2');
    await reached;
    expect(await reader.progress(namespace)).toEqual({ checkpoint: 2n, origin: 'origin', token: '' });
    expect(await listed(reader.view(PROJECTION))).toEqual(await listed(store.view(PROJECTION)));
    await store.commitSoon(namespace, [], 2n, 3n);
    await store.flush();
    expect(await reader.checkpoint(namespace)).toBe(3n);
  });

  it('are in the files when they were flushed, and known at once to another opening that asks', async () => {
    const { store, reader, namespace } = await openBoth(all(1n));
    const told: Position[] = [];
    reader.onCommit(PROJECTION, (checkpoint) => told.push(checkpoint));
    for (let position = 1n; position < 20n; position++) {
      await store.commitSoon(namespace, all(position + 1n), position, position + 1n);
      expect(await reader.checkpoint(namespace)).toBe(position);
      await store.flush();
      expect(await reader.checkpoint(namespace)).toBe(position + 1n);
      expect(told.at(-1)).toBe(position + 1n);
      expect(textOf(await reader.view(PROJECTION).get(COLLECTION, 'k0'))).toBe(`${position + 1n}`);
    }
  });

  it('are never seen in part by another process, while they go on', async () => {
    const { store, reader, namespace } = await openBoth(all(1n));
    const view = reader.view(PROJECTION);
    const seen = new Set<string>();
    for (let position = 1n; seen.size < 4; position++) {
      await store.commitSoon(namespace, all(position + 1n), position, position + 1n);
      const values = new Set((await view.getMany(COLLECTION, KEYS)).map(textOf));
      expect(values.size).toBe(1);
      for (const value of values) seen.add(String(value));
      await nextTurn();
    }
  });

  it('are written when the store is closed', async () => {
    const { store, namespace } = await openBoth([]);
    await store.commitSoon(namespace, all(2n), 1n, 2n);
    await store.close();
    await expect(store.commitSoon(namespace, [], 2n, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    const again = await open();
    expect(await again.checkpoint(namespace)).toBe(2n);
    expect(await keysOf(again.view(PROJECTION))).toHaveLength(KEYS.length);
  });

  it('come before a commit that is stored at once, and no reader sees anything in between', async () => {
    const { store, reader, namespace } = await openBoth(all(1n));
    let position = 1n;
    let isReading = true;
    const states = new Set<number>();
    const reading = (async () => {
      for (; isReading; await nextTurn())
        for (const one of [store, reader]) states.add(new Set((await one.view(PROJECTION).getMany(COLLECTION, KEYS)).map(textOf)).size);
    })();
    for (let round = 0; round < 20; round++) {
      await store.commitSoon(namespace, all(position + 1n), position, ++position);
      await store.commit(namespace, all(position + 1n), position, ++position, undefined, `token ${round}`);
      expect(await reader.checkpoint(namespace)).toBe(position);
      expect(textOf(await reader.view(PROJECTION).get(COLLECTION, 'k7'))).toBe(`${position}`);
    }
    isReading = false;
    await reading;
    expect([...states]).toEqual([1]);
  });

  it('leave the event loop to others, and memory bounded, however many come', async () => {
    const { store, namespace } = await openBoth([]);
    let turns = 0;
    let isGoing = true;
    const counting = (async () => {
      for (; isGoing; turns++) await nextTurn();
    })();
    const value = 'x'.repeat(1_000);
    for (let position = 1n; position < 300n; position++) {
      const changes = Array.from({ length: 200 }, (_, n) => put(`${position}/${n}`, value));
      await store.commitSoon(namespace, changes, position, position + 1n);
    }
    isGoing = false;
    await counting;
    expect(turns).toBeGreaterThan(3);
    expect(await store.view(PROJECTION).count(COLLECTION, {})).toBe(299 * 200);
  });
});

describe('commits in memory on a disk without room', () => {
  it('are kept and read; further ones are refused until what there is has been written', async () => {
    let isFull = false;
    const write: Files['write'] = (...args) => {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return DISK.write(...args);
    };
    const store = await open({ files: { ...DISK, write } });
    const [one, two] = [await serveDocuments(store, all(1n), 'one'), await serveDocuments(store, all(1n), 'two')];
    for (const namespace of [one, two]) await store.commitSoon(namespace, all(2n), 1n, 2n);
    await store.flush();

    isFull = true;
    await store.commitSoon(one, all(3n), 2n, 3n);
    await expect(store.flush()).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await expect(store.commitSoon(one, all(4n), 3n, 4n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    await expect(store.commitSoon(two, all(3n), 2n, 3n)).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect([await store.checkpoint(one), await store.checkpoint(two)]).toEqual([3n, 2n]);
    expect(textOf(await store.view('one').get(COLLECTION, 'k1'))).toBe('3');
    const reader = await open({ readOnly: true });
    expect(await reader.checkpoint(one)).toBe(2n);

    isFull = false;
    await store.commitSoon(one, all(4n), 3n, 4n);
    expect(await reader.checkpoint(one)).toBe(3n);
    await store.close();
    expect(await (await open()).checkpoint(one)).toBe(4n);
  });

  it('are written again after a pause, however large they are', async () => {
    let writes = 0;
    let isFull = false;
    const write: Files['write'] = (...args) => {
      writes += 1;
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return DISK.write(...args);
    };
    const store = await open({ files: { ...DISK, write } });
    const namespace = await serveDocuments(store, all(1n), PROJECTION);
    const reader = await open({ readOnly: true });
    await store.flush();
    isFull = true;
    const large = Array.from({ length: 5 }, (_, index) => put(`large${index}`, randomBytes(1024 * 1024).toString('base64')));
    const before = writes;
    await store.commitSoon(namespace, large, 1n, 2n);
    expect(writes - before).toBe(1);
    isFull = false;
    await eventually(() => reader.checkpoint(namespace)).until((checkpoint) => checkpoint === 2n);
  });
});

describe('checkpoints alone', () => {
  /** Opens a store whose index covers all of its file. */
  const openIndexed = async (): Promise<Readonly<{ store: ReadStore; namespace: Namespace }>> => {
    const { store, namespace } = await openBoth(all(1n));
    await store.commit(namespace, [], 1n, 2n, 'a');
    await store.close();
    return { store: await open(), namespace };
  };
  const moveTo = async (store: ReadStore, namespace: Namespace, to: Position, origin: string): Promise<void> => {
    await store.commitSoon(namespace, [], await store.checkpoint(namespace), to, origin);
    await store.flush();
  };
  /** Copies the files as a killed process leaves them, and opens the copy. */
  const reopened = async (lose: readonly string[] = []): Promise<ReadStore> => {
    const killed = join(directory, `killed-${opened.length}`);
    cpSync(path, killed, { recursive: true, filter: (name) => !/lock|opener/.test(name) });
    for (const name of lose) rmSync(join(killed, name), { recursive: true });
    return open({ path: killed });
  };

  it('do not make the files grow, and are known to others and after a restart', async () => {
    const { store, namespace } = await openIndexed();
    const reader = await open({ readOnly: true });
    const before = await store.size(PROJECTION);
    for (let position = 3n; position < 40n; position++) {
      await moveTo(store, namespace, position, `o${position}`);
      expect(await reader.progress(namespace)).toEqual({ checkpoint: position, origin: `o${position}`, token: '' });
    }
    expect(await store.size(PROJECTION)).toEqual(before);
    expect(await (await reopened()).progress(namespace)).toEqual({ checkpoint: 39n, origin: 'o39', token: '' });
  });

  it.each([[[]], [['index']]])('are those of the commits after them, with the index and without (%j is lost)', async (lost) => {
    const { store, namespace } = await openIndexed();
    await moveTo(store, namespace, 3n, 'b');
    await store.commitSoon(namespace, all(4n), 3n, 4n, 'a');
    await store.flush();
    const again = await reopened(lost);
    expect(await again.progress(namespace)).toEqual({ checkpoint: 4n, origin: 'a', token: '' });
    await again.commitSoon(namespace, all(5n), 4n, 5n, 'b');
    expect(textOf(await again.view(PROJECTION).get(COLLECTION, 'k0'))).toBe('5');
  });

  it('are earlier ones where the index is lost before another commit, and go on from there', async () => {
    const { store, namespace } = await openIndexed();
    await moveTo(store, namespace, 7n, 'b');
    const again = await reopened(['index']);
    expect(await again.progress(namespace)).toEqual({ checkpoint: 2n, origin: 'a', token: '' });
    await moveTo(again, namespace, 3n, 'c');
    expect(await again.progress(namespace)).toEqual({ checkpoint: 3n, origin: 'c', token: '' });
  });

  it('are written once with the commits after them, however often the disk has no room', async () => {
    const { store: indexed, namespace } = await openIndexed();
    await indexed.close();
    const attempts: number[] = [];
    let isFull = false;
    const write: Files['write'] = (...args) => {
      if (!isFull) return DISK.write(...args);
      attempts.push(args[1].length);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    const store = await open({ files: { ...DISK, write } });
    await moveTo(store, namespace, 3n, 'b');
    isFull = true;
    await store.commitSoon(namespace, all(4n), 3n, 4n, 'b');
    for (let attempt = 0; attempt < 5; attempt++) await expect(store.flush()).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(attempts).toEqual(attempts.map(() => attempts[0]));
    isFull = false;
    await store.flush();
    expect(await (await reopened()).progress(namespace)).toEqual({ checkpoint: 4n, origin: 'b', token: '' });
  });

  it('are in the file once another build is served', async () => {
    const { store, namespace } = await openIndexed();
    await moveTo(store, namespace, 7n, 'b');
    const next = await store.prepare(PROJECTION, 2);
    await store.commit(next, all(7n), 0n, 7n, 'b');
    await store.serve(next);
    expect(await (await reopened(['index'])).progress(next)).toEqual({ checkpoint: 7n, origin: 'b', token: '' });
  });
});
