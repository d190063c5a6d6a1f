import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** Minimum time between two looks, in milliseconds, and the time after which an earlier one says nothing any more. */
const LOOK_MS = 1_000;
const FORGOTTEN_MS = 30_000;

/** How far a projection is. `at`: milliseconds on the monotonic clock. */
type Step = Readonly<{ position: Position; at: number }>;
type Filled = Readonly<{ name: string; position: Position }>;

/**
 * Estimates when projections that are filled reach the end of the log, by the pace since somebody first asked. Positions are a measure of the way,
 * so nothing is counted. It looks while somebody asks, once a second at most.
 */
export class Fillings {
  private readonly firsts = new Map<string, Step>();
  private readonly lefts = new Map<string, number>();
  private lookedAt = Number.NEGATIVE_INFINITY;

  /** @param filled those that are filled now */
  constructor(
    private readonly events: Pick<EventStore, 'end'>,
    private readonly filled: () => readonly Filled[],
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Seconds until a projection has reached the end of the log; `null` while it is not known how fast it is, or if it is not filled. */
  secondsLeft(name: string): number | null {
    const since = this.now() - this.lookedAt;
    if (since >= FORGOTTEN_MS) {
      this.firsts.clear();
      this.lefts.clear();
    }
    if (since >= LOOK_MS) {
      this.lookedAt = this.now();
      this.events.end().then(
        (end) => this.look(end),
        () => undefined, // the log does not answer: the estimate is as it was
      );
    }
    return this.lefts.get(name) ?? null;
  }

  private look(end: Position): void {
    const at = this.now();
    const filled = this.filled();
    this.lefts.clear();
    for (const name of this.firsts.keys()) if (!filled.some((one) => one.name === name)) this.firsts.delete(name);
    for (const { name, position } of filled) {
      const first = getOrInsert(this.firsts, name, () => ({ position, at }));
      if (position < first.position) this.firsts.set(name, { position, at }); // it has begun anew
      const way = Number(position - first.position);
      if (way > 0) this.lefts.set(name, (Number(end - position) / way) * ((at - first.at) / 1_000));
    }
  }
}
