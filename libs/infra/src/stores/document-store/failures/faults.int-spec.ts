import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { type Change, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { changesOf, differenceIn, PAST, PLAIN } from '#test/support/document-store/churn.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { runs, SEED } from '#test/support/test-runs.js';
import type { DocumentStore } from '../document-store.js';
import { DISK, type Files } from '../files/files.js';
import type { Indexing } from '../indexing.js';
import { type DocumentStoreOptions, openDocumentStore } from '../open.js';
import type { ReadModelDamage } from './condition.js';

type Call = 'write' | 'read' | 'size' | 'truncate' | 'sync' | 'open';

/** Part that writes the index in the background every few seconds. */
const indexingOf = (store: DocumentStore): Indexing => store.parts.indexing;

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** A disk whose calls fail as `fails` says. A failing write may have written some bytes. */
class FaultyDisk {
  code = 'EIO';
  /** Number of calls so far. */
  calls = 0;
  fails: (call: Call) => boolean = () => false;

  readonly files: Files = {
    open: (...args) => this.call('open', () => DISK.open(...args)),
    write: (descriptor, bytes, at, position) => {
      this.calls += 1;
      if (!this.fails('write')) return DISK.write(descriptor, bytes, at, position);
      DISK.write(descriptor, bytes.subarray(0, at + Math.ceil((bytes.length - at) / 2)), at, position);
      throw errorOf(this.code);
    },
    read: (...args) => this.call('read', () => DISK.read(...args)),
    size: (descriptor) => this.call('size', () => DISK.size(descriptor)),
    truncate: (...args) => this.call('truncate', () => DISK.truncate(...args)),
    sync: async (descriptor) => this.call('sync', () => DISK.sync(descriptor)),
    close: DISK.close,
    requireRoom: DISK.requireRoom,
  };

  private call<Result>(call: Call, work: () => Result): Result {
    this.calls += 1;
    if (this.fails(call)) throw errorOf(this.code);
    return work();
  }
}

let directory: ReturnType<typeof temporaryDirectory>;
let disk: FaultyDisk;
let damages: ReadModelDamage[];
beforeEach(() => {
  directory = temporaryDirectory();
  disk = new FaultyDisk();
  damages = [];
});
afterEach(() => directory.remove());

const open = (options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> =>
  openDocumentStore({
    path: directory.path,
    keepsPast: (projection) => projection === PAST,
    report: () => {},
    onDamage: (damage) => damages.push(damage),
    files: disk.files,
    mergeSizes: { segmentBytes: 4_096, blockBytes: 1 + (SEED % 2) * 1_023, retryMs: 0 },
    ...options,
  });

const begin = async (store: DocumentStore): Promise<readonly Namespace[]> => {
  const namespaces = [await store.prepare(PAST, 1), await store.prepare(PLAIN, 1)];
  for (const namespace of namespaces) await store.serve(namespace);
  return namespaces;
};

const expectWhole = async (store: DocumentStore, last: number): Promise<void> => {
  for (const projection of [PAST, PLAIN]) {
    expect(Number((await store.standing(projection))?.checkpoint)).toBe(last);
    expect(differenceIn(await store.view(projection).range('documents', {}), last)).toBeUndefined();
  }
  for (let position = 0; position <= last; position += 7)
    expect(differenceIn(await store.past(PAST, BigInt(position)).range('documents', {}), position)).toBeUndefined();
};

/** @returns whether it succeeded. Any error other than ReadStoreUnavailable fails the test */
const attempted = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ReadStoreUnavailable) return false;
    throw error;
  }
};

describe(`a disk of which calls fail now and then (seed ${SEED})`, () => {
  it.each([
    ['EIO', ['write', 'truncate', 'sync']],
    ['ENOSPC', ['write']],
    ['EIO', ['read']],
    ['EIO', ['write', 'truncate', 'sync', 'read', 'size', 'open']],
  ] as const)('(%s of %j) has commits fail as a whole; later attempts succeed', async (code, calls) => {
    const random = randomNumbers(SEED);
    let tries = 0; // a commit of many calls would never succeed
    const isOneOf = (call: Call): boolean => tries < 4 && (calls as readonly Call[]).includes(call) && random() < 0.25;
    disk.code = code;
    let store = await open();
    let namespaces = await begin(store);
    let failures = 0;
    const last = runs(200, 100);
    for (let number = 1; number <= last; number += 1) {
      for (const namespace of namespaces) {
        const commit = random() < 0.5 ? store.commit : store.commitSoon;
        const next = () => commit.call(store, namespace, changesOf(number), BigInt(number - 1), BigInt(number));
        disk.fails = isOneOf;
        for (; !(await attempted(next)); tries += 1) failures += 1;
        tries = 0;
      }
      if (!(await attempted(() => store.view(PLAIN).range('documents', {})))) failures += 1;
      if (number % 20 === 0 && !(await attempted(() => store.flush()))) failures += 1;
      disk.fails = () => false;
      if (number % 10 === 0) await expectWhole(store, number);
      if (number % 25 > 0) continue;
      await store.close();
      store = await open();
      await expectWhole(store, number);
      namespaces = await Promise.all([PAST, PLAIN].map(async (projection) => (await store.served(projection)) as Namespace));
    }
    expect(failures).toBeGreaterThan(3);
    expect(damages).toEqual([]);
    await store.close();
  });

  it('has the switch to a build fail as a whole; a later attempt succeeds', async () => {
    const store = await open();
    await begin(store);
    const [served] = [await store.served(PLAIN)];
    const blocked = join(directory.path, `builds.${process.pid}.0.tmp`);
    mkdirSync(blocked);
    expect(await attempted(() => store.prepare(PLAIN, 2))).toBe(false);
    rmSync(blocked, { recursive: true });
    const next = await store.prepare(PLAIN, 2);
    await store.commit(next, changesOf(1), 0n, 1n);
    mkdirSync(blocked);
    expect(await attempted(() => store.serve(next))).toBe(false);
    expect(await store.served(PLAIN)).toEqual(served);
    rmSync(blocked, { recursive: true });
    await store.serve(next);
    expect(differenceIn(await store.view(PLAIN).range('documents', {}), 1)).toBeUndefined();
    await store.close();
    const again = await open();
    expect(await again.served(PLAIN)).toMatchObject({ version: 2 });
    expect(damages).toEqual([]);
    await again.close();
  });
});

