import { CommitListeners } from '#infra/read-store/commit-listeners.js';
import type { CommitListener } from '#projections/shared/read-store.js';
import type { BuildWriter } from './build-writer.js';
import { parseBuild } from './namespaces.js';

/** How long a commit of another process may go unnoticed. */
const POLL_INTERVAL_MS = 25;

/** Notices commits to the served documents: those of this process by `look`, those of others, and what they ask for, by polling the build records. */
export class CommitWatch {
  private readonly listeners = new CommitListeners();
  /** The record last seen of each projection that has listeners. */
  private readonly seen = new Map<string, string | undefined>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly writer: Pick<BuildWriter, 'pending' | 'attend'>) {}

  listen(projection: string, listener: CommitListener): () => void {
    if (!this.listeners.has(projection)) this.seen.set(projection, this.writer.pending.servedText(projection));
    const stop = this.listeners.add(projection, listener);
    this.timer ??= setInterval(() => this.poll(), POLL_INTERVAL_MS).unref();
    return () => {
      stop();
      if (this.listeners.projections.length === 0) this.close();
    };
  }

  /** Notifies the listeners of a projection if its record has changed. Never throws. */
  look(projection: string): void {
    if (!this.listeners.has(projection)) return;
    try {
      this.writer.attend(projection);
      const text = this.writer.pending.servedText(projection);
      if (text === undefined || text === this.seen.get(projection)) return;
      this.seen.set(projection, text);
      const { checkpoint, marks } = parseBuild(text);
      this.listeners.notify(projection, checkpoint, marks);
    } catch {
      // A store that cannot be read reports that to its readers.
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private poll(): void {
    for (const projection of this.listeners.projections) this.look(projection);
  }
}
