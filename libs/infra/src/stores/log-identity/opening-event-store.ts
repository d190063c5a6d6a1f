import { type AppendResult, type EventStore, EventStoreUnavailable, type ExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { LogIdentity } from './log-identity.js';

/**
 * The event log as writers see it. This process opens it (see {@link LogIdentity}) before its first append, and again before the first
 * append after an interruption, because it may be another copy then.
 */
export class OpeningEventStore extends DelegatingEventStore {
  private readonly identity: LogIdentity;
  private isOpen = false;
  private interruptions = 0;
  private opening: Promise<void> | undefined;

  /** @param confirm called after every opening, before any other append. If it throws, nothing is written to the log. */
  constructor(
    store: EventStore,
    private readonly confirm: (store: EventStore) => Promise<void>,
  ) {
    super(store);
    this.identity = new LogIdentity(store);
    store.onInterruption(() => {
      this.interruptions += 1;
      this.isOpen = false;
    });
  }

  /** Opens the log unless it is open. @throws EventStoreUnavailable */
  open(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    this.opening ??= this.openForWriting().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  override append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const append = (): Promise<AppendResult> => this.inner.append(stream, events, expected);
    return this.isOpen ? append() : this.open().then(append);
  }

  private async openForWriting(): Promise<void> {
    const before = this.interruptions;
    try {
      await this.identity.open();
      await this.confirm(this.inner);
      this.isOpen = this.interruptions === before;
    } catch (cause) {
      throw cause instanceof EventStoreUnavailable ? cause : new EventStoreUnavailable('the log cannot be opened for writing', { cause });
    }
  }
}
