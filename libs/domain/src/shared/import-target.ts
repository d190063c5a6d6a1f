import type { AppendResult, EventStore, ExpectedRevision } from './event-store.js';
import type { NewEvent, Revision } from './events.js';

/** Additional operations of an event log for imports. Appends sent one after another are written in this order. */
export interface ImportTarget extends EventStore {
  /**
   * Like `append`, for events with the time at which another log stored them, in milliseconds since 1970-01-01 UTC, so age limits keep counting. A store
   * whose server sets the time ignores it.
   */
  appendRecordedAt(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    recordedAt: number | undefined,
  ): Promise<AppendResult>;

  /**
   * Truncates the stream before `next` and raises the revision of its next event to at least `next`, as if that many events had expired. Safe to
   * repeat.
   */
  skip(stream: string, next: Revision): Promise<void>;
}
