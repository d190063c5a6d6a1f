import { DelegatingReadStore } from '#infra/stores/read-store/delegating-read-store.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { CommitListener, ReadStore } from '#projections/shared/read-store.js';
import type { SealedDocuments } from './sealed-documents.js';

/**
 * A read store whose documents change when a key is destroyed: listeners to a projection with sealed documents are called then too, with position 0.
 * They drop what they keep of it in memory.
 */
export class ForgettingReadStore extends DelegatingReadStore {
  constructor(
    store: ReadStore,
    private readonly keys: Pick<SubjectKeys, 'onDestroyed'>,
    private readonly sealing: Pick<SealedDocuments, 'concerns'>,
  ) {
    super(store);
  }

  override onCommit(projection: string, listener: CommitListener): () => void {
    const stopCommits = this.inner.onCommit(projection, listener);
    if (!this.sealing.concerns(projection)) return stopCommits;
    const stopErasures = this.keys.onDestroyed(() => listener(0n, ''));
    return () => {
      stopCommits();
      stopErasures();
    };
  }
}
