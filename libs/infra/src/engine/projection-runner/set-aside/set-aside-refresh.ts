import type { Position } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { type Namespace, NamespaceGone, type ReadStore } from '#projections/shared/read-store.js';
import type { SetAsideTracker } from './set-aside-tracker.js';

type SetAsideRefreshDependencies = Readonly<{
  store: ReadStore;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  projection: string;
  log: Pick<Logger, 'warn'>;
  signal: AbortSignal;
  /** Returns another object once the log may have been replaced, because earlier positions are invalid then. */
  logEpoch: () => object;
  /** Called when the tracker has the state of these documents, as of the checkpoint or later. */
  onRefreshed: (namespace: Namespace, checkpoint: Position) => void;
}>;

/** Updates the tracker after another process, or a request, has set a partition aside or resumed it. */
export class SetAsideRefresh {
  private pending = false;
  private reading: Promise<void> | null = null;

  constructor(private readonly dependencies: SetAsideRefreshDependencies) {}

  /** Resolves when no read is in progress. */
  get settled(): Promise<void> {
    return this.reading ?? Promise.resolve();
  }

  /** Requests a read of the state. A request during a read leads to another read. */
  request(): void {
    this.pending = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = null;
    });
  }

  private async readAll(): Promise<void> {
    const { signal, projection, log } = this.dependencies;
    while (this.pending && !signal.aborted) {
      this.pending = false;
      try {
        await this.readOnce();
      } catch (error) {
        if (error instanceof NamespaceGone) this.pending = true;
        else if (!signal.aborted) log.warn({ projection, err: error }, 'the set-aside partitions cannot be read');
      }
    }
  }

  private async readOnce(): Promise<void> {
    const { store, tracker, retry, projection, logEpoch, onRefreshed } = this.dependencies;
    const before = logEpoch();
    const served = await retry.retryUntilAvailable(() => store.served(projection));
    if (!served) return;
    const checkpoint = await retry.retryUntilAvailable(() => store.checkpoint(served));
    await retry.retryUntilAvailable(() => tracker.load(store, served));
    if (logEpoch() === before) onRefreshed(served, checkpoint);
    else this.pending = true;
  }
}
