import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Change, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { Build, type PastBuild } from '../build.js';
import type { DocumentStore } from '../document-store.js';
import { type DocumentStoreOptions, openDocumentStore } from '../open.js';

const PROJECTION = 'test';

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

describe('documents as of a position', () => {
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

  it.each(['count', 'offset'] as const)('leave others their turns while thousands are looked at: %s', async (kind) => {
    const store = await open();
    const namespace = await store.prepare(PROJECTION, 1);
    await store.serve(namespace);
    const keys = Array.from({ length: 6_000 }, (_, index) => `k${10_000 + index}`);
    const put = keys.map((key): Change => ({ kind: 'put', collection: 'a', key, value: key, position: 1n }));
    const removed = keys.filter((_, index) => index % 3 === 0);
    const remove = removed.map((key): Change => ({ kind: 'delete', collection: 'a', key, position: 2n }));
    await store.commit(namespace, put, 0n, 1n);
    await store.commit(namespace, remove, 1n, 2n);
    const left = keys.filter((_, index) => index % 3 > 0);
    let [turns, isOver] = [0, false];
    const tick = (): void => {
      turns++;
      if (!isOver) setImmediate(tick);
    };
    setImmediate(tick);
    const view = store.past(PROJECTION, 2n);
    if (kind === 'count') {
      expect([await view.count('a', {}), await view.count('a', { gte: keys[3_000] ?? '', reverse: true })]).toEqual([4_000, 2_000]);
    } else {
      const offsets = [0, 1, 499, 500, 3_999, 4_000, 5_000];
      for (const offset of offsets) {
        const found = await Promise.all([false, true].map((reverse) => view.range('a', { offset, limit: 2, reverse })));
        const wanted = [left, [...left].reverse()].map((all) => all.slice(offset, offset + 2));
        expect(found.map((documents) => documents.map(({ key }) => key))).toEqual(wanted);
      }
    }
    isOver = true;
    expect(turns).toBeGreaterThan(keys.length / 500);
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
