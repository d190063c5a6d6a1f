import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { embeddedDocuments } from '#test/contracts/read-store/embedded-documents.js';
import { readStoreContract } from '#test/contracts/read-store.contract.js';

/** Commits everything with `commitSoon`: while no other process reads, the difference is not observable. */
class Soon extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly isUnwatched: () => boolean,
  ) {
    super(store);
  }

  override commit(...commit: Parameters<ReadStore['commit']>): Promise<void> {
    const [namespace, changes, from, to, origin, token] = commit;
    if (token !== undefined || !this.isUnwatched()) return super.commit(...commit);
    return super.commitSoon(namespace, changes, from, to, origin);
  }
}

readStoreContract('documents', () => embeddedDocuments({}));
readStoreContract('documents with their past', () => embeddedDocuments({ keepsPast: () => true }));
for (const blockBytes of [1, 1_024])
  readStoreContract(`documents whose past is merged in blocks of ${blockBytes} B`, () =>
    embeddedDocuments({ keepsPast: () => true, mergeSizes: { segmentBytes: 4_096, blockBytes } }),
  );
readStoreContract('documents with commits in memory', () => embeddedDocuments({}, (store, isUnwatched) => new Soon(store, isUnwatched)));
