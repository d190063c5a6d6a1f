import type { EventBatch } from '#domain/shared/event-store.js';

/** Pauses in milliseconds: with few events, and the longest one under load. */
const [SHORTEST_MS, LONGEST_MS] = [25, 200];
/** Time per event worth waiting for: a commit copies every page of the store that it changes. */
const MS_OF_AN_EVENT = 5;

/** Lets events of a log accumulate, so that a follower commits seldom under load, and at once otherwise. */
export class Gathering {
  private pauseMs = SHORTEST_MS;

  /** @param maxBatch batch size after which more events are probably waiting */
  constructor(private readonly maxBatch: number) {}

  /** Milliseconds to wait before the next batch is read. The pause is doubled by each batch as large as at 200 events per second. */
  pauseAfter({ events, caughtUp }: EventBatch): number {
    if (!caughtUp || events.length === 0 || events.length >= this.maxBatch) return 0;
    const isBusy = events.length * MS_OF_AN_EVENT >= this.pauseMs;
    this.pauseMs = isBusy ? Math.min(2 * this.pauseMs, LONGEST_MS) : SHORTEST_MS;
    return this.pauseMs;
  }
}
