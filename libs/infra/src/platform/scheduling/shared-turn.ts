import { TimeSlice } from '#domain/shared/time-slice.js';

/** How much work may share a turn of the event loop. */
const TURN_MS = 10;
/** Shorter work is not counted. */
const COUNTED_MS = 1;

/**
 * Runs work of unknown length. It runs at once, unless much of this work has been done in the same turn of the event loop already; then it gets
 * a turn of its own.
 */
export class SharedTurn {
  private spent = 0;

  /** `next` resolves in a new turn; `now` returns milliseconds. */
  constructor(
    private readonly next: () => Promise<void> = () => new TimeSlice(0).next(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  async do<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.spent > TURN_MS) await this.next();
    const start = this.now();
    try {
      return await work();
    } finally {
      this.count(this.now() - start);
    }
  }

  private count(milliseconds: number): void {
    if (milliseconds < COUNTED_MS) return;
    if (this.spent === 0) {
      setImmediate(() => {
        this.spent = 0;
      });
    }
    this.spent += milliseconds;
  }
}
