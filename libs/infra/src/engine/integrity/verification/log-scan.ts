import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { EmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';

/** An event of the log, or the position of a record that the store cannot read. */
export type LogRecord = Readonly<{ event: RecordedEvent }> | Readonly<{ unreadable: Position }>;

/** `next`: what to ask for to get the next page; `null`: this one reaches the end. */
type LogPage = Readonly<{ records: readonly LogRecord[]; next: string | null }>;

/** Reads the whole log as it is stored, in order. */
export interface LogScan {
  /** Start of a read of all records after a position; earlier ones may come as well. */
  startAfter(position: Position): string;
  /** @throws EventStoreUnavailable */
  page(from: string): Promise<LogPage>;
}

const PAGE_EVENTS = 500;

/** Of the embedded log the records themselves are read, without its indexes, and past what is damaged. */
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
