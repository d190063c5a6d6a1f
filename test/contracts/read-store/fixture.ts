import { afterEach, beforeEach } from '@jest/globals';
import type { Change, KeyRange, Namespace, ReadStore, ReadView } from '#projections/shared/read-store.js';

export type ReadStoreHarness = Readonly<{
  store: ReadStore;
  /** Closes the store, or the one that was opened again last, and opens it again over the same data. */
  reopen(): Promise<ReadStore>;
  /** Another opening of the same data, sharing nothing with `store` but that data. */
  secondProcess(): Promise<ReadStore>;
  /** Closes everything opened and removes the data. */
  dispose(): Promise<void>;
}>;

export type OpenReadStore = () => Promise<ReadStoreHarness>;

/**
 * A harness of stores that `open` opens over the same data.
 * @param remove removes the data, once all of them are closed
 */
export const harnessOver = async (
  open: () => Promise<ReadStore>,
  remove: () => void | Promise<void> = () => undefined,
): Promise<ReadStoreHarness> => {
  const opened: ReadStore[] = [];
  const openOne = async (): Promise<ReadStore> => {
    const store = await open();
    opened.push(store);
    return store;
  };
  const store = await openOne();
  let current = store;
  return {
    store,
    reopen: async () => {
      await current.close();
      current = await openOne();
      return current;
    },
    secondProcess: openOne,
    dispose: async () => {
      await Promise.all(opened.map((one) => one.close()));
      await remove();
    },
  };
};

/** The harness of the running test. */
export type UsedReadStore = () => ReadStoreHarness;

/** A harness for each test of the `describe` block it is called in. */
export const useReadStore = (open: OpenReadStore): UsedReadStore => {
  let harness: ReadStoreHarness | undefined;
  beforeEach(async () => {
    harness = await open();
  });
  afterEach(async () => {
    await harness?.dispose();
    harness = undefined;
  });
  return () => {
    if (!harness) throw new Error('only inside a test');
    return harness;
  };
};

export const PROJECTION = 'status.profiles';
export const COLLECTION = 'profiles';

export const put = (key: string, value: string | Buffer, collection = COLLECTION): Change => ({ kind: 'put', collection, key, value });
export const append = (key: string, piece: string, collection = COLLECTION): Change => ({ kind: 'append', collection, key, piece });
export const remove = (key: string, collection = COLLECTION): Change => ({ kind: 'delete', collection, key });
export const removePrefix = (prefix: string, collection = COLLECTION): Change => ({ kind: 'delete-prefix', collection, prefix });

/** Builds a namespace out of the changes, up to checkpoint 1, and serves it. */
export const serveDocuments = async (store: ReadStore, changes: readonly Change[], projection = PROJECTION): Promise<Namespace> => {
  const namespace = await store.prepare(projection, 1);
  await store.commit(namespace, changes, 0n, 1n);
  await store.serve(namespace);
  return namespace;
};

export const textOf = (value: Buffer | null): string | null => value?.toString() ?? null;

/** `key=value` of every document in the range, in the order of the answer. */
export const listed = async (view: ReadView, range: KeyRange = {}, collection = COLLECTION): Promise<readonly string[]> =>
  (await view.range(collection, range)).map(({ key, value }) => `${key}=${value.toString()}`);

export const keysOf = async (view: ReadView, range: KeyRange = {}, collection = COLLECTION): Promise<readonly string[]> =>
  (await view.range(collection, range)).map(({ key }) => key);
