import { TimeSlice } from './time-slice.js';

/** Milliseconds of work of one kind that belong into a turn of the event loop. */
const MOST = 10;
/** Shorter work is not counted. */
const LEAST = 1;

/**
 * Work of which nobody knows beforehand whether it is long: it is done at once, unless others have done much of it in this turn of the event loop already;
 * then it takes a turn of its own.
 */
export class SharedTurn {
  private spent = 0;

  /** `next`: resolves in a turn of one's own. `now`: milliseconds. */
  constructor(
    private readonly next: () => Promise<void> = () => new TimeSlice(0).next(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  async do<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.spent > MOST) await this.next();
    const start = this.now();
    try {
      return await work();
    } finally {
      this.count(this.now() - start);
    }
  }

  private count(milliseconds: number): void {
    if (milliseconds < LEAST) return;
    if (this.spent === 0) {
      setImmediate(() => {
        this.spent = 0;
      });
    }
    this.spent += milliseconds;
  }
}
