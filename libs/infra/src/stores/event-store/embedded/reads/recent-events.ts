import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';
import { type Categories, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { LogPage } from './reading.js';

const MAX_EVENTS = 16_384;
/** Limit on the JSON text of the events' data in bytes; in memory they take several times as much. */
const MAX_BYTES = Math.min(16 * 2 ** 20, oldSpaceLimit() / 32);

/** `taken`: position up to which the reader has taken events. */
type Reader = { taken: number };

/**
 * Keeps the newest events of this process until its live subscriptions have taken them, so that they need not read and parse them from
 * disk. Holds one contiguous part of the log. Events taken by all readers are dropped at once: short-lived objects cost the collector
 * nothing.
 */
export class RecentEvents {
  private entries: Readonly<{ event: RecordedEvent; category: string; bytes: number }>[] = [];
  private bytes = 0;
  /** Position of the newest event added; 0 if there is none. */
  last = 0;
  private readonly readers = new Set<Reader>();

  add(event: RecordedEvent, bytes: number): void {
    const position = Number(event.position);
    if (position <= this.last) return; // events of a commit reported out of order can be read from the log
    if (position !== this.last + 1) this.clear();
    this.last = position;
    if (this.readers.size === 0) return;
    this.entries.push({ event, category: categoryOf(event.stream), bytes });
    this.bytes += bytes;
    if (this.entries.length > MAX_EVENTS || this.bytes > MAX_BYTES) this.shrink();
  }

  /** Registers a subscription that has taken the events up to a position. Later events are held until it `took` them. */
  reader(taken: number): Reader {
    const reader = { taken };
    this.readers.add(reader);
    return reader;
  }

  took(reader: Reader, position: number): void {
    reader.taken = position;
    this.drop();
  }

  remove(reader: Reader): void {
    this.readers.delete(reader);
    this.drop();
  }

  /** The events after `after`; `undefined` if some of them are not held here. */
  page(after: number, filter: Categories | undefined, limit: number): LogPage | undefined {
    const before = this.last - this.entries.length;
    if (after < before || after >= this.last) return undefined;
    const events: RecordedEvent[] = [];
    for (let index = after - before; index < this.entries.length; index += 1) {
      const entry = this.entries[index];
      if (!entry || (filter && !passesCategory(filter, entry.category))) continue;
      events.push(entry.event);
      if (events.length === limit) return { events, position: Number(entry.event.position) };
    }
    return { events, position: this.last };
  }

  /** Drops the events that all readers have taken. */
  private drop(): void {
    let upTo = this.last;
    for (const { taken } of this.readers) upTo = Math.min(upTo, taken);
    const before = this.last - this.entries.length;
    if (upTo > before) for (const { bytes } of this.entries.splice(0, upTo - before)) this.bytes -= bytes;
  }

  /** Drops the older half, so that dropping costs little per event. Drops everything if the newer half is too large. */
  private shrink(): void {
    const kept = this.entries.slice(Math.ceil(this.entries.length / 2));
    this.clear();
    const bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
    if (bytes > MAX_BYTES) return;
    this.entries = kept;
    this.bytes = bytes;
  }

  private clear(): void {
    this.entries = [];
    this.bytes = 0;
  }
}
