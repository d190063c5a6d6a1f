import type {
  AppendResult,
  CategoryFilter,
  EventBatch,
  EventStore,
  ExpectedRevision,
  InterruptedCalls,
  ReadAllOptions,
  ReadStreamOptions,
  Retention,
  SubscribeOptions,
} from '#domain/shared/event-store.js';
import type { NewEvent, Position, RecordedEvent, Revision } from '#domain/shared/events.js';

/** Passes every call on to another event store. Subclasses override what they change. */
export class DelegatingEventStore implements EventStore {
  constructor(protected readonly inner: EventStore) {}

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.inner.append(stream, events, expected);
  }

  readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.inner.readStream(stream, options);
  }

  readAll(options: ReadAllOptions): Promise<EventBatch> {
    return this.inner.readAll(options);
  }

  head(categories?: CategoryFilter, signal?: AbortSignal): Promise<Position> {
    return this.inner.head(categories, signal);
  }

  end(): Promise<Position> {
    return this.inner.end();
  }

  onInterruption(listener: () => void, of?: InterruptedCalls): () => void {
    return this.inner.onInterruption(listener, of);
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

  close(): Promise<void> {
    return this.inner.close();
  }
}
