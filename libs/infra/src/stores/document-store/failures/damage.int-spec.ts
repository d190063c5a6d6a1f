import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Change, type Namespace, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { runs, SEED } from '#test/support/test-runs.js';
import type { PastStore } from '../document-store.js';
import { type DocumentStoreOptions, openDocumentStore } from '../open.js';
import type { ReadModelDamage } from './condition.js';

const PROJECTION = 'test';
/** Of a full run every third byte; each seed has others. */
const EVERY = 3;
const COMMITS = 4;
/** Long enough that the second version is stored as a delta. */
const LONG = 'long '.repeat(300);

let directory: ReturnType<typeof temporaryDirectory>;
let pristine: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  pristine = join(directory.path, 'pristine');
  path = join(directory.path, 'documents');
});
afterEach(() => directory.remove());

const open = (at: string, options: Partial<DocumentStoreOptions> = {}): Promise<PastStore> =>
  openDocumentStore({ path: at, keepsPast: () => true, report: () => {}, ...options });

const changesAt = (number: number): readonly Change[] => [
  { kind: 'put', collection: 'a', key: 'k', value: `${LONG}${number}`, position: BigInt(number) },
  { kind: 'put', collection: 'a', key: `k${number}`, value: `${number}`, position: BigInt(number) },
  { kind: 'append', collection: 'a', key: 'log', piece: `${number},`, position: BigInt(number) },
  ...(number > 2 ? [{ kind: 'delete', collection: 'a', key: `k${number - 2}`, position: BigInt(number) } as const] : []),
];

const documentsAfter = (number: number): readonly (readonly [string, string])[] =>
  number === 0
    ? []
    : [
        ['k', `${LONG}${number}`],
        ...[number - 1, number].filter((one) => one > 0).map((one): [string, string] => [`k${one}`, `${one}`]),
        ['log', Array.from({ length: number }, (_, index) => `${index + 1},`).join('')],
      ];

/** Writes the first batches and closes the index behind them. The index does not cover the other batches. */
const write = async (indexed: number): Promise<Namespace> => {
  let store = await open(pristine);
  const namespace = await store.prepare(PROJECTION, 1);
  await store.serve(namespace);
  const commit = async (number: number) => store.commit(namespace, changesAt(number), BigInt(number - 1), BigInt(number));
  for (let number = 1; number <= indexed; number += 1) await commit(number);
  if (indexed > 0) {
    await store.close();
    store = await open(pristine);
  }
  for (let number = indexed + 1; number <= COMMITS; number += 1) await commit(number);
  const killed = `${pristine}-killed`;
  cpSync(pristine, killed, { recursive: true, filter: (name) => !/\/(lock|open\.\d+.*)$/.test(name), verbatimSymlinks: true });
  await store.close();
  rmSync(pristine, { recursive: true });
  cpSync(killed, pristine, { recursive: true });
  return namespace;
};

const reset = (): void => {
  rmSync(path, { recursive: true, force: true });
  cpSync(pristine, path, { recursive: true });
};

const fileName = (): string => readdirSync(pristine).find((name) => name.endsWith('.docs')) ?? '';

/** Ends of the batches in the file. */
const endsOf = (bytes: Buffer): readonly number[] => {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    at += 24 + bytes.readUIntLE(at + 8, 6) + bytes.readUInt32LE(at + 14);
    ends.push(at);
  }
  return ends;
};

type Seen = Readonly<{ shown: number | 'nothing' | 'unavailable'; damages: readonly ReadModelDamage[] }>;

/** Compares everything a store shows with the result of each commit, and returns the commit that matches. */
const look = async (store: PastStore, damages: readonly ReadModelDamage[]): Promise<Seen> => {
  try {
    const standing = await store.standing(PROJECTION);
    if (!standing) return { shown: 'nothing', damages };
    const shown = Number(standing.checkpoint);
    for (let position = 0; position <= shown; position += 1) {
      const found = await store.past(PROJECTION, BigInt(position)).range('a', {});
      expect(found.map(({ key, value }) => [key, value.toString()])).toEqual(documentsAfter(position));
      const first = await store.past(PROJECTION, BigInt(position)).get('a', 'k1');
      expect(first?.toString()).toBe(position === 0 || position > 2 ? undefined : '1');
    }
    expect(await store.view(PROJECTION).count('a', {})).toBe(documentsAfter(shown).length);
    return { shown, damages };
  } catch (error) {
    if (!(error instanceof ReadStoreUnavailable)) throw error;
    return { shown: 'unavailable', damages };
  }
};

const lookAt = async (options: Partial<DocumentStoreOptions> = {}): Promise<Seen> => {
  const damages: ReadModelDamage[] = [];
  const store = await open(path, { onDamage: (damage) => damages.push(damage), ...options });
  try {
    return await look(store, damages);
  } finally {
    await store.close();
  }
};

/** Fails on wrong answers without reported damage, and on damage that is not reported exactly once. */
const expectWhole = ({ shown, damages }: Seen, reports: readonly string[], where: string): void => {
  const isRight = shown === COMMITS && damages.length + reports.length === 0;
  const isRefused = shown === 'unavailable' && damages.length === 1 && reports.length === 0;
  const isGivenUp = shown === 'nothing' && damages.length === 0 && reports.length === 1; // found at the start
  if (!isRight && !isRefused && !isGivenUp) throw new Error(`${where}: ${shown}, ${damages.length} damages, ${reports.join()}`);
};

