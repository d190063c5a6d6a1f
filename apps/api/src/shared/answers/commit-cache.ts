import { LRUCache } from 'lru-cache';
import { readings } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Maximum age of an entry if no commits of its projections are announced (a lost notification link to a remote store). */
const MAX_AGE_MS = 1_000;

/** The part of a read store on which caches depend. */
export type CachedStore = Pick<ReadStore, 'onCommit' | 'volatile' | 'isAlone'>;

/**
 * Values derived from read models, cached until one of the projections commits anything, for a second at most. Nothing is cached for stores
 * whose documents depend on the request.
 */
export class CommitCache<Value extends NonNullable<unknown>> {
  private readonly entries: LRUCache<string, Value>;
  private readonly unsubscribe: readonly (() => void)[];
  private readonly volatile: boolean;
  private commits = 0;

  /**
   * @param max maximum number of entries; the least recently used ones are evicted first
   * @param isExact if set, nothing is cached while other processes commit to the store, because their commits are noticed late. Default
   * `false`
   */
  constructor(
    store: CachedStore,
    private readonly projections: readonly string[],
    max: number,
    isExact = false,
  ) {
    this.volatile = (store.volatile ?? false) || (isExact && !store.isAlone);
    // Not `max`, which allocates its full size at once.
    this.entries = new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: MAX_AGE_MS });
    this.unsubscribe = projections.map((projection) => store.onCommit(projection, () => this.clear()));
  }

  /** Forgets all entries, and results that are being read. */
  clear(): void {
    this.commits++;
    this.entries.clear();
  }

  get(key: string): Value | undefined {
    return this.entries.get(key);
  }

  /** Returns the result of `read`. It is cached unless it is `undefined`, may be older than an announced commit, or of a paused partition. */
  async fill<Found extends Value | undefined>(key: string, read: () => Promise<Found>): Promise<Found> {
    const before = this.commits;
    const found = await read();
    if (found !== undefined && this.commits === before && !this.volatile && !this.isAcross) this.entries.set(key, found);
    return found;
  }

  /** Whether the current answer may show paused partitions in their earlier state: others refuse them. */
  private get isAcross(): boolean {
    const { current } = readings;
    return current !== undefined && this.projections.some((name) => current.isAcross(name));
  }

  close(): void {
    for (const unsubscribe of this.unsubscribe) unsubscribe();
  }
}
