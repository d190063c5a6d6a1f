import { currentCall } from '#api/shared/as-of/past-call.js';
import { type EventStore, EventStoreUnavailable, type ReadStreamOptions } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { OpeningEventStore } from '#infra/stores/log-identity/opening-event-store.js';

const refuse = async (): Promise<never> => {
  throw new EventStoreUnavailable('nothing can be written as of the past');
};

/** Greater than every position. */
const LAST: Position = 2n ** 64n;

/** The streams of the log up to the moment of the current call, without events that have expired since. They are read-only. */
export class PastEventStore extends OpeningEventStore {
  constructor(live: EventStore) {
    super(live, refuse);
  }

  /** @throws EventStoreUnavailable */
  override async readStream(stream: string, options: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    if (options.direction === 'backwards') throw new EventStoreUnavailable('the past is read forwards');
    const events = await this.inner.readStream(stream, options);
    const { latest } = this;
    return events.every(({ position }) => position <= latest) ? events : events.filter(({ position }) => position <= latest);
  }

  override append: EventStore['append'] = refuse;
  override truncate: EventStore['truncate'] = refuse;
  override setRetention: EventStore['setRetention'] = refuse;

  private get latest(): Position {
    const { point, refusal } = currentCall();
    return refusal || !point ? LAST : (point.moment?.position ?? 0n);
  }
}
