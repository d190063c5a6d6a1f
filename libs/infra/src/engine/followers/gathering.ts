import type { EventBatch } from '#domain/shared/event-store.js';

/** Pauses in milliseconds: with few events, and the longest one under load. */
const [SHORTEST_MS, LONGEST_MS] = [25, 200];
/** As many events as come in so many milliseconds are worth waiting for: a commit copies every page of the store that it touches. */
const MS_OF_AN_EVENT = 5;

/** Lets events of a log gather, so that what follows it commits seldom under load, and at once otherwise. */
export class Gathering {
  private pauseMs = SHORTEST_MS;

  /** @param maxBatch after so many events there are likely to be more already */
  constructor(private readonly maxBatch: number) {}

  /** How long to wait before the next batch is read, in milliseconds; doubled by each batch as large as 200 events a second would make it. */
  pauseAfter({ events, caughtUp }: EventBatch): number {
    if (!caughtUp || events.length === 0 || events.length >= this.maxBatch) return 0;
    const isBusy = events.length * MS_OF_AN_EVENT >= this.pauseMs;
    this.pauseMs = isBusy ? Math.min(2 * this.pauseMs, LONGEST_MS) : SHORTEST_MS;
    return this.pauseMs;
  }
}
