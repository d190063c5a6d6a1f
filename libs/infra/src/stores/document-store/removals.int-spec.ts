import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Change, Namespace, ReadView } from '#projections/shared/read-store.js';
import { append, COLLECTION, listed, put, remove, removePrefix, textOf } from '#test/contracts/read-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { eventually } from '#test/support/eventually.js';
import type { DocumentStore } from './document-store.js';
import { DISK, type Files } from './files/files.js';
import { type DocumentStoreOptions, openDocumentStore } from './open.js';

const PROJECTION = 'test';

let directory: ReturnType<typeof temporaryDirectory>;
let opened: DocumentStore[];
let namespace: Namespace;
/** Sizes of the writes so far, and the number of those for which the disk still has room. */
let written: number[];
let room: number;
const files: Files = {
  ...DISK,
  write: (...call) => {
    if (--room < 0) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    written.push(call[1].length);
    return DISK.write(...call);
  },
};

const open = async (name: string, options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> => {
  const store = await openDocumentStore({ path: join(directory.path, name), files, report: () => {}, ...options });
  opened.push(store);
  return store;
};

const serve = async (store: DocumentStore): Promise<void> => {
  namespace = await store.prepare(PROJECTION, 1);
  await store.serve(namespace);
};

/** Resolves when each removed document has a record of it. */
const recorded = (store: DocumentStore) =>
  eventually(() => store.parts.builds.find(namespace).state.removals.length).until((removals) => removals === 0);

beforeEach(() => {
  directory = temporaryDirectory();
  [opened, written, room] = [[], [], Number.POSITIVE_INFINITY];
});
afterEach(async () => {
  room = Number.POSITIVE_INFINITY;
  await Promise.all(opened.map((store) => store.close()));
  directory.remove();
});

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `p/${String(n).padStart(5, '0')}`);

it('the removal of any number of documents takes batches of some thousands', async () => {
  const store = await open('documents');
  await serve(store);
  await store.commit(
    namespace,
    numbered(20_000).map((key) => put(key, '1')),
    0n,
    1n,
  );
  await store.flush();
  written.length = 0;
  await store.commit(namespace, [removePrefix('p/'), put('a', '1')], 1n, 2n);
  expect(await listed(store.view(PROJECTION))).toEqual(['a=1']);
  await recorded(store);
  expect((await store.size(PROJECTION)).documents).toBe(1);
  expect(Math.max(...written)).toBeLessThan(2 ** 19); // in one batch: 1.3 MB
  expect(await listed(store.view(PROJECTION))).toEqual(['a=1']);
});

/** The changes of each commit. */
const STEPS: readonly (readonly Change[])[] = [
  [...numbered(30).map((key) => put(key, key)), ...['a', 'p', 'p0', 'q'].map((key) => put(key, '1'))],
  [put('p/00001', '2'), removePrefix('p/'), put('p/00005', 'new'), append('p/00006', 'piece'), put('b', '2')],
  [remove('p/00007'), append('p/00008', 'x'), put('p/00009', 'y'), removePrefix('p/0001'), put('c', '3')],
];
/** The documents by position. */
const STATES = [
  [],
  [...['a', 'p'].map((key) => `${key}=1`), ...numbered(30).map((key) => `${key}=${key}`), 'p0=1', 'q=1'],
  ['a=1', 'b=2', 'p=1', 'p/00005=new', 'p/00006=piece', 'p0=1', 'q=1'],
  ['a=1', 'b=2', 'c=3', 'p=1', 'p/00005=new', 'p/00006=piece', 'p/00008=x', 'p/00009=y', 'p0=1', 'q=1'],
];

const expectShown = async (view: ReadView, position: number): Promise<void> => {
  const state = STATES[position] ?? [];
  const under = state.filter((text) => text.startsWith('p/'));
  expect(await listed(view)).toEqual(state);
  expect(await listed(view, { reverse: true, offset: 2 })).toEqual(state.slice(0, -2).toReversed());
  expect(await listed(view, { gte: 'p/', lt: 'p0' })).toEqual(under);
  expect(await listed(view, { gte: 'p/', lt: 'p0', offset: 1, limit: 2 })).toEqual(under.slice(1, 3));
  expect(await Promise.all([{}, { gte: 'p/', lt: 'p0' }, { gt: 'p0' }].map((range) => view.count(COLLECTION, range)))).toEqual([
    state.length,
    under.length,
    Math.min(1, state.length),
  ]);
  const keys = ['a', ...numbered(30)];
  const expected = keys.map((key) => state.find((text) => text.startsWith(`${key}=`))?.slice(key.length + 1) ?? null);
  expect((await view.getMany(COLLECTION, keys)).map(textOf)).toEqual(expected);
  expect(await view.lengths(COLLECTION, keys)).toEqual(expected.map((text) => text?.length ?? null));
};

describe.each([true, false])('documents of which some removals have no record yet (past: %s)', (past) => {
  const options = { keepsPast: () => past, mostRemoved: 3 };

  const expectAll = async (store: DocumentStore, position: number): Promise<void> => {
    await expectShown(store.view(PROJECTION), position);
    await expectShown(store.documents(namespace), position);
    expect(await store.checkpoint(namespace)).toBe(BigInt(position));
    if (past) for (let at = 0; at <= position; at++) await expectShown(store.past(PROJECTION, BigInt(at)), at);
  };

  /** Leaves the files as a process killed now does. */
  const killed = (to: string, hasIndex: boolean): void => {
    const from = join(directory.path, 'documents');
    for (const name of readdirSync(from))
      if (name !== 'lock' && (hasIndex || name !== 'index'))
        cpSync(join(from, name), join(directory.path, to, name), { recursive: true, filter: (one) => !/\/(open\.|lock\.mdb)/.test(one) });
  };

  it.each(['commit', 'commitSoon'] as const)('are removed for readers, changes after it, and after a restart (%s)', async (commit) => {
    const store = await open('documents', options);
    await serve(store);
    for (const [index, changes] of STEPS.entries()) {
      if (index > 0) room = 1; // no part after the commit is written, or the first one with it
      await store[commit](namespace, changes, BigInt(index), BigInt(index + 1));
      if (index > 0) await eventually(() => room).until((left) => left < 0);
      expect(store.parts.builds.find(namespace).state.removals).toHaveLength(index);
      await expectAll(store, index + 1);
    }
    await expectAll(await open('documents', { ...options, readOnly: true }), STEPS.length);
    killed('without index', false);
    room = Number.POSITIVE_INFINITY;
    await store.parts.indexing.run();
    killed('with index', true);
    await store.commit(namespace, [], 3n, 3n);
    await recorded(store);
    await store.close();
    for (const name of ['documents', 'without index', 'with index']) {
      if (name !== 'documents') {
        room = 0;
        const full = await open(name, options);
        expect(full.parts.builds.find(namespace).state.removals).toHaveLength(2);
        await expectAll(full, STEPS.length);
        await full.close();
        room = Number.POSITIVE_INFINITY;
      }
      const again = await open(name, options);
      await recorded(again);
      await expectAll(again, STEPS.length);
      expect((await again.size(PROJECTION)).documents).toBe(STATES[STEPS.length]?.length);
      await again.close();
      const last = await open(name, options);
      expect(last.parts.builds.find(namespace).state.removals).toEqual([]);
      await expectAll(last, STEPS.length);
      await last.close();
    }
  });
});
