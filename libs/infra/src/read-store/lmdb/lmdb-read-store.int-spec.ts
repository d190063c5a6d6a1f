import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ReadStoreHarness } from '../../../../../test/contracts/read-store/fixture.js';
import { readStoreContract } from '../../../../../test/contracts/read-store.contract.js';
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
