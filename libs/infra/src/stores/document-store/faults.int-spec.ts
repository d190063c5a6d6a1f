import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { changesOf, differenceIn, PAST, PLAIN } from '#test/support/document-store/churn.js';
import { randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { runs, SEED } from '#test/support/test-runs.js';
import type { ReadModelDamage } from './condition.js';
import type { PastStore } from './document-store.js';
import { DISK, type Files } from './files.js';
import { type DocumentStoreOptions, openDocumentStore } from './open.js';

type Call = 'write' | 'read' | 'size' | 'truncate' | 'sync' | 'open';

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

/** A disk of which calls fail as long as it is told to; a write that fails may have written some. */
class FaultyDisk {
  code = 'EIO';
  /** Whether a call fails. */
  fails: (call: Call) => boolean = () => false;

  readonly files: Files = {
    open: (...args) => this.call('open', () => DISK.open(...args)),
    write: (descriptor, bytes, at, position) => {
      if (!this.fails('write')) return DISK.write(descriptor, bytes, at, position);
      DISK.write(descriptor, bytes.subarray(0, at + Math.ceil((bytes.length - at) / 2)), at, position);
      throw errorOf(this.code);
    },
    read: (...args) => this.call('read', () => DISK.read(...args)),
    size: (descriptor) => this.call('size', () => DISK.size(descriptor)),
    truncate: (...args) => this.call('truncate', () => DISK.truncate(...args)),
    sync: async (descriptor) => this.call('sync', () => DISK.sync(descriptor)),
    close: DISK.close,
  };

  private call<Result>(call: Call, work: () => Result): Result {
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

const open = (options: Partial<DocumentStoreOptions> = {}): Promise<PastStore> =>
  openDocumentStore({
    path: directory.path,
    keepsPast: (projection) => projection === PAST,
    report: () => {},
    onDamage: (damage) => damages.push(damage),
    files: disk.files,
    ...options,
  });

const begin = async (store: PastStore): Promise<readonly Namespace[]> => {
  const namespaces = [await store.prepare(PAST, 1), await store.prepare(PLAIN, 1)];
  for (const namespace of namespaces) await store.serve(namespace);
  return namespaces;
};

const expectWhole = async (store: PastStore, last: number): Promise<void> => {
  for (const projection of [PAST, PLAIN]) {
    expect(Number((await store.standing(projection))?.checkpoint)).toBe(last);
    expect(differenceIn(await store.view(projection).range('documents', {}), last)).toBeUndefined();
  }
  for (let position = 0; position <= last; position += 7)
    expect(differenceIn(await store.past(PAST, BigInt(position)).range('documents', {}), position)).toBeUndefined();
};

/** @returns whether it succeeded; nothing but that the store is unavailable may keep it from that */
const attempted = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ReadStoreUnavailable) return false;
    throw error;
  }
};

describe('a disk of which calls fail now and then', () => {
  it.each([
    ['EIO', ['write', 'truncate', 'sync']],
    ['ENOSPC', ['write']],
    ['EIO', ['read']],
    ['EIO', ['write', 'truncate', 'sync', 'read', 'size', 'open']],
  ] as const)(
    '(%s of %j) has commits fail as a whole; later attempts succeed',
    async (code, calls) => {
      const random = randomNumbers(SEED);
      let tries = 0; // a commit that makes many calls would never get through
      const isOneOf = (call: Call): boolean => tries < 4 && (calls as readonly Call[]).includes(call) && random() < 0.25;
      disk.code = code;
      let store = await open();
      let namespaces = await begin(store);
      let failures = 0;
      const last = runs(400, 100);
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
    },
    300_000,
  );

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
