import { CommitListeners } from '#infra/stores/read-store/commit-listeners.js';
import type { CommitListener } from '#projections/shared/read-store.js';
import type { BuildWriter } from './build-writer.js';
import { parseBuild } from './namespaces.js';
import type { PendingCommits } from './pending-commits.js';

/** How long a commit of another process may go unnoticed. */
const POLL_INTERVAL_MS = 25;

/** Notices commits to the served documents: those of this process by `look`, those of others, and what they ask for, by polling the build records. */
export class CommitWatch {
  private readonly listeners = new CommitListeners();
  /** The record last seen of each projection that has listeners. */
  private readonly seen = new Map<string, string | undefined>();
  private timer: NodeJS.Timeout | undefined;
  /** The last transaction after which nothing is left to be looked at. */
  private done: unknown;

  /** @param lastTransaction of any process: another value after every one. Reads after it see what it names. Never throws */
  constructor(
    private readonly writer: Pick<BuildWriter, 'attend'> & Readonly<{ pending: Pick<PendingCommits, 'servedText'> }>,
    private readonly lastTransaction: () => unknown,
  ) {}

  listen(projection: string, listener: CommitListener): () => void {
    if (!this.listeners.has(projection)) this.seen.set(projection, this.writer.pending.servedText(projection));
    const stop = this.listeners.add(projection, listener);
    this.done = undefined;
    this.timer ??= setInterval(() => this.poll(), POLL_INTERVAL_MS).unref();
    return () => {
      stop();
      if (this.listeners.projections.length === 0) this.close();
    };
  }

  /** Notifies the listeners of a projection if its record has changed. Never throws. @param isNow they have been told when it returns */
  look(projection: string, isNow = false): void {
    if (!this.listeners.has(projection)) return;
    try {
      if (this.writer.attend(projection)) this.done = undefined; // it is asked until that is written
      const text = this.writer.pending.servedText(projection);
      if (text === undefined || text === this.seen.get(projection)) return;
      this.seen.set(projection, text);
      const { checkpoint, marks } = parseBuild(text);
      if (isNow) this.listeners.notifyNow(projection, checkpoint, marks);
      else this.listeners.notify(projection, checkpoint, marks);
    } catch {
      this.done = undefined; // a store that cannot be read reports that to its readers
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** In most intervals nobody has written anything, and to look at all records takes as long as a hundred reads. @param isNow as above */
  poll(isNow = false): void {
    const last = this.lastTransaction();
    if (last !== undefined && last === this.done) return;
    this.done = last;
    for (const projection of this.listeners.projections) this.look(projection, isNow);
  }
}
