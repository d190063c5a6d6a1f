import type { Position } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import type { Logger } from '#infra/logging/logger.js';
import { type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import type { SetAsideTracker } from './set-aside-tracker.js';

export type SetAsideRefreshDependencies = Readonly<{
  store: ReadStore;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  projection: string;
  log: Pick<Logger, 'warn'>;
  signal: AbortSignal;
  /** Another object as soon as the log may be another one: positions read before it then say nothing. */
  era: () => object;
  /** The book is that of these documents, and not older than the checkpoint. */
  read: (namespace: Namespace, checkpoint: Position) => void;
}>;

/** Brings the book up to date after another process, or a request, has set something aside or brought it back. */
export class SetAsideRefresh {
  private pending = false;
  private reading: Promise<void> | null = null;

  constructor(private readonly parts: SetAsideRefreshDependencies) {}

  /** Resolves when nothing is being read. */
  get settled(): Promise<void> {
    return this.reading ?? Promise.resolve();
  }

  /** Soon; what is heard while it reads is read, too. */
  read(): void {
    this.pending = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = null;
    });
  }

  private async readAll(): Promise<void> {
    const { signal, projection, log } = this.parts;
    while (this.pending && !signal.aborted) {
      this.pending = false;
      try {
        await this.readOnce();
      } catch (error) {
        if (error instanceof NamespaceGone) this.pending = true;
        else if (!signal.aborted) log.warn({ projection, err: error }, 'what is set aside cannot be read');
      }
    }
  }

  private async readOnce(): Promise<void> {
    const { store, tracker, retry, projection, era, read } = this.parts;
    const before = era();
    const served = await retry.retryUntilAvailable(() => store.served(projection));
    if (!served) return;
    const checkpoint = await retry.retryUntilAvailable(() => store.checkpoint(served));
    await retry.retryUntilAvailable(() => tracker.load(store, served));
    if (era() === before) read(served, checkpoint);
    else this.pending = true;
  }
}
