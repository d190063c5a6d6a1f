import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { put, type ReadStoreHarness, serveDocuments } from '../../../../../test/contracts/read-store/fixture.js';
import { readStoreContract } from '../../../../../test/contracts/read-store.contract.js';
import { EnvironmentError } from '../../lmdb/environment-error.js';
import { openLmdbReadStore } from './lmdb-read-store.js';

/** The second process is a second opening: on the side of JavaScript lmdb shares nothing between the two. */
const openHarness = async (): Promise<ReadStoreHarness> => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
  const opened: ReadStore[] = [];
  const openOne = async (): Promise<ReadStore> => {
    const store = openLmdbReadStore({ path });
    opened.push(store);
    return store;
  };
  const store = await openOne();
  return {
    store,
    reopen: async () => {
      await store.close();
      return openOne();
    },
    secondProcess: openOne,
    dispose: async () => {
      await Promise.all(opened.map((one) => one.close()));
      rmSync(path, { recursive: true, force: true });
    },
  };
};

readStoreContract('LMDB', openHarness);

describe('read models of an earlier format', () => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-read-store-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  const bytes = (): string => readFileSync(join(path, 'data.mdb'), 'latin1');
  const documents = async (): Promise<readonly unknown[]> => {
    const store = openLmdbReadStore({ path });
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
    rmSync(join(path, 'format'));
    expect(await documents()).toHaveLength(0);
    expect(bytes()).not.toContain('in the open');
    expect(await documents()).toHaveLength(0);
  });

  it('say what is wrong where they cannot be deleted', () => {
    const file = join(path, 'no-directory');
    writeFileSync(file, '');
    expect(() => openLmdbReadStore({ path: file })).toThrow(`${file} `);
    expect(() => openLmdbReadStore({ path: file })).toThrow(EnvironmentError);
  });
});
