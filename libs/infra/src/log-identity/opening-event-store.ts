import {
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
import { LogIdentity } from './log-identity.js';

/**
 * The event log as those see it who write: it is opened (see {@link LogIdentity}) before this process first appends to it, and again before the
 * first append after an interruption, because it may be another copy then.
 */
export class OpeningEventStore implements EventStore {
  private readonly identity: LogIdentity;
  private isOpen = false;
  private interruptions = 0;
  private opening: Promise<void> | undefined;

  /** `confirm`: called whenever it was opened, before anything else is appended. What it throws keeps the log from being written. */
  constructor(
    private readonly store: EventStore,
    private readonly confirm: (store: EventStore) => Promise<void>,
  ) {
    this.identity = new LogIdentity(store);
    store.onInterruption(() => {
      this.interruptions += 1;
      this.isOpen = false;
    });
  }

  /** Does nothing when the log is open. @throws EventStoreUnavailable */
  open(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    this.opening ??= this.openForWriting().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (!this.isOpen) await this.open();
    return this.store.append(stream, events, expected);
  }

  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.store.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.store.readAll(options);
  }

  head(categories?: CategoryFilter): Promise<Position> {
    return this.store.head(categories);
  }

  end(): Promise<Position> {
    return this.store.end();
  }

  onInterruption(listener: () => void): () => void {
    return this.store.onInterruption(listener);
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch> {
    return this.store.subscribeAll(options);
  }

  truncate(stream: string, before: Revision): Promise<void> {
    return this.store.truncate(stream, before);
  }

  setRetention(stream: string, retention: Retention): Promise<void> {
    return this.store.setRetention(stream, retention);
  }

  trouble(): Promise<string | null> {
    return this.store.trouble();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async openForWriting(): Promise<void> {
    const before = this.interruptions;
    try {
      await this.identity.open();
      await this.confirm(this.store);
      this.isOpen = this.interruptions === before;
    } catch (cause) {
      throw cause instanceof EventStoreUnavailable ? cause : new EventStoreUnavailable('the log cannot be opened for writing', { cause });
    }
  }
}
