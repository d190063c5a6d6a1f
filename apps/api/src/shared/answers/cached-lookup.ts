import type { ReadStore } from '#projections/shared/read-store.js';
import { CommitCache } from './commit-cache.js';

const MAX_DOCUMENTS = 10_000;

/**
 * Documents that nearly every request needs, such as the holder of a key: kept in memory until the projection they come from
 * commits anything, and never longer than a second. Absent documents are not kept, unless something stands in their place.
 */
export class CachedLookup<Document extends NonNullable<unknown>> {
  private readonly documents: CommitCache<Document>;

  /** `absent`: stands for every document that is not there. Default: nothing does. */
  constructor(
    private readonly store: ReadStore,
    private readonly projection: string,
    private readonly collection: string,
    private readonly absent?: Document,
  ) {
    this.documents = new CommitCache(store, [projection], MAX_DOCUMENTS);
  }

  /** At once when it is in memory. */
  find(key: string): Document | undefined | Promise<Document | undefined> {
    return this.documents.get(key) ?? this.documents.fill(key, () => this.read(key));
  }

  close(): void {
    this.documents.close();
  }

  private async read(key: string): Promise<Document | undefined> {
    const bytes = await this.store.view(this.projection).get(this.collection, key);
    return bytes === null ? this.absent : (JSON.parse(bytes.toString('utf8')) as Document);
  }
}
