import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { EmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';

/** An event of the log, or the position of an unreadable record. */
export type LogRecord = Readonly<{ event: RecordedEvent }> | Readonly<{ unreadable: Position }>;

/** `next`: argument for the next page; `null`: this page reaches the end. */
type LogPage = Readonly<{ records: readonly LogRecord[]; next: string | null }>;

/** Reads the whole log in its stored form, in order. */
export interface LogScan {
  /** Start of a read of all records after a position; it may include earlier ones. */
  startAfter(position: Position): string;
  /** @throws EventStoreUnavailable */
  page(from: string): Promise<LogPage>;
}

const PAGE_EVENTS = 500;

/** In the embedded log the records themselves are read, without its indexes, and reads continue after damage. */
export const scanOf = (store: EventStore): LogScan => (store instanceof EmbeddedEventStore ? embeddedScan(store) : portScan(store));

const embeddedScan = (store: EmbeddedEventStore): LogScan => ({
  startAfter: (position) => `${position === 0n ? 0 : store.scanStart(position)}`,
  async page(from) {
    const { records, next } = await store.scan(Number(from));
    return {
      records: records.map((record) => ('event' in record ? record : { unreadable: BigInt(record.unreadable) })),
      next: next === null ? null : `${next}`,
    };
  },
});

const portScan = (store: EventStore): LogScan => ({
  startAfter: (position) => `${position}`,
  async page(from) {
    const { events, position, caughtUp } = await store.readAll({ after: BigInt(from), limit: PAGE_EVENTS });
    return { records: events.map((event) => ({ event })), next: caughtUp ? null : `${position}` };
  },
});
