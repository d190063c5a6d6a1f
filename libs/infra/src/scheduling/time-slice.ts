/** How long work may hold the event loop in one go, in milliseconds. */
const SLICE = 10;

/** Work that has used up its slice, in the order of its turns. */
const waiting: (() => void)[] = [];

/** Resumes one piece of work a turn: between two slices, whosever they are, the event loop serves everybody else. */
const resumeNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
};

/**
 * Long work in slices: `if (slice.isOver) await slice.next();` between steps that are short by themselves. Asking takes some 50 ns, so steps of
 * less than a microsecond are better taken some dozens at a time. All slices of the process wait in one queue, so that a hundred large
 * requests delay a small one by a single slice, not by a hundred.
 */
export class TimeSlice {
  private end: number;

  /** `milliseconds`: how long a slice lasts. Default 10. */
  constructor(private readonly milliseconds = SLICE) {
    this.end = performance.now() + milliseconds;
  }

  /** Whether the slice is used up. */
  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  /** Resolves when it is this work's turn again, with a new slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(resumeNext);
    });
    this.end = performance.now() + this.milliseconds;
  }
}
