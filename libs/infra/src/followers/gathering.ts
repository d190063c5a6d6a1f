import type { EventBatch } from '#domain/shared/event-store.js';

/** A commit copies every page of the store that it touches, however many events it has: from so many events on it is worth waiting for more. */
const MANY_EVENTS = 20;
/** Pauses in milliseconds: after a few events, and the longest one under load. */
const [SHORTEST_MS, LONGEST_MS] = [20, 200];

/** Lets events of a log gather, so that what follows it commits seldom under load, and at once otherwise. */
export class Gathering {
  private pauseMs = SHORTEST_MS;

  /** @param maxBatch after so many events there are likely to be more already */
  constructor(private readonly maxBatch: number) {}

  /** How long to wait before the next batch is read, in milliseconds; each one of many events in a row doubles it. */
  pauseAfter({ events, caughtUp }: EventBatch): number {
    if (!caughtUp || events.length === 0 || events.length >= this.maxBatch) return 0;
    this.pauseMs = events.length < MANY_EVENTS ? SHORTEST_MS : Math.min(2 * this.pauseMs, LONGEST_MS);
    return this.pauseMs;
  }
}
