import { randomBytes } from 'node:crypto';
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Change, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { changesOf, differenceIn, PAST, PLAIN } from '#test/support/document-store/churn.js';
import { damageAtRandom, randomNumbers } from '#test/support/event-stores/damage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { runs, SEED } from '#test/support/test-runs.js';
import type { DocumentStore } from '../document-store.js';
import { BuildFile } from '../files/build-file.js';
import { DISK, type Files } from '../files/files.js';
import { type DocumentStoreOptions, openDocumentStore } from '../open.js';

const SEGMENT_BYTES = 2 ** 18;
/** A block of so few bytes holds a record, and a directory has several levels. */
const FEW_BYTES = 64;
const NEVER = { segmentBytes: 2 ** 30 };
const LAST = 200;
const MOST_COMMITS = 50;
const MOST_COPIES = 100;

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let opened: DocumentStore[];
let damages: unknown[];
/** Sizes of the test. */
let mergeSizes: DocumentStoreOptions['mergeSizes'];
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'documents');
  [opened, damages] = [[], []];
  mergeSizes = { segmentBytes: SEGMENT_BYTES, blockBytes: FEW_BYTES };
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  directory.remove();
});

const open = async (options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> => {
  const onDamage = (damage: unknown) => damages.push(damage);
  const shared = { keepsPast: () => true, mergeSizes, onDamage, report: (damage: string) => damages.push(damage) };
  const store = await openDocumentStore({ path, ...shared, ...options });
  opened.push(store);
  return store;
};

const begun = async (store: DocumentStore, projection = PAST): Promise<Namespace> => {
  const namespace = await store.prepare(projection, 1);
  await store.serve(namespace);
  return namespace;
};

/** Commits up to a number, with runs of several versions now and then. */
const commitUpTo = async (store: DocumentStore, namespace: Namespace, last: number): Promise<void> => {
  for (let from = Number(await store.checkpoint(namespace)); from < last; ) {
    const to = Math.min(last, from + 1 + (from % 3));
    const changes = Array.from({ length: to - from }, (_, index) => changesOf(from + 1 + index)).flat();
    await (from % 2
      ? store.commit(namespace, changes, BigInt(from), BigInt(to))
      : store.commitSoon(namespace, changes, BigInt(from), BigInt(to)));
    from = to;
  }
};

const fileOf = (store: DocumentStore, projection = PAST): BuildFile => {
  const file = store.parts.builds.served(projection)?.file;
  if (!file) throw new Error('nothing is served');
  return file;
};

/** Whether there is something to merge but the last segment. */
const isMerging = (file: BuildFile): boolean => file.closedEnd !== undefined || file.length - file.lastFrom >= SEGMENT_BYTES;

/** Awaits that everything is merged but the last segment. */
const settled = async (store: DocumentStore): Promise<void> => {
  while (isMerging(fileOf(store))) await delay(5);
};

/** Has everything merged but the last segment, and files no longer needed removed. Some commits come meanwhile, on slow machines not more. */
const merged = async (store: DocumentStore, namespace: Namespace): Promise<void> => {
  const file = fileOf(store, namespace.projection);
  const first = Number(await store.checkpoint(namespace));
  for (let number = first; isMerging(file); number += 1) {
    if (number < first + MOST_COMMITS) await store.commit(namespace, changesOf(number + 1), BigInt(number), BigInt(number + 1));
    await delay(5);
  }
  const named = () => [...store.parts.builds.all].flatMap(({ file: { files } }) => files).length; // more of them while other builds are merged
  while (docsIn(path).length > named()) await delay(5);
};

const expectWhole = async (store: DocumentStore, step = 1): Promise<number> => {
  const last = Number((await store.standing(PAST))?.checkpoint);
  expect(differenceIn(await store.view(PAST).range('documents', {}), last)).toBeUndefined();
  for (let position = 0; position <= last; position += step)
    expect(differenceIn(await store.past(PAST, BigInt(position)).range('documents', {}), position)).toBeUndefined();
  expect(damages).toEqual([]);
  return last;
};

const docsIn = (of: string): string[] => readdirSync(of).filter((name) => name.endsWith('.docs'));

const bytesIn = (of: string): number => docsIn(of).reduce((sum, name) => sum + statSync(join(of, name)).size, 0);

describe.each([FEW_BYTES, 1_024, 2 ** 14])('the past of a build, merged in blocks of %i bytes,', (blockBytes) => {
  beforeEach(() => {
    mergeSizes = { segmentBytes: SEGMENT_BYTES, blockBytes };
  });

  it('is read as before after it was merged: by the writer, a reader that was open before, and after a restart, with the index or without', async () => {
    const store = await open({ mergeSizes: NEVER });
    const namespace = await begun(store);
    await commitUpTo(store, namespace, LAST);
    await store.close();
    const again = await open();
    const reader = await open({ readOnly: true });
    await expectWhole(reader, 50);
    await merged(again, namespace);
    const last = await expectWhole(again, 11);
    expect(await expectWhole(reader, 11)).toBe(last);
    expect(fileOf(reader).mergedEnd).toBe(fileOf(again).mergedEnd);
    expect(bytesIn(path)).toBeLessThan(fileOf(again).length / 3); // which it would have if nothing were merged
    await reader.close();
    await again.close();
    await (await open()).close();
    expect(await expectWhole(await open({ readOnly: true }), 11)).toBe(last);
    rmSync(join(path, 'index'), { recursive: true });
    const rebuilt = await open();
    expect(await expectWhole(rebuilt, 11)).toBe(last);
    await commitUpTo(rebuilt, namespace, last + 50);
    await expectWhole(rebuilt, 17);
  });

  it('is merged while commits and reads go on', async () => {
    const store = await open();
    const namespace = await begun(store);
    for (let last = 10; last <= LAST * 3; last += 10) {
      await commitUpTo(store, namespace, last);
      await expectWhole(store, 97);
    }
    expect(fileOf(store).mergedEnd).toBeGreaterThan(SEGMENT_BYTES);
  });
});

describe('a merge', () => {
  it('needs no commit: a start and an import begin it', async () => {
    const store = await open({ mergeSizes: NEVER });
    const namespace = await begun(store);
    await commitUpTo(store, namespace, 120);
    await store.close();
    const again = await open();
    while (fileOf(again).mergedEnd === 0) await delay(5);
    const changes = Array.from({ length: 120 }, (_, index) => changesOf(index + 1)).flat();
    const keyOf = (change: Change): string => (change.kind === 'delete-prefix' ? change.prefix : change.key);
    const byKey = changes.toSorted((one, other) => Number(keyOf(one) > keyOf(other)) - Number(keyOf(one) < keyOf(other)));
    await again.importBuild('imported', { version: 1, from: 1n, checkpoint: 120n, changes: byKey });
    const [imported] = again.parts.builds.kept('imported');
    if (!imported) throw new Error('nothing is imported');
    while (imported.file.mergedEnd === 0) await delay(5);
    expect(differenceIn(await again.past('imported', 60n).range('documents', {}), 60)).toBeUndefined();
    await expectWhole(again, 31);
  });

  it('makes one segment of a file that is longer than one and shorter than two', async () => {
    const store = await open({ mergeSizes: NEVER });
    const namespace = await begun(store);
    for (let last = 10; fileOf(store).length < 1.3 * SEGMENT_BYTES; last += 10) await commitUpTo(store, namespace, last);
    const { length } = fileOf(store);
    expect(length).toBeLessThan(2 * SEGMENT_BYTES);
    await store.close();
    const again = await open();
    const layouts = jest.spyOn(again.parts.builds, 'setLayout');
    await settled(again); // the start begins it; commits would begin another segment on a slow machine
    expect(layouts).toHaveBeenCalledTimes(2); // another file to append to, and the segment
    expect(fileOf(again).mergedEnd).toBe(fileOf(again).lastFrom);
    expect(fileOf(again).mergedEnd).toBeGreaterThanOrEqual(length);
    await expectWhole(again, 11);
  });

  it('lets the event loop turn after a few texts of 100 KB of a document', async () => {
    const store = await open({ mergeSizes: NEVER });
    const namespace = await begun(store);
    for (let number = 1; number <= 64; number++) {
      const value = randomBytes(75_000).toString('base64');
      const change = { kind: 'put', collection: 'texts', key: 'one', value, position: BigInt(number) } as const;
      await store.commit(namespace, [change], BigInt(number - 1), BigInt(number));
    }
    await store.close();
    let [writes, most, isOver] = [0, 0, false];
    const write: Files['write'] = (...args) => {
      writes += 1;
      return DISK.write(...args);
    };
    const turn = (): void => {
      most = Math.max(most, writes);
      writes = 0;
      if (!isOver) setImmediate(turn);
    };
    const again = await open({ files: { ...DISK, write }, mergeSizes: { segmentBytes: 2 ** 22 } });
    turn();
    await again.commit(namespace, [], 64n, 64n);
    while (fileOf(again).mergedEnd === 0 || fileOf(again).closedEnd !== undefined) await delay(5);
    isOver = true;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(24);
  });
});

describe('a merge that fails', () => {
  it('for damage of a kept build leaves that build to its readers, and is not repeated', async () => {
    const store = await open({ mergeSizes: NEVER, keepsBuild: () => true });
    const before = await begun(store);
    await commitUpTo(store, before, 120);
    const { number, length } = fileOf(store);
    const namespace = await store.prepare(PAST, 2);
    await store.setFrom(namespace, 100n);
    await commitUpTo(store, namespace, 120);
    await store.serve(namespace);
    await store.close();
    const descriptor = openSync(join(path, `${number}.docs`), 'r+');
    writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, length >> 4); // what was committed first
    closeSync(descriptor);
    const again = await open({ keepsBuild: () => true });
    const [kept] = again.parts.builds.kept(PAST);
    if (!kept) throw new Error('nothing is kept');
    await merged(again, namespace);
    while (kept.file.closedEnd === undefined) await delay(5);
    await delay(300);
    for (let count = 0; count < 3; count++) await commitUpTo(again, namespace, Number(await again.checkpoint(namespace)) + 10);
    expect(kept.file.mergedEnd).toBe(0);
    expect(damages).toEqual([]);
    expect(await again.trouble()).toBeNull();
    const last = Number(await again.checkpoint(namespace));
    for (const position of [99, 110, last])
      expect(differenceIn(await again.past(PAST, BigInt(position)).range('documents', {}), position)).toBeUndefined();
  });

  it('of one build does not hold up those of others', async () => {
    let broken: BuildFile | undefined;
    const requireRoom: Files['requireRoom'] = (file) => {
      if (broken?.files.some((number) => file === join(path, `${number}.docs`))) throw Object.assign(new Error('broken'), { code: 'EIO' });
    };
    const store = await open({ mergeSizes: NEVER });
    const namespaces = [await begun(store), await begun(store, PLAIN)] as const;
    for (const namespace of namespaces) await commitUpTo(store, namespace, 120);
    await store.close();
    const again = await open({ files: { ...DISK, requireRoom } });
    broken = fileOf(again);
    await merged(again, namespaces[1]);
    expect(broken.mergedEnd).toBe(0);
    expect(fileOf(again, PLAIN).mergedEnd).toBeGreaterThan(SEGMENT_BYTES);
    await expectWhole(again, 31);
  });

  it('comes to a build that is due only since another is merged', async () => {
    const before = await open({ mergeSizes: NEVER });
    const [first, second] = [await begun(before), await begun(before, PLAIN)];
    await commitUpTo(before, second, 120);
    await before.close();
    let commits: Promise<void> | undefined;
    const segments = new Set<number>();
    const files: Files = {
      ...DISK,
      requireRoom: () => {
        commits ??= store.then((again) => commitUpTo(again, first, 120));
      },
      open: (file, flags) => {
        const descriptor = DISK.open(file, flags);
        if (commits && flags === 'w+') segments.add(descriptor);
        return descriptor;
      },
      sync: async (descriptor) => {
        if (segments.has(descriptor)) await commits;
        await DISK.sync(descriptor);
      },
    };
    const store = open({ files });
    const again = await store;
    while (fileOf(again).mergedEnd === 0) await delay(5);
    expect(fileOf(again, PLAIN).mergedEnd).toBeGreaterThan(0);
    await expectWhole(again, 31);
  });
});

