/** How long work may hold the event loop at a time. */
const SLICE_MS = 10;

/** Work that has used up its slice, in the order in which it goes on. */
const waiting: (() => void)[] = [];

/** Resumes one piece of work in each turn: between any two slices the event loop serves everything else. */
const resumeNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
};

/**
 * Divides long work into slices of time: write `if (slice.isOver) await slice.next();` between short steps. The check takes some 50 ns, so group
 * steps of less than a microsecond by the dozen. All slices of the process wait in one queue, so that a hundred large requests delay a small one
 * by a single slice, not by a hundred.
 */
export class TimeSlice {
  private end: number;

  /** `milliseconds`: how long a slice lasts. Default 10. */
  constructor(private readonly milliseconds = SLICE_MS) {
    this.end = performance.now() + milliseconds;
  }

  /** Whether the slice is used up. */
  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  /** Resolves when this work may go on, with a new slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(resumeNext);
    });
    this.end = performance.now() + this.milliseconds;
  }
}

/** The time that work has: {@link TimeSlice}, or any amount. */
export type Pace = Readonly<{ isOver: boolean }>;

/** Work that yields where its pace is over, and returns its result. */
export type Steps<T> = Generator<undefined, T, undefined>;

const UNHURRIED: Pace = { isOver: false };

/** The result of work that is done at once. */
export const atOnce = <T>(work: (pace: Pace) => Steps<T>): T => work(UNHURRIED).next().value as T;

/** The result of the same work, done in slices of time. */
export const inSlices = async <T>(work: (pace: Pace) => Steps<T>, slice = new TimeSlice()): Promise<T> => {
  const steps = work(slice);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await slice.next();
  }
};
