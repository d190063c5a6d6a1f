import { LRUCache } from 'lru-cache';
import type { ReadStore } from '#projections/shared/read-store.js';

/** How long an entry may serve when no news of its projections arrives (a lost notification link to a remote store). */
const MAX_AGE_MS = 1_000;

/** The part of a read store on which caches depend. */
export type CachedStore = Pick<ReadStore, 'onCommit' | 'volatile' | 'isAlone'>;

/**
 * What follows from read models: kept in memory until one of the projections commits anything, and never longer than a second. Nothing is kept of
 * stores whose documents depend on the request.
 */
export class CommitCache<Value extends NonNullable<unknown>> {
  private readonly entries: LRUCache<string, Value>;
  private readonly unsubscribe: readonly (() => void)[];
  private readonly volatile: boolean;
  private commits = 0;

  /**
   * @param max the most entries; the least recently used ones go first
   * @param isExact nothing is kept if other processes commit to the store, because their commits are noticed late. Default `false`
   */
  constructor(store: CachedStore, projections: readonly string[], max: number, isExact = false) {
    this.volatile = (store.volatile ?? false) || (isExact && !store.isAlone);
    // Not `max`, for which room is made at once.
    this.entries = new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: MAX_AGE_MS });
    this.unsubscribe = projections.map((projection) =>
      store.onCommit(projection, () => {
        this.commits++;
        this.entries.clear();
      }),
    );
  }

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  /** What `read` finds out, kept unless it is nothing or may be older than a commit that has been announced. */
  async fill<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found> {
    const before = this.commits;
    const found = await read();
    if (found !== undefined && this.commits === before && !this.volatile) this.entries.set(key, found);
    return found;
  }

  close(): void {
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }
}