describe('a reader whose disk fails', () => {
  it('reads the segments as soon as it can', async () => {
    const store = await open();
    const namespace = await begun(store);
    await commitUpTo(store, namespace, 120);
    await merged(store, namespace);
    await store.flush();
    let isBroken = true;
    const read: Files['read'] = (...args) => {
      if (isBroken) throw Object.assign(new Error('broken'), { code: 'EIO' });
      return DISK.read(...args);
    };
    const reader = await open({ readOnly: true, files: { ...DISK, read } });
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(reader.view(PAST).range('documents', {})).rejects.toBeInstanceOf(ReadStoreUnavailable);
    isBroken = false;
    await expectWhole(reader, 31);
  });
});

describe('a disk that is full', () => {
  it('gets back the space of a merge that fails, and none is begun without room for a segment', async () => {
    let [left, failures, most] = [Number.POSITIVE_INFINITY, 0, 0];
    const requireRoom: Files['requireRoom'] = (_, bytes) => {
      most = Math.max(most, bytes);
      left -= 1;
      if (left >= 0) return;
      failures += 1;
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    let store = await open({ files: { ...DISK, requireRoom } });
    const namespace = await begun(store);
    await commitUpTo(store, namespace, 120);
    await merged(store, namespace);
    expect(most).toBe(SEGMENT_BYTES);
    for (const room of [3, 0]) {
      const { mergedEnd, mergedBytes, files } = fileOf(store);
      [left, failures] = [room, 0];
      for (let last = Number(await store.checkpoint(namespace)) + 1; failures === 0; last += 1) {
        await commitUpTo(store, namespace, last);
        await delay(5);
      }
      await delay(50);
      expect(failures).toBe(1);
      expect(fileOf(store).mergedEnd).toBe(mergedEnd);
      expect(statSync(join(path, `${files[0]}.docs`)).size).toBe(mergedBytes);
      await expectWhole(store, 31);
      await store.close();
      left = Number.POSITIVE_INFINITY;
      store = await open({ files: { ...DISK, requireRoom } });
      await merged(store, namespace);
      expect(fileOf(store).mergedEnd).toBeGreaterThan(mergedEnd);
    }
    await expectWhole(store, 13);
  });
});

describe('a process that is killed while it merges', () => {
  it('leaves the documents of every commit, whatever call was its last, and no other file', async () => {
    const copies: string[] = [];
    let isCopying = false;
    let calls = 0;
    const copying =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Result, every: number) =>
      (...args: Args): Result => {
        const result = call(...args);
        calls += 1;
        if (!isCopying || calls % every > 0 || copies.length === MOST_COPIES) return result;
        const copy = join(directory.path, `copy-${copies.length}`);
        cpSync(path, copy, { recursive: true, filter: (name) => !/lock|opener|open\.\d/.test(name) });
        copies.push(copy);
        return result;
      };
    const files: Files = {
      ...DISK,
      open: copying(DISK.open, 1),
      write: copying(DISK.write, 3),
      sync: copying(DISK.sync, 1),
      truncate: copying(DISK.truncate, 1),
      close: copying(DISK.close, 1),
    };
    const store = await open({ files, mergeSizes: NEVER });
    const namespace = await begun(store);
    await commitUpTo(store, namespace, 80);
    await store.close();
    const again = await open({ files });
    isCopying = true;
    await merged(again, namespace);
    isCopying = false;
    const last = Number(await again.checkpoint(namespace));
    expect(copies.length).toBeGreaterThan(20);
    await again.close();
    expect(copies.length).toBeLessThan(MOST_COPIES);
    const step = Math.max(1, Math.floor(copies.length / runs(MOST_COPIES, 20)));
    for (let index = 0; index < copies.length; index += step) {
      path = copies[index] as string;
      const killed = await open();
      expect(await expectWhole(killed, 9)).toBeLessThanOrEqual(last);
      const file = fileOf(killed);
      await killed.close();
      expect(docsIn(path).sort()).toEqual(file.files.map((number) => `${number}.docs`).sort());
      rmSync(path, { recursive: true });
    }
  });
});

