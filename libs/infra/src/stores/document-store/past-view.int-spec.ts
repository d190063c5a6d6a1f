import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { byBytes } from '#domain/shared/text/text-order.js';
import { type Change, type KeyRange, type Namespace, ReadStoreUnavailable, type ReadView } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { runs } from '#test/support/test-runs.js';
import { Build, type PastBuild } from './build.js';
import type { DocumentStore } from './document-store.js';
import { type DocumentStoreOptions, openDocumentStore } from './open.js';

const PROJECTION = 'test';
const COLLECTIONS = ['a', 'ab', 'b'];
const GROUPS = ['p', 'q', 'r', '€', '😀'];

/** Of random sequences. */
const SEEDS = [1, 2, 3, 4].slice(0, runs(4, 2));

type State = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Applies a change to the documents in the simplest way. */
const after = (state: State, change: Change): State => {
  const documents = new Map(state.get(change.collection));
  applyChange(documents, change);
  return new Map([...state, [change.collection, documents]]);
};

const keysIn = (state: State, collection: string, { gte, gt, lte, lt, reverse }: KeyRange): readonly string[] =>
  [...(state.get(collection)?.keys() ?? [])]
    .filter(
      (key) =>
        (gte === undefined || byBytes(key, gte) >= 0) &&
        (gt === undefined || byBytes(key, gt) > 0) &&
        (lte === undefined || byBytes(key, lte) <= 0) &&
        (lt === undefined || byBytes(key, lt) < 0),
    )
    .sort((one, other) => byBytes(one, other) * (reverse ? -1 : 1));

const rangeOf = (state: State, collection: string, range: KeyRange): readonly (readonly [string, string])[] => {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = range;
  const found: (readonly [string, string])[] = [];
  let bytes = 0;
  for (const key of keysIn(state, collection, range).slice(offset)) {
    if (found.length >= limit || bytes >= maxBytes) break;
    const text = state.get(collection)?.get(key) ?? '';
    found.push([key, text]);
    bytes += Buffer.byteLength(text);
  }
  return found;
};

let path: string;
let paths: string[];
let opened: DocumentStore[];
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'logbook-documents-'));
  [paths, opened] = [[path], []];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  for (const one of paths) rmSync(one, { recursive: true, force: true });
});