describe('a file that ends in the midst of its last batch', () => {
  it.each([0, COMMITS - 1])('is that of the commits before, at any of its bytes; the index knows %i of them', async (indexed) => {
    await write(indexed);
    const name = fileName();
    const bytes = readFileSync(join(pristine, name));
    const [end = 0, last = 0] = endsOf(bytes).slice(-2);
    for (let cut = end + (SEED % EVERY); cut < last; cut += runs(EVERY, 11)) {
      reset();
      writeFileSync(join(path, name), bytes.subarray(0, cut));
      expect(await lookAt({ readOnly: true })).toEqual({ shown: COMMITS - 1, damages: [] });
      expect(await lookAt()).toEqual({ shown: COMMITS - 1, damages: [] });
      expect(readFileSync(join(path, name)).equals(bytes.subarray(0, end))).toBe(true);
    }
  });

  it('goes on with what is committed then', async () => {
    const namespace = await write(1);
    reset();
    const file = join(path, fileName());
    writeFileSync(file, readFileSync(file).subarray(0, -3));
    const store = await open(path);
    const reader = await open(path, { readOnly: true });
    await store.commit(namespace, changesAt(COMMITS), BigInt(COMMITS - 1), BigInt(COMMITS));
    expect(await look(reader, [])).toEqual({ shown: COMMITS, damages: [] });
    await reader.close();
    await store.close();
    expect(await lookAt()).toEqual({ shown: COMMITS, damages: [] });
  });
});

const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (at % 8)), at);
  writeFileSync(file, bytes);
};

describe('a changed bit', () => {
  it.each([0, 2, COMMITS])(
    'of a file of a build is noticed, in any byte; the index knows %i batches',
    async (indexed) => {
      await write(indexed);
      const name = fileName();
      const bytes = readFileSync(join(pristine, name));
      const [tail = 0] = endsOf(bytes).slice(-2);
      for (let at = SEED % EVERY; at < bytes.length; at += runs(EVERY, 41)) {
        reset();
        flip(join(path, name), at);
        for (const readOnly of [true, false]) {
          const reports: string[] = [];
          const seen = await lookAt({ readOnly, report: (message) => reports.push(message) });
          // Nothing whole follows the last batch, so it is taken for an unfinished one.
          if (at >= tail && indexed < COMMITS) expect(seen).toEqual({ shown: COMMITS - 1, damages: [] });
          else expectWhole(seen, reports, `byte ${at} ${readOnly}`);
        }
      }
    },
    600_000,
  );

  it('of the list of builds is noticed, in any byte: everything is built again', async () => {
    await write(2);
    const { length } = readFileSync(join(pristine, 'builds'));
    for (let at = SEED % EVERY; at < length; at += runs(EVERY, 9)) {
      reset();
      flip(join(path, 'builds'), at);
      const reports: string[] = [];
      expect((await lookAt({ readOnly: true })).shown).toBe('unavailable');
      expect(await lookAt({ report: (message) => reports.push(message) })).toEqual({ shown: 'nothing', damages: [] });
      expect(reports).toEqual([
        expect.stringContaining(`${path} is damaged: the list of builds cannot be read: deleted, to be built again`),
      ]);
      expect(readdirSync(path).filter((name) => name.endsWith('.docs'))).toEqual([]);
    }
  });

  it('of the index is made up for', async () => {
    await write(COMMITS);
    const store = await open(pristine);
    await store.close(); // in order
    const { length } = readFileSync(join(pristine, 'index/data.mdb'));
    for (let at = 0; at < length; at += runs(31, 997)) {
      reset();
      flip(join(path, 'index/data.mdb'), at);
      expect(await lookAt()).toEqual({ shown: COMMITS, damages: [] });
    }
  }, 600_000);
});

describe('a damaged build', () => {
  it('is not what a machine that stopped may leave: the commits before the first that is not whole', async () => {
    await write(0);
    reset();
    const name = fileName();
    const [first = 0, second = 0] = endsOf(readFileSync(join(path, name)));
    const bytes = readFileSync(join(path, name)).fill(0, first, second);
    writeFileSync(join(path, name), bytes);
    symlinkSync('1 1 another-boot', join(path, 'lock'));
    expect(await lookAt()).toEqual({ shown: 1, damages: [] });
  });
});

describe('the index', () => {
  it.each([
    ['is lost', () => rmSync(join(path, 'index'), { recursive: true })],
    ['has lost its file', () => rmSync(join(path, 'index/data.mdb'))],
    ['is something else', () => [rmSync(join(path, 'index'), { recursive: true }), writeFileSync(join(path, 'index'), 'rubbish')]],
    ['is that of another program', () => writeFileSync(join(path, 'index/store.json'), 'rubbish')],
  ])('is made of the files again if it %s', async (_, lose) => {
    await write(COMMITS);
    reset();
    lose();
    expect(await lookAt()).toEqual({ shown: COMMITS, damages: [] });
    expect(existsSync(join(path, 'index/data.mdb'))).toBe(true);
    expect(await lookAt()).toEqual({ shown: COMMITS, damages: [] });
  });

  it('shows nothing of files whose builds were lost with their list', async () => {
    await write(COMMITS);
    reset();
    rmSync(join(path, 'builds'));
    const store = await open(path);
    const namespace = await store.prepare(PROJECTION, 1);
    expect(await store.documents(namespace).range('a', {})).toEqual([]);
    expect(await store.documents(namespace).get('a', 'k')).toBeNull();
    await store.close();
  });
});