describe('a machine that fails while it merges', () => {
  it('leaves the documents of some commit, with nothing in the files but what was flushed', async () => {
    const paths = new Map<number, string>();
    /** Content of the files that is on disk, by path. */
    const flushed = new Map<string, Buffer>();
    const copies: Readonly<{ path: string; mergedEnd: number }>[] = [];
    let store: DocumentStore | undefined;
    const copy = (): void => {
      if (!store || copies.length === MOST_COPIES) return;
      const copied = join(directory.path, `copy-${copies.length}`);
      cpSync(path, copied, { recursive: true, filter: (name) => !/lock|opener|open\.\d|\.docs$/.test(name) });
      for (const name of docsIn(path)) writeFileSync(join(copied, name), flushed.get(join(path, name)) ?? Buffer.alloc(0));
      const [pid, start] = readlinkSync(join(path, 'lock')).split(':');
      symlinkSync([pid, start, 'another-boot'].join(':'), join(copied, 'lock'));
      copies.push({ path: copied, mergedEnd: fileOf(store).mergedEnd });
    };
    const files: Files = {
      ...DISK,
      open: (file, flags) => {
        const descriptor = DISK.open(file, flags);
        paths.set(descriptor, file);
        flushed.set(file, readFileSync(file));
        copy();
        return descriptor;
      },
      sync: async (descriptor) => {
        const file = paths.get(descriptor) ?? '';
        const content = readFileSync(file);
        await DISK.sync(descriptor);
        flushed.set(file, content);
        copy();
      },
      close: (descriptor) => {
        copy();
        DISK.close(descriptor);
      },
    };
    const first = await open({ mergeSizes: NEVER });
    const namespace = await begun(first);
    await commitUpTo(first, namespace, 80);
    await first.close();
    store = await open({ files });
    await merged(store, namespace);
    await commitUpTo(store, namespace, 140);
    await merged(store, namespace);
    const last = Number(await store.checkpoint(namespace));
    await store.close();
    store = undefined;
    expect(copies.length).toBeGreaterThan(10);
    expect(copies.length).toBeLessThan(MOST_COPIES);
    for (const { path: copied, mergedEnd } of copies) {
      path = copied;
      const failed = await open();
      expect(await expectWhole(failed, 9)).toBeLessThanOrEqual(last);
      expect(fileOf(failed).mergedEnd).toBeGreaterThanOrEqual(mergedEnd);
      await failed.close();
      rmSync(path, { recursive: true });
    }
  });
});

