import { type CachedStore, CommitCache } from './commit-cache.js';

const MAX_DOCUMENTS = 10_000;

/**
 * A query that nearly every request makes, such as for the holder of a key: what it finds is kept in memory until the read model commits anything, and
 * never longer than a second. Nothing found is not kept.
 */
export class CachedQuery<Document extends NonNullable<unknown>> {
  private readonly documents: CommitCache<Document>;

  /**
   * @param readModels the names of those that the query reads
   * @param isExact see {@link CommitCache}
   */
  constructor(
    store: CachedStore,
    readModels: readonly string[],
    private readonly query: (key: string) => Promise<Document | undefined>,
    isExact = false,
  ) {
    this.documents = new CommitCache(store, readModels, MAX_DOCUMENTS, isExact);
  }

  /** At once when it is in memory. */
  find(key: string): Document | undefined | Promise<Document | undefined> {
    return this.documents.get(key) ?? this.documents.fill(key, () => this.query(key));
  }

  close(): void {
    this.documents.close();
  }
}
