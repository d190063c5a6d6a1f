import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withChecksum } from '#infra/platform/lmdb/checksum.js';
import { replaceFileDurably } from '#infra/platform/lmdb/write-file-durably.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { append, COLLECTION, put, remove, textOf } from '#test/contracts/read-store/fixture.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import type { DocumentStore } from './document-store.js';
import { DISK, type Files } from './files/files.js';
import { type DocumentStoreOptions, openDocumentStore } from './open.js';

const PROJECTION = 'test';
const LONG = 'x'.repeat(60_000);

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let store: DocumentStore;
let namespace: Namespace;
let checkpoint: bigint;
/** Bytes that the store has given to the file system, and asked of it. */
let counted: { written: number; read: number };
const files: Files = {
  ...DISK,
  write: (...call) => {
    const written = DISK.write(...call);
    counted.written += written;
    return written;
  },
  read: (...call) => {
    const read = DISK.read(...call);
    counted.read += read;
    return read;
  },
};

const open = (options: Partial<DocumentStoreOptions> = {}): Promise<DocumentStore> =>
  openDocumentStore({ path, files, report: () => {}, ...options });

const commit = async (...changes: readonly ReturnType<typeof put>[]): Promise<void> => {
  await store.commit(namespace, changes, checkpoint, checkpoint + 1n);
  checkpoint += 1n;
};

const begin = async (options: Partial<DocumentStoreOptions> = {}): Promise<void> => {
  store = await open(options);
  namespace = await store.prepare(PROJECTION, 1);
  await store.serve(namespace);
};

const spent = async (work: () => Promise<unknown>): Promise<typeof counted> => {
  counted = { written: 0, read: 0 };
  await work();
  return counted;
};

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'documents');
  checkpoint = 0n;
  counted = { written: 0, read: 0 };
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

describe('a text to which pieces are added', () => {
  it.each([false, true])('costs what the piece costs, however long the text is (past: %s)', async (past) => {
    await begin({ keepsPast: () => past });
    await commit(put('a', LONG));
    const total = await spent(async () => {
      for (let number = 10; number < 50; number++) await commit(append('a', `piece ${number}`));
    });
    expect(total.written).toBeLessThan(40 * 400);
    expect(total.read).toBeLessThan(40 * 400 + (past ? LONG.length : 0)); // a later link to the whole text
    const { read } = await spent(async () => expect(await store.view(PROJECTION).lengths(COLLECTION, ['a'])).toEqual([60_320]));
    expect(read).toBeLessThan(400);
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe(
      LONG + Array.from({ length: 40 }, (_, n) => `piece ${n + 10}`).join(''),
    );
  });

  it('has a length that is known without reading it, whole or not', async () => {
    await begin();
    await commit(put('a', LONG), append('b', LONG));
    await store.close();
    store = await open();
    const { read } = await spent(async () => expect(await store.view(PROJECTION).lengths(COLLECTION, ['a'])).toEqual([60_000]));
    expect(read).toBeLessThan(400);
    expect(await store.view(PROJECTION).lengths(COLLECTION, ['b', 'c'])).toEqual([60_000, null]);
  });

  it('is written whole again before reading it takes long', async () => {
    await begin();
    const texts = { many: '', short: 'x', begun: '' };
    await commit(put('short', 'x'));
    let written = 0;
    for (let number = 0; number < 600; number++) {
      const pieces = { many: '1', short: 'y'.repeat(100), begun: 'z'.repeat(1_000) };
      written += (await spent(() => commit(...Object.entries(pieces).map(([key, piece]) => append(key, piece))))).written;
      for (const key of ['many', 'short', 'begun'] as const) texts[key] += pieces[key];
    }
    // A whole text at nine times the last one adds an eighth, and more at most 250 pieces.
    expect(written).toBeLessThan(3 * Object.values(texts).join('').length + 600 * 400);
    await store.close();
    store = await open();
    const { read } = await spent(async () => {
      const found = await store.view(PROJECTION).getMany(COLLECTION, Object.keys(texts));
      expect(found.map(textOf)).toEqual(Object.values(texts));
    });
    expect(read).toBeLessThan(3 * Object.values(texts).join('').length);
  });

  it('is joined when its file is compacted, which is small afterwards and can be added to', async () => {
    await begin();
    const texts = new Map<string, string>();
    const sizes: number[] = [];
    for (let number = 0; number < 4_000; number++) {
      const key = `k${number % 20}`;
      const piece = `${number}-`.repeat(50 + (number % 100));
      const gone = number % 100 === 99 ? [...texts.keys()].filter((_, index) => index % 2 === 0) : [];
      await commit(append(key, piece), ...gone.map((one) => remove(one)));
      texts.set(key, (texts.get(key) ?? '') + piece);
      for (const one of gone) texts.delete(one);
      sizes.push((await store.size(PROJECTION)).bytes ?? 0);
    }
    const largest = Math.max(...sizes);
    const live = [...texts.values()].join('').length;
    expect(largest).toBeLessThan(Math.max(2 ** 20, 4 * live) * 1.5);
    expect(sizes.some((size, index) => size < (sizes[index - 1] ?? 0))).toBe(true);
    const check = async () => {
      for (const [key, text] of texts) expect(textOf(await store.view(PROJECTION).get(COLLECTION, key))).toBe(text);
      expect(await store.view(PROJECTION).count(COLLECTION, {})).toBe(texts.size);
    };
    await check();
    await store.close();
    store = await open();
    await check();
    await commit(append('k1', 'more'));
    texts.set('k1', `${texts.get('k1') ?? ''}more`);
    await check();
  });

  it('is read as of each of its pieces where the past is kept', async () => {
    await begin({ keepsPast: () => true });
    for (let number = 1; number <= 600; number++)
      await commit(number % 200 === 0 ? remove('a') : number % 150 === 0 ? put('a', `put ${number}`) : append('a', `${number},`));
    let text: string | null = null;
    for (let number = 1; number <= 600; number++) {
      if (number % 200 === 0) text = null;
      else if (number % 150 === 0) text = `put ${number}`;
      else text = `${text ?? ''}${number},`;
      const view = store.past(PROJECTION, BigInt(number));
      expect(textOf(await view.get(COLLECTION, 'a'))).toBe(text);
      expect(await view.lengths(COLLECTION, ['a'])).toEqual([text?.length ?? null]);
    }
  });
});

describe('documents of earlier releases', () => {
  it('become those of this one with the first change of the list of builds, which earlier ones then refuse', async () => {
    await begin();
    await commit(put('a', '1'));
    await store.close();
    const list = (): { format: number } => JSON.parse(readFileSync(join(path, 'builds'), 'utf8').replace(/#.*$/, ''));
    expect(list().format).toBe(3);
    await replaceFileDurably(join(path, 'builds'), withChecksum('builds', JSON.stringify({ ...list(), format: 1 })));
    store = await open();
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe('1');
    expect(list().format).toBe(1);
    await store.prepare(PROJECTION, 2);
    expect(list().format).toBe(3);
  });

  it('are removed if they are of a read model that is gone, and no others', async () => {
    await begin();
    await commit(put('a', '1'));
    const gone = await store.prepare('test.gone', 1);
    await store.serve(gone);
    await store.commit(gone, [put('a', 'old')], 0n, 1n);
    await store.close();
    store = await openDocumentStore({ path, isObsolete: (name) => name === 'test.gone' });
    expect(await store.served('test.gone')).toBeNull();
    expect(await store.view('test.gone').get(COLLECTION, 'a')).toBeNull();
    expect(textOf(await store.view(PROJECTION).get(COLLECTION, 'a'))).toBe('1');
  });
});
