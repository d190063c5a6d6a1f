import type { AppendResult, EventStore, ExpectedRevision } from './event-store.js';
import type { NewEvent, Revision } from './events.js';

/** Methods of an event log for imports, beyond {@link EventStore}. Appends that are sent one after another are written in this order. */
export interface ImportTarget extends EventStore {
  /**
   * As `append`, for events that another log has stored at a time of its own, in milliseconds since 1970-01-01 UTC, so that age limits go on counting. A
   * store whose server sets the time by itself does not keep it.
   */
  appendRecordedAt(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    recordedAt: number | undefined,
  ): Promise<AppendResult>;

  /**
   * Truncates the stream before `next`, and makes `next` the revision of its next event if that would be a smaller one: as if as many events had been
   * there and had expired. Repeating it does no harm.
   */
  skip(stream: string, next: Revision): Promise<void>;
}
