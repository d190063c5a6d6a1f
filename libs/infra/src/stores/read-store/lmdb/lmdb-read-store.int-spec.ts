import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvironmentError } from '#infra/platform/lmdb/environment-error.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import { type Change, type Namespace, type ReadStore, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { harnessOver, put, type ReadStoreHarness, serveDocuments } from '#test/contracts/read-store/fixture.js';
import { readStoreContract } from '#test/contracts/read-store.contract.js';
import { changeLetter, damageAtRandom, randomNumbers } from '#test/support/event-stores/damage.js';
import type { ReadModelDamage } from './condition.js';
import { type LmdbReadStoreOptions, openLmdbReadStore } from './lmdb-read-store.js';

/** The second process is a second opening: on the side of JavaScript lmdb shares nothing between the two. */
const openHarness = (adapted: (store: ReadStore, isAlone: () => boolean) => ReadStore = (store) => store): Promise<ReadStoreHarness> => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
  let open = 0;
  return harnessOver(
    async () => {
      open += 1;
      return adapted(openLmdbReadStore({ path }), () => open === 1);
    },
    () => rmSync(path, { recursive: true, force: true }),
  );
};

readStoreContract('LMDB', () => openHarness());

/** Commits everything soon: as long as no other process looks, nobody can tell. */
class Soon extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly isAlone: () => boolean,
  ) {
    super(store);
  }

  override commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    const [namespace, changes, from, to, origin, marks] = commit;
    if (marks?.from !== marks?.to || !this.isAlone()) return super.commit(...commit);
    return super.commitSoon(namespace, changes, from, to, origin, marks?.from);
  }
}

readStoreContract('LMDB with commits in memory', () => openHarness((store, isAlone) => new Soon(store, isAlone)));

describe('read models of an earlier format', () => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  const bytes = (): string => readFileSync(join(path, 'data.mdb'), 'latin1');
  const documents = async (): Promise<readonly unknown[]> => {
    const store = openLmdbReadStore({ path, report: () => {} });
    try {
      return await store.view('test').range('people', {});
    } finally {
      await store.close();
    }
  };

  it('are deleted when the store is opened, and those of this format are kept', async () => {
    const store = openLmdbReadStore({ path });
    await serveDocuments(store, [put('1', 'in the open', 'people')], 'test');
    await store.close();
    expect(await documents()).toHaveLength(1);
    expect(bytes()).toContain('in the open');
    const marker = join(path, 'store.json');
    writeFileSync(marker, JSON.stringify({ ...JSON.parse(readFileSync(marker, 'utf8')), format: 2 }));
    expect(await documents()).toHaveLength(0);
    expect(bytes()).not.toContain('in the open');
    expect(await documents()).toHaveLength(0);
  });

  it('report what is wrong if they cannot be deleted', () => {
    const file = join(path, 'no-directory');
    writeFileSync(file, '');
    expect(() => openLmdbReadStore({ path: file })).toThrow(`${file} `);
    expect(() => openLmdbReadStore({ path: file })).toThrow(EnvironmentError);
  });
});

describe('damaged read models', () => {
  let directory: string;
  let path: string;
  let opened: ReadStore[];
  let found: ReadModelDamage[];
  let reports: string[];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
    path = join(directory, 'read-models');
    [opened, found, reports] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(directory, { recursive: true });
  });

  const open = (options: Partial<LmdbReadStoreOptions> = {}): ReadStore => {
    const store = openLmdbReadStore({
      path,
      report: (message) => reports.push(message),
      onDamage: (damage) => found.push(damage),
      ...options,
    });
    opened.push(store);
    return store;
  };
  const word = (key: string, value: string): Change => put(key, value, 'words');
  const build = async (store: ReadStore, projection: string, changes: readonly Change[]): Promise<Namespace> => {
    const namespace = await store.prepare(projection, 1);
    await store.commit(namespace, changes, 0n, 7n);
    await store.serve(namespace);
    return namespace;
  };

  it('are not served, neither the document nor others of its projection, until they have been rebuilt', async () => {
    const store = open();
    const words = [word('one', 'first value'), word('two', 'second value')];
    const namespace = await build(store, 'words', words);
    await build(store, 'others', [word('one', 'another')]);
    changeLetter(join(path, 'data.mdb'), 'value');
    const view = store.view('words');
    const reads = [
      () => view.get('words', 'two'),
      () => view.get('words', 'one'),
      () => view.getMany('words', ['none']),
      () => view.range('words', {}),
      () => view.ranges('words', [{}]),
      () => store.documents(namespace).get('words', 'one'),
    ];
    for (const read of reads) await expect(read()).rejects.toThrow(ReadStoreUnavailable);
    expect(found).toEqual([{ projection: 'words', error: expect.any(Error) }]);
    expect(await store.trouble()).toBe('damaged documents are being built anew: words');

    await build(store, 'words', words);
    expect((await view.range('words', {})).map(({ value }) => value.toString())).toEqual(['first value', 'second value']);
    expect(await store.trouble()).toBeNull();
    expect(found).toHaveLength(1);
  });

  it('are not used at all if build records are damaged, and are empty at the next start', async () => {
    const store = open();
    await build(store, 'words', [word('one', 'first word')]);
    changeLetter(join(path, 'data.mdb'), '"checkpoint":"7"');
    await expect(store.served('words')).rejects.toThrow(ReadStoreUnavailable);
    expect(found).toEqual([{ projection: undefined, error: expect.any(Error) }]);
    await expect(store.view('words').get('words', 'one')).rejects.toThrow(ReadStoreUnavailable);
    await expect(store.prepare('words', 1)).rejects.toThrow(ReadStoreUnavailable);
    await expect(store.trouble()).rejects.toThrow(ReadStoreUnavailable);
    await store.close();

    expect(await open().served('words')).toBeNull();
    expect(reports).toEqual([
      expect.stringContaining(`${path} is damaged: data.mdb has a damaged document in meta: deleted, to be built again`),
    ]);
  });

  it('are emptied with a report, or equal the undamaged ones, wherever the damage is', async () => {
    const store = open();
    for (const projection of ['words', 'others'])
      await build(
        store,
        projection,
        Array.from({ length: 300 }, (_, n) => word(`key ${n}`, `value ${n} `.repeat((n * 7) % 90))),
      );
    await store.close();
    const whole = path;
    const read = async (reader: ReadStore) => {
      const answers = ['words', 'others'].map(async (projection) => [
        await reader.served(projection),
        (await reader.view(projection).range('words', {})).map(({ key, value }) => [key, value.toString()]),
      ]);
      return Promise.all(answers);
    };
    const random = randomNumbers(1_789);
    let empty = 0;
    const undamaged = await read(open());
    for (let copy = 0; copy < 120; copy += 1) {
      path = join(directory, `copy-${copy}`);
      cpSync(whole, path, { recursive: true });
      const damage = damageAtRandom(join(path, 'data.mdb'), random);
      reports = [];
      const reader = open();
      const answer = await read(reader);
      if (reports.length > 0) empty += 1;
      expect([damage, answer]).toEqual([
        damage,
        reports.length > 0
          ? [
              [null, []],
              [null, []],
            ]
          : undamaged,
      ]);
      await build(reader, 'words', [word('one', 'first word')]);
      await reader.close();
    }
    expect(empty).toBeGreaterThan(40);
    expect(found).toEqual([]);
  });
});
