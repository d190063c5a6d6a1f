import { EXPIRING } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { AuditIndex } from './audit-index.js';

type ExpiredByCategory = ReadonlyMap<string, number>;

const AT_A_TIME = 16;
/** Minimum validity of a count; a count is also valid for ten times as long as it took. */
const FRESH_MS = 1_000;
const FRESH_FACTOR = 10;

/** Counts the events that have left the log, by reading the start of each stream that may lose events, never by reading the log. */
export class ExpiredEvents {
  private known: Readonly<{ counts: Promise<ExpiredByCategory>; until: number }> | undefined;

  constructor(
    private readonly index: AuditIndex,
    private readonly events: Pick<EventStore, 'readStream'>,
  ) {}

  /** @throws EventStoreUnavailable */
  count(): Promise<ExpiredByCategory> {
    const began = performance.now();
    if (this.known && began < this.known.until) return this.known.counts;
    const counts = this.look();
    const entry = { counts, until: Number.POSITIVE_INFINITY };
    this.known = entry;
    counts.then(
      () => {
        const now = performance.now();
        entry.until = now + Math.max(FRESH_MS, (now - began) * FRESH_FACTOR);
      },
      () => {
        entry.until = 0;
      },
    );
    return counts;
  }

  private async look(): Promise<ExpiredByCategory> {
    const counts = new Map<string, number>();
    for (const category of EXPIRING) counts.set(category, await this.lookAt(category));
    return counts;
  }

  private async lookAt(category: string): Promise<number> {
    const waiting = this.index.streamsOf(category);
    const slice = new TimeSlice();
    let expired = 0;
    const work = async (): Promise<void> => {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        if (slice.isOver) await slice.next();
        const more = await this.expiredIn(next.value);
        expired += more; // in one step, because others have counted meanwhile
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return expired;
  }

  private async expiredIn(stream: string): Promise<number> {
    const { size } = this.index.checkpoint();
    const first = this.index.revisionBeside(stream, -1, 'desc');
    const last = this.index.revisionBeside(stream, size, 'asc');
    if (first === undefined || last === undefined) return 0;
    const [oldest] = await this.events.readStream(stream, { limit: 1 });
    return Math.max(0, (oldest ? Number(oldest.revision) : last + 1) - first);
  }
}