const open = async (options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> => {
  const store = await openDocumentStore({
    path,
    keepsPast: () => true,
    mergeSizes: { segmentBytes: 4_096, blockBytes: 1_024 },
    ...options,
  });
  opened.push(store);
  return store;
};

type Random = (below: number) => number;

const textAt = (position: number, random: Random): string => {
  const items = Array.from({ length: [0, 3, 300][random(3)] ?? 0 }, (_, index) => ({ name: `item ${index}`, count: index }));
  return JSON.stringify({ position, items, last: random(1_000) });
};

/** Changes of one position, sometimes several of one key. */
const changesAt = (position: number, random: Random): readonly Change[] =>
  Array.from({ length: random(5) }, (): Change => {
    const collection = COLLECTIONS[random(3)] ?? 'a';
    const group = GROUPS[random(5)] ?? 'p';
    const key = `${group}/${random(3) ? random(40) : 0}`; // some keys change often, so that one commit makes several versions
    const kind = random(30);
    if (kind === 0) return { kind: 'delete-prefix', collection, prefix: `${group}/`, position: BigInt(position) };
    if (kind < 8) return { kind: 'delete', collection, key, position: BigInt(position) };
    if (kind < 16) return { kind: 'append', collection, key, piece: textAt(position, random), position: BigInt(position) };
    return { kind: 'put', collection, key, value: textAt(position, random), position: BigInt(position) };
  });

const randomRange = (random: Random): KeyRange => {
  const bound = () => `${GROUPS[random(5)]}/${random(40)}`;
  return {
    ...[{}, { gte: bound() }, { gt: bound() }][random(3)],
    ...[{}, { lte: bound() }, { lt: bound() }][random(3)],
    ...(random(2) && { reverse: true }),
    ...(random(3) === 0 && { offset: random(5) }),
    ...(random(3) === 0 && { limit: random(10) }),
    ...(random(4) === 0 && { maxBytes: 1 + random(5_000) }),
  };
};

/** Compares a view with a state, using several queries of each kind. */
const compare = async (view: ReadView, state: State, random: Random): Promise<void> => {
  const collection = COLLECTIONS[random(3)] ?? 'a';
  const range = randomRange(random);
  const found = await view.range(collection, range);
  expect(found.map(({ key, value }) => [key, value.toString()])).toEqual(rangeOf(state, collection, range));
  expect(await view.count(collection, range)).toBe(keysIn(state, collection, range).length);
  const keys = Array.from({ length: 4 }, () => `${GROUPS[random(5)]}/${random(40)}`);
  const texts = (await view.getMany(collection, keys)).map((text) => text?.toString() ?? null);
  expect(texts).toEqual(keys.map((key) => state.get(collection)?.get(key) ?? null));
  expect((await view.get(collection, keys[0] ?? ''))?.toString() ?? null).toBe(texts[0]);
};

describe('documents as of a position', () => {
  it.each(SEEDS)('are what the changes up to there have made, over restarts, for the writer and for readers (%s)', async (seed) => {
    const next = randomNumbers(seed);
    const random: Random = (below) => Math.floor(next() * below);
    let store = await open();
    const namespace = await store.prepare(PROJECTION, 1);
    await store.serve(namespace);
    const states: State[] = [new Map()];
    const last = 500;
    let checkpoint = 0;
    let reader: DocumentStore | undefined;
    const check = async (): Promise<void> => {
      for (const one of reader ? [store, reader] : [store])
        for (let look = 0; look < 4; look++) {
          const position = random(checkpoint + 1);
          await compare(one.past(PROJECTION, BigInt(position)), states[position] ?? new Map(), random);
          await compare(one.view(PROJECTION), states[checkpoint] ?? new Map(), random);
        }
    };
    while (checkpoint < last) {
      const to = Math.min(last, checkpoint + 1 + random(random(10) ? 4 : 100));
      const changes: Change[] = [];
      for (let position = checkpoint + 1; position <= to; position++) {
        const some = changesAt(position, random);
        changes.push(...some);
        states.push(some.reduce(after, states.at(-1) ?? new Map()));
      }
      const commit = random(2) ? store.commit : store.commitSoon;
      await commit.call(store, namespace, changes, BigInt(checkpoint), BigInt(to));
      checkpoint = to;
      const then = random(40);
      if (then === 0) {
        await reader?.close();
        reader = undefined;
        await store.close();
        store = await open();
      } else if (then === 1) {
        await store.flush();
        await reader?.close();
        reader = await open({ readOnly: true });
      }
      if (then < 10) {
        await store.flush();
        await check();
      }
    }
    await store.flush();
    for (let look = 0; look < 50; look++) await check();
    const documents = [...(states[last]?.values() ?? [])].reduce((sum, { size }) => sum + size, 0);
    expect((await store.size(PROJECTION)).documents).toBe(documents);
  });

  it('are all read where one commit made hundreds of versions of a document, in memory and from the file', async () => {
    let store = await open();
    const namespace = await store.prepare(PROJECTION, 1);
    await store.serve(namespace);
    const texts = Array.from({ length: 400 }, (_, n) =>
      n % 50 === 49
        ? null
        : JSON.stringify({ n, items: Array.from({ length: 30 }, (_, item) => ({ item, count: item === n % 30 ? n : 0 })) }),
    );
    const changes = texts.map((value, index): Change => {
      const at = { collection: 'a', key: 'k', position: BigInt(index + 1) };
      return value === null ? { kind: 'delete', ...at } : { kind: 'put', value, ...at };
    });
    const check = async (): Promise<void> => {
      for (const [index, text] of texts.entries()) {
        const found = await store.past(PROJECTION, BigInt(index + 1)).get('a', 'k');
        expect([index, found?.toString() ?? null]).toEqual([index, text]);
      }
      expect(await store.past(PROJECTION, 0n).get('a', 'k')).toBeNull();
    };
    await store.commitSoon(namespace, changes, 0n, 400n);
    await check();
    await store.close();
    store = await open();
    await check();
  });

  it('are found in few steps, however often the document has changed', async () => {
    const store = await open();
    const namespace = await store.prepare(PROJECTION, 1);
    await store.serve(namespace);
    const count = 20_000;
    const changes = Array.from(
      { length: count },
      (_, index): Change => ({ kind: 'put', collection: 'a', key: 'k', value: String(index), position: BigInt(index + 1) }),
    );
    await store.commit(namespace, changes, 0n, BigInt(count));
    const read = jest.spyOn(Build.prototype, 'record');
    for (const position of [1, 2, 15, 16, 17, 255, 256, 257, 4_095, 4_096, 4_097, 10_000, 19_999, 20_000]) {
      read.mockClear();
      expect(String(await store.past(PROJECTION, BigInt(position)).get('a', 'k'))).toBe(String(position - 1));
      expect(read.mock.calls.length).toBeLessThan(5 * 16); // 16 records for each level of jumps, and those before the first jump
    }
    read.mockRestore();
  });
});

describe('a replaced build', () => {
  const build = async (
    store: DocumentStore,
    version: number,
    from: bigint,
    to: bigint,
    text: (position: bigint) => string,
  ): Promise<Namespace> => {
    const namespace = await store.prepare(PROJECTION, version);
    if (from > 0n) await store.setFrom(namespace, from);
    const changes: Change[] = [];
    for (let position = from || 1n; position <= to; position++)
      changes.push({ kind: 'put', collection: 'a', key: 'k', value: text(position), position });
    await store.commit(namespace, changes, 0n, to);
    await store.serve(namespace);
    return namespace;
  };

  it('shows the positions that its replacement does not, also after a restart, as long as it is wanted', async () => {
    const options = { keepsBuild: (_: string, { version }: PastBuild) => version >= 2 };
    let store = await open(options);
    await build(store, 1, 0n, 5n, (position) => `first ${position}`);
    await build(store, 2, 0n, 10n, (position) => `second ${position}`);
    await build(store, 3, 8n, 20n, (position) => `third ${position}`);
    const check = async (one: DocumentStore): Promise<void> => {
      const at = async (position: bigint) => String(await one.past(PROJECTION, position).get('a', 'k'));
      expect([await at(3n), await at(7n), await at(8n), await at(20n), await at(99n)]).toEqual([
        'second 3',
        'second 7',
        'third 8',
        'third 20',
        'third 20',
      ]);
      expect(one.pastOf(PROJECTION)).toMatchObject([
        { from: 8n, checkpoint: 20n, version: 3, isServed: true },
        { from: 0n, checkpoint: 10n, version: 2, isServed: false },
      ]);
    };
    await check(store);
    await store.close();
    store = await open(options);
    await check(store);
    await check(await open({ ...options, readOnly: true }));
    await build(store, 4, 0n, 20n, (position) => `fourth ${position}`);
    expect(store.pastOf(PROJECTION)).toMatchObject([{ from: 0n, checkpoint: 20n, version: 4, isServed: true }]);
  });

  it('is not shown beside documents of another log: the checkpoint of those replaced went back then', async () => {
    const options = { keepsBuild: () => true };
    let store = await open(options);
    await build(store, 1, 0n, 10n, (position) => `other log ${position}`);
    const served = await build(store, 2, 8n, 20n, (position) => `other log ${position}`);
    expect(store.pastOf(PROJECTION)).toHaveLength(2);
    await store.commit(served, [], 20n, 1n, 'condemned');
    const check = async (one: DocumentStore): Promise<void> => {
      expect(one.pastOf(PROJECTION)).toMatchObject([{ checkpoint: 1n, version: 2 }]);
      await expect(one.past(PROJECTION, 5n).get('a', 'k')).rejects.toBeInstanceOf(ReadStoreUnavailable);
      expect(await one.past(PROJECTION, 9n).get('a', 'k')).toBeNull();
    };
    await check(store);
    await check(await open({ ...options, readOnly: true }));
    await build(store, 3, 4n, 6n, (position) => `this log ${position}`);
    for (const position of [1n, 3n])
      await expect(store.past(PROJECTION, position).get('a', 'k')).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(String(await store.past(PROJECTION, 9n).get('a', 'k'))).toBe('this log 6');
    await store.close();
    store = await open(options);
    expect(store.pastOf(PROJECTION)).toMatchObject([{ version: 3, isServed: true }]);
  });

  it('is not missed silently: positions that nothing shows are refused', async () => {
    const store = await open();
    await build(store, 1, 5n, 10n, (position) => `${position}`);
    await expect(store.past(PROJECTION, 4n).get('a', 'k')).rejects.toBeInstanceOf(ReadStoreUnavailable);
    expect(String(await store.past(PROJECTION, 5n).get('a', 'k'))).toBe('5');
  });
});

describe('a process that is killed', () => {
  /** Opens the files as a process killed now leaves them. */
  const afterKill = (options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> => {
    const killed = `${path}-killed`;
    cpSync(path, killed, { recursive: true, filter: (name) => !/lock|opener|open\.\d/.test(name) });
    path = killed;
    paths.push(path);
    return open(options);
  };
  const at = (position: bigint): Change => ({ kind: 'put', collection: 'a', key: 'k', value: `${position}`, position });

  it('has written what was committed to a build in memory before that was replaced', async () => {
    const options = { keepsBuild: () => true };
    const store = await open(options);
    const first = await store.prepare(PROJECTION, 1);
    await store.serve(first);
    await store.commitSoon(first, [at(1n)], 0n, 1n);
    const second = await store.prepare(PROJECTION, 2);
    await store.setFrom(second, 5n);
    await store.commit(second, [at(5n)], 0n, 5n);
    await store.serve(second);
    const again = await afterKill(options);
    expect(String(await again.past(PROJECTION, 1n).get('a', 'k'))).toBe('1');
  });

  it('has an index of what is in the files, whatever was changed in memory when it was written', async () => {
    const store = await open();
    const namespace = await store.prepare(PROJECTION, 1);
    await store.serve(namespace);
    await store.commit(namespace, [at(1n)], 0n, 1n);
    await store.commitSoon(namespace, [at(2n)], 1n, 2n);
    await store.parts.indexing.run();
    const again = await afterKill();
    expect(await again.checkpoint(namespace)).toBe(1n);
    expect(String(await again.view(PROJECTION).get('a', 'k'))).toBe('1');
  });
});