describe(`damage of a merged file (seed ${SEED})`, () => {
  it('has the build refused or shows what was committed, and is found by a start without an index', async () => {
    const store = await open();
    const namespace = await begun(store);
    await commitUpTo(store, namespace, 120);
    await merged(store, namespace);
    const file = `${fileOf(store).files[0]}.docs`;
    await store.close();
    const random = randomNumbers(SEED);
    const whole = path;
    let refusals = 0;
    for (let copy = 0; copy < runs(60, 20); copy += 1) {
      path = join(directory.path, `damaged-${copy}`);
      cpSync(whole, path, { recursive: true });
      damageAtRandom(join(path, file), random);
      if (copy % 2) rmSync(join(path, 'index'), { recursive: true });
      const damaged = await open();
      const standing = await damaged.standing(PAST);
      if (standing) {
        const position = BigInt(Math.floor(random() * Number(standing.checkpoint)));
        const found = await damaged
          .past(PAST, position)
          .range('documents', {})
          .catch(() => undefined);
        if (found) expect(differenceIn(found, Number(position))).toBeUndefined();
        else refusals += 1;
      } else refusals += 1;
      expect(damages.length > 0).toBe((await damaged.trouble()) !== null || !standing);
      damages = [];
      await damaged.close();
    }
    expect(refusals).toBeGreaterThan(5);
  });
});
