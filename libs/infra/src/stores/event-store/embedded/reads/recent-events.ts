import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';
import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';
import { type Categories, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { Page } from './reading.js';

const MAX_EVENTS = 16_384;
/** Bytes of the JSON text of the events' data, which take several times as much in memory. */
const MAX_BYTES = Math.min(16 * 2 ** 20, oldSpaceLimit() / 32);

/**
 * The newest events that this process appended, so that live subscribers need not read and parse what was just in memory. It holds one
 * contiguous part of the log, and starts again where another process appended in between.
 */
export class RecentEvents {
  private entries: Readonly<{ event: RecordedEvent; category: string; bytes: number }>[] = [];
  private bytes = 0;

  /** Position of the newest event held; 0: there is none. */
  get last(): number {
    return Number(this.entries.at(-1)?.event.position ?? 0n);
  }

  add(event: RecordedEvent, bytes: number): void {
    const position = Number(event.position);
    if (position <= this.last) return; // a commit that is reported out of order can be read from the log
    if (position !== this.last + 1) this.clear();
    this.entries.push({ event, category: categoryOf(event.stream), bytes });
    this.bytes += bytes;
    if (this.entries.length > MAX_EVENTS || this.bytes > MAX_BYTES) this.shrink();
  }

  /** The events after `after`; `undefined` if some of them are not held here. */
  page(after: number, filter: Categories | undefined, limit: number): Page | undefined {
    const first = Number(this.entries[0]?.event.position ?? 0n);
    if (first === 0 || after < first - 1 || after >= this.last) return undefined;
    const events: RecordedEvent[] = [];
    for (let index = after + 1 - first; index < this.entries.length; index += 1) {
      const entry = this.entries[index];
      if (!entry || (filter && !passesCategory(filter, entry.category))) continue;
      events.push(entry.event);
      if (events.length === limit) return { events, position: Number(entry.event.position) };
    }
    return { events, position: this.last };
  }

  /** Drops the older half, so that dropping costs little per event; everything if the newer half is too large. */
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
