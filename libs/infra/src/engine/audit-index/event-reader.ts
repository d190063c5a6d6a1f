import { mayExpire } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { IndexedEvent } from './audit-index.js';

/** Concurrent reads of the log per caller: a page of scattered events takes a hundred, and each takes EventStoreDB a millisecond. */
const AT_A_TIME = 32;

/** Consecutive events of one stream, returned by one read. */
type Stretch = { readonly stream: string; first: number; last: number };

/** Content of the log at a place. `expired`: events of the stream up to there have left the log. `missing`: the event should be there. */
export type EventRead = RecordedEvent | 'expired' | 'missing';

/** Fetches events by place. One per caller, because it remembers the current start of streams. */
export class EventReader {
  /** First readable revision of streams that have lost events; `null` if none is left. */
  private readonly beginnings = new Map<string, number | null>();

  /** @param slice of the event loop, needed because reads of the embedded log return at once */
  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly slice = new TimeSlice(),
  ) {}

  /** Returns the events in the order of `entries`. Memory is bounded by their total size. @throws EventStoreUnavailable */
  async read(entries: readonly IndexedEvent[]): Promise<readonly EventRead[]> {
    const found = new Map<string, RecordedEvent>();
    const waiting = stretchesOf(entries.filter((entry) => !this.isExpired(entry)))[Symbol.iterator]();
    const { slice } = this;
    const work = async (): Promise<void> => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        if (slice.isOver) await slice.next();
        for (const event of await this.readStretch(next.value)) found.set(`${event.revision} ${event.stream}`, event);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    const readings: EventRead[] = [];
    for (const entry of entries) {
      const event = found.get(`${entry.revision} ${entry.streamName}`);
      readings.push(event ?? (await this.absent(entry)));
    }
    return readings;
  }

  private isExpired({ streamName, revision }: IndexedEvent): boolean {
    const first = this.beginnings.get(streamName);
    return first === null || (first !== undefined && revision < first);
  }

  private async readStretch({ stream, first, last }: Stretch): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (let from = first; from <= last; ) {
      const page = await this.events.readStream(stream, { from: BigInt(from), limit: last + 1 - from });
      const wanted = page.filter(({ revision }) => revision <= BigInt(last));
      events.push(...wanted);
      const newest = wanted.at(-1);
      if (!newest) break;
      from = Number(newest.revision) + 1;
    }
    return events;
  }

  /** An event can have expired only in a stream that may lose events, and only at its start. */
  private async absent(entry: IndexedEvent): Promise<'expired' | 'missing'> {
    const { streamName } = entry;
    if (!mayExpire(streamName)) return 'missing';
    if (this.isExpired(entry)) return 'expired';
    // More may have expired since the start of the stream was read.
    const [oldest] = await this.events.readStream(streamName, { limit: 1 });
    this.beginnings.set(streamName, oldest ? Number(oldest.revision) : null);
    return this.isExpired(entry) ? 'expired' : 'missing';
  }
}

const stretchesOf = (entries: readonly IndexedEvent[]): readonly Stretch[] => {
  const stretches: Stretch[] = [];
  const newest = new Map<string, Stretch>();
  for (const { streamName: stream, revision } of entries) {
    const known = newest.get(stream);
    if (known && revision === known.last + 1) known.last = revision;
    else if (known && revision === known.first - 1) known.first = revision;
    else {
      const stretch = { stream, first: revision, last: revision };
      newest.set(stream, stretch);
      stretches.push(stretch);
    }
  }
  return stretches;
};