describe('a disk of which one call fails', () => {
  const LAST = 12;
  /** Number of the call. */
  let first = Number.POSITIVE_INFINITY;
  const BULK = 'bulk'.repeat(10_000);
  const reports: string[] = [];
  beforeEach(() => {
    reports.length = 0;
  });

  /** Repeats the work until it succeeds. Any error other than those of the port fails the test. @returns its result */
  const insist = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await work();
      } catch (error) {
        const isExpected = error instanceof ReadStoreUnavailable || error instanceof EnvironmentError || isFault(error);
        if (!isExpected || attempt > 3) throw error;
      }
  };
  const isFault = (error: unknown): boolean => error instanceof Error && error.message === disk.code;

  const reopen = () => insist(() => open({ report: (message) => reports.push(message), keepsBuild: () => true }));

  const fill = async (store: DocumentStore, projection: string, version: number): Promise<void> => {
    const namespace = await insist(() => store.prepare(projection, version));
    for (let number = 1; number <= LAST; number += 1) {
      const commit = number % 2 === 0 ? store.commit : store.commitSoon;
      await insist(() => commit.call(store, namespace, changesOf(number), BigInt(number - 1), BigInt(number)));
    }
    await insist(() => store.serve(namespace));
  };

  /** Rebuilds the builds that a start discarded, as the engine does. */
  const complete = async (store: DocumentStore): Promise<void> => {
    for (const projection of [PAST, PLAIN]) if (!(await store.served(projection))) await fill(store, projection, 1);
  };

  const expectBoth = async (store: DocumentStore): Promise<void> => {
    for (const projection of [PAST, PLAIN]) {
      const found = await insist(() => store.view(projection).range('documents', {}));
      expect(differenceIn(found, LAST)).toBeUndefined();
    }
    for (let position = 0; position <= LAST; position += 1) {
      const found = await insist(() => store.past(PAST, BigInt(position)).range('documents', {}));
      expect(differenceIn(found, position)).toBeUndefined();
    }
  };

  /** Exercises every use that a store makes of its files. */
  const doEverything = async (): Promise<void> => {
    let store = await reopen();
    await complete(store);
    await expectBoth(store);
    await insist(() => store.flush());
    await insist(() => indexingOf(store).run());
    // Fills another collection until the file is compacted.
    const plain = (await insist(() => store.served(PLAIN))) as Namespace;
    for (let count = 0; count < 28; count += 1) {
      const changes = [{ kind: 'put', collection: 'bulk', key: 'k', value: `${count}${BULK}` } as const];
      const at = await insist(() => store.checkpoint(plain));
      await insist(() => store.commit(plain, changes, at, at));
    }
    await insist(() => store.commit(plain, [], BigInt(LAST), BigInt(LAST))); // waits for the compaction
    if (disk.calls < first) expect((await store.size(PLAIN)).bytes).toBeLessThan(15 * BULK.length);
    await expectBoth(store);
    const reader = await insist(() => open({ readOnly: true }));
    await expectBoth(reader);
    await fill(store, PAST, 2);
    await insist(() => store.flush());
    await expectBoth(reader);
    await reader.close();
    const changes = Array.from({ length: LAST }, (_, index) => changesOf(index + 1)).flat();
    const byKey = changes.toSorted((one, other) => Number(keyOf(one) > keyOf(other)) - Number(keyOf(one) < keyOf(other)));
    await insist(() => store.importBuild('imported', { version: 1, from: 1n, checkpoint: BigInt(LAST), changes: byKey }));
    await insist(() => indexingOf(store).run());
    await store.close();
    store = await reopen();
    await complete(store);
    await expectBoth(store);
    if (reports.length === 0)
      for (let position = 1; position <= LAST; position += 1) {
        const found = await insist(() => store.past('imported', BigInt(position)).range('documents', {}));
        expect(differenceIn(found, position)).toBeUndefined();
      }
    await store.close();
  };

  const keyOf = (change: Change): string => (change.kind === 'delete-prefix' ? change.prefix : change.key);

  it.each([
    ['EIO', 1],
    ['EIO', 3],
    ['ENOSPC', 1],
  ] as const)(
    '(%s, %i in a row), whichever it is, shows nothing wrong then or later',
    async (code, count) => {
      disk.code = code;
      first = Number.POSITIVE_INFINITY;
      await doEverything();
      const { calls } = disk;
      expect(calls).toBeGreaterThan(100);
      const stride = runs(24, 61); // each seed selects other calls
      for (first = 1 + (SEED % stride); first <= calls; first += stride) {
        directory.remove();
        directory = temporaryDirectory();
        disk.calls = 0;
        disk.fails = () => disk.calls >= first && disk.calls < first + count;
        damages.length = 0;
        await doEverything().catch((error) => {
          throw new Error(`call ${first} of ${calls}`, { cause: error });
        });
        expect([first, damages]).toEqual([first, []]);
      }
    },
    600_000,
  );
});
