import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { type DocumentStoreOptions, openDocumentStore } from '#infra/stores/document-store/open.js';
import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { harnessOver, type ReadStoreHarness } from './fixture.js';

/** An opening for reading only that has the one writer do what it is asked to write. */
class Asking extends DelegatingReadStore {
  constructor(
    reader: ReadStore,
    private readonly writer: ReadStore,
  ) {
    super(reader);
  }

  override prepare(...args: Parameters<ReadStore['prepare']>) {
    return this.writer.prepare(...args);
  }

  override serve(...args: Parameters<ReadStore['serve']>) {
    return this.writer.serve(...args);
  }

  override commit(...args: Parameters<ReadStore['commit']>) {
    return this.writer.commit(...args);
  }
}

/**
 * Embedded documents: the first opening writes, and any one after it is closed; others only read.
 * @param adapted the opening as the tests see it; `isUnwatched`: whether no other one has been opened
 */
export const embeddedDocuments = (
  options: Partial<DocumentStoreOptions>,
  adapted: (store: ReadStore, isUnwatched: () => boolean) => ReadStore = (store) => store,
  remove: () => Promise<void> = async () => undefined,
): Promise<ReadStoreHarness> => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-documents-'));
  let writer: PastStore | undefined;
  let readers = 0;
  const isUnwatched = (): boolean => readers === 0;
  return harnessOver(
    async () => {
      if (writer) {
        readers += 1;
        return adapted(new Asking(await openDocumentStore({ path, readOnly: true, ...options }), writer), isUnwatched);
      }
      const opened = await openDocumentStore({ path, ...options });
      writer = opened;
      const close = opened.close.bind(opened);
      opened.close = () => {
        if (writer === opened) writer = undefined;
        return close();
      };
      return adapted(opened, isUnwatched);
    },
    async () => {
      await remove();
      rmSync(path, { recursive: true, force: true });
    },
  );
};
