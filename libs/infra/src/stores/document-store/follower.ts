import { onNews } from '#infra/platform/scheduling/news.js';
import type { CommitListeners } from '#infra/stores/read-store/commit-listeners.js';
import type { Builds } from './builds/builds.js';
import type { DocumentIndex } from './document-index.js';

/** A file may be replaced between reading the catalogue and opening the file. */
const ATTEMPTS = 5;

/** Keeps a read-only store up to date with its writer. Listeners are notified in threads of the writer's process only. */
export class Follower {
  private stopListening: (() => void) | undefined;
  /** State at the last notification, by projection. */
  private readonly told = new Map<string, string>();

  /** @param of identifies the store in notifications of writes */
  constructor(
    private readonly of: string,
    private readonly builds: Builds,
    private readonly index: DocumentIndex,
    private readonly listeners: CommitListeners,
  ) {}

  /** Must be called after a listener was added. */
  listen(projection: string): void {
    if (!this.told.has(projection)) this.told.set(projection, this.standing(projection));
    this.stopListening ??= onNews(this.of, () => this.poll());
  }

  /** Notifies listeners of changes. */
  private poll(): void {
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
    if (served) this.listeners.notify(projection, served.state.checkpoint, served.state.marks);
  }

  close(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }

  /** A text that differs after every commit and every switch. */
  private standing(projection: string): string {
    try {
      this.refresh();
      const build = this.builds.served(projection);
      return build ? `${build.namespace.generation}/${build.state.commits}` : '';
    } catch {
      return this.told.get(projection) ?? ''; // the error is reported by reads
    }
  }

  /**
   * Loads the current builds. Refreshes the index first: an entry is removed from it only after its build left the catalogue. Throws file system
   * errors.
   */
  refresh(): void {
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
