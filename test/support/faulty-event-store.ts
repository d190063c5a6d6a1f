import {
  AppendOutcomeUnknown,
  type AppendResult,
  type CategoryFilter,
  type EventBatch,
  type EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  type Retention,
  type SubscribeOptions,
} from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';

/**
 * What happens to one append. `lost` and `written`: the outcome is unknown, the events are not, or are, in the log. `late`: unknown, and the
 * events arrive just before the next append. `unavailable`: refused before anything is sent.
 */
export type AppendFault = 'lost' | 'written' | 'late' | 'unavailable';

/** A real event store whose appends and reads fail on demand. Closing it leaves the real one open. */
export class FaultyEventStore implements EventStore {
  /** For the next appends, in order; those beyond go through. */
  readonly appendFaults: AppendFault[] = [];
  /** Runs before each append: the place for a rival who is faster. */
  beforeAppend: (events: readonly NewEvent[]) => Promise<void> = async () => {};
  /** So many of the next reads of streams fail. */
  failingReads = 0;
  /** The events of each append that was asked for. */
  readonly appends: (readonly NewEvent[])[] = [];
  readonly reads: Readonly<{ stream: string } & ReadStreamOptions>[] = [];
  private late: (() => Promise<AppendResult>) | undefined;

  constructor(readonly inner: EventStore) {}

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    this.appends.push(events);
    await this.beforeAppend(events);
    await this.late?.();
    this.late = undefined;
    const write = (): Promise<AppendResult> => this.inner.append(stream, events, expected);
    switch (this.appendFaults.shift()) {
      case undefined:
        return write();
      case 'unavailable':
        throw new EventStoreUnavailable('not now');
      case 'late':
        this.late = write;
        break;
      case 'written':
        await write();
        break;
      case 'lost':
        break;
    }
    throw new AppendOutcomeUnknown(stream);
  }

  async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.reads.push({ stream, ...options });
    if (this.failingReads > 0) {
      this.failingReads -= 1;
      throw new EventStoreUnavailable('not now');
    }
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.inner.readAll(options);
  }

  head(categories?: CategoryFilter): Promise<Position> {
    return this.inner.head(categories);
  }

  end(): Promise<Position> {
    return this.inner.end();
  }

  onInterruption(listener: () => void): () => void {
    return this.inner.onInterruption(listener);
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch> {
    return this.inner.subscribeAll(options);
  }

  truncate(stream: string, before: Revision): Promise<void> {
    return this.inner.truncate(stream, before);
  }

  setRetention(stream: string, retention: Retention): Promise<void> {
    return this.inner.setRetention(stream, retention);
  }

  trouble(): Promise<string | null> {
    return this.inner.trouble();
  }

  async close(): Promise<void> {}
}
