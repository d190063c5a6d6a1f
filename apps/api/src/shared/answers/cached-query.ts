import { type CachedStore, CommitCache } from './commit-cache.js';

const MAX_DOCUMENTS = 10_000;

/**
 * A query that nearly every request makes, such as for the holder of a key. Its result is cached until the read model commits anything, for
 * a second at most. Absence is not cached.
 */
export class CachedQuery<Document extends NonNullable<unknown>> extends CommitCache<Document> {
  /** @param readModels names of the read models of the query @param isExact see {@link CommitCache} */
  constructor(
    store: CachedStore,
    readModels: readonly string[],
    private readonly query: (key: string) => Promise<Document | undefined>,
    isExact = false,
  ) {
    super(store, readModels, MAX_DOCUMENTS, isExact);
  }

  /** Synchronous if the result is cached. */
  find(key: string): Document | undefined | Promise<Document | undefined> {
    return this.get(key) ?? this.fill(key, () => this.query(key));
  }
}
