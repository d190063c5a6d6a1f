import { LRUCache } from 'lru-cache';
import type { ReadStore } from '#projections/shared/read-store.js';

/** How long an entry may serve when no news of its projection arrives (a lost notification link to a remote store). */
const MAX_AGE_MS = 1_000;

/**
 * Documents that nearly every request needs, such as the holder of a key: kept in memory until the projection they come from
 * commits anything, and never longer than a second. Absent documents are not kept, unless something stands in their place.
 */
export class CachedLookup<Document extends object> {
  private readonly entries = new LRUCache<string, Document>({ max: 10_000, ttl: MAX_AGE_MS });
  private commits = 0;
  private readonly unsubscribe: () => void;

  /** `absent`: stands for every document that is not there. Default: nothing does. */
  constructor(
    private readonly store: ReadStore,
    private readonly projection: string,
    private readonly collection: string,
    private readonly absent?: Document,
  ) {
    this.unsubscribe = store.onCommit(projection, () => {
      this.commits++;
      this.entries.clear();
    });
  }

  /** At once when it is in memory. */
  find(key: string): Document | undefined | Promise<Document | undefined> {
    return this.entries.get(key) ?? this.read(key);
  }

  close(): void {
    this.unsubscribe();
  }

  private async read(key: string): Promise<Document | undefined> {
    const before = this.commits;
    const bytes = await this.store.view(this.projection).get(this.collection, key);
    const document = bytes === null ? this.absent : (JSON.parse(bytes.toString('utf8')) as Document);
    if (document && this.commits === before) this.entries.set(key, document); // else it may be older than a commit that has been announced
    return document;
  }
}
