import {
  type AppendResult,
  type EventBatch,
  type EventStore,
  type ExpectedRevision,
  type ReadAllOptions,
  type ReadStreamOptions,
  WrongExpectedRevision,
} from '#domain/shared/event-store.js';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import type { Telemetry } from './telemetry.js';

const secondsSince = (start: number): number => (performance.now() - start) / 1_000;

/** Measures appends and reads. Subscriptions are not measured, because they mostly wait. */
export class TimedEventStore extends DelegatingEventStore {
  constructor(
    store: EventStore,
    private readonly telemetry: Pick<Telemetry, 'appendSeconds' | 'readSeconds' | 'appendFailures'>,
  ) {
    super(store);
  }

  override async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const start = performance.now();
    try {
      const result = await this.inner.append(stream, events, expected);
      this.telemetry.appendSeconds.observe(secondsSince(start));
      return result;
    } catch (error) {
      // Another writer was faster, so the writer decides again.
      if (!(error instanceof WrongExpectedRevision)) this.telemetry.appendFailures.inc();
      throw error;
    }
  }

  override async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const start = performance.now();
    const events = await this.inner.readStream(stream, options);
    this.telemetry.readSeconds.observe(secondsSince(start));
    return events;
  }

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    const start = performance.now();
    const batch = await this.inner.readAll(options);
    this.telemetry.readSeconds.observe(secondsSince(start));
    return batch;
  }
}
