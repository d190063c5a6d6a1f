import { onNews } from '#infra/platform/scheduling/news.js';
import type { CommitListeners } from '#infra/stores/read-store/commit-listeners.js';
import type { Builds } from './builds.js';
import type { DocumentIndex } from './document-index.js';

/** A file that the catalogue names may be replaced before it is opened. */
const ATTEMPTS = 5;

/**
 * Keeps a store that is opened for reading only up to date with what its writer does. Listeners in threads of the writer's process are told by themselves, in
 * other processes by `poll`.
 */
export class Follower {
  private stopListening: (() => void) | undefined;
  /** Last notification of the listeners, by projection. */
  private readonly told = new Map<string, string>();

  /** @param of which news tell of writes */
  constructor(
    private readonly of: string,
    private readonly builds: Builds,
    private readonly index: DocumentIndex,
    private readonly listeners: CommitListeners,
  ) {}

  /** Finds builds as they are now. Throws errors of the file system. */
  newest<Found>(find: () => Found): Found {
    this.refresh();
    return find();
  }

  /** To be called when a listener was added. */
  listen(projection: string): void {
    if (!this.told.has(projection)) this.told.set(projection, this.standing(projection));
    this.stopListening ??= onNews(this.of, () => this.poll());
  }

  /** Tells listeners what is new. */
  poll(): void {
    if (this.listeners.projections.length === 0) {
      this.close();
      this.told.clear();
      return;
    }
    for (const projection of this.listeners.projections) this.tell(projection);
  }

  tell(projection: string): void {
    const before = this.told.get(projection);
    if (before === undefined) return;
    const now = this.standing(projection);
    if (now === before) return;
    this.told.set(projection, now);
    const served = this.builds.served(projection);
    if (served) this.listeners.notifyNow(projection, served.state.checkpoint, served.state.marks);
  }

  close(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /** Another text after every commit and every switch. */
  private standing(projection: string): string {
    try {
      const build = this.newest(() => this.builds.served(projection));
      return build ? `${build.namespace.generation}/${build.state.commits}` : '';
    } catch {
      return this.told.get(projection) ?? ''; // reads report it
    }
  }

  /** The index first: what is removed from it was removed from the catalogue before. */
  private refresh(): void {
    this.index.renew();
    void this.index.coverage(0);
    for (let attempt = 1; this.builds.catalogue.look(); attempt++) {
      try {
        this.builds.settle();
        return;
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error;
      }
    }
  }
}
