import {
  AppendOutcomeUnknown,
  type AppendResult,
  EventStoreUnavailable,
  type ExpectedRevision,
  type ReadStreamOptions,
} from '#domain/shared/event-store.js';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';

/**
 * What happens to one append. `lost` and `written`: the outcome is unknown, the events are not, or are, in the log. `late`: unknown, and the
 * events arrive just before the next append. `unavailable`: refused before anything is sent.
 */
export type AppendFault = 'lost' | 'written' | 'late' | 'unavailable';

/** A real event store whose appends and reads fail on demand. Closing it leaves the real one open. */
export class FaultyEventStore extends DelegatingEventStore {
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

  override async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
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

  override async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    this.reads.push({ stream, ...options });
    if (this.failingReads > 0) {
      this.failingReads -= 1;
      throw new EventStoreUnavailable('not now');
    }
    return this.inner.readStream(stream, options);
  }

  override async close(): Promise<void> {}
}
