/** Maximum time for which work holds the event loop. */
const SLICE_MS = 10;

/** Work that has used up its slice, in the order of resumption. */
const waiting: (() => void)[] = [];

/** Resumes one piece of work in each turn, so the event loop serves everything else between two slices. */
const resumeNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
};

/**
 * Divides long work into slices of time: write `if (slice.isOver) await slice.next();` between short steps. The check takes about 50 ns, so group
 * steps of less than a microsecond by the dozen. All slices of the process share one queue, so a hundred large requests delay a small one
 * by a single slice, not by a hundred.
 */
export class TimeSlice {
  private end: number;

  /** @param milliseconds length of a slice; default 10 */
  constructor(private readonly milliseconds = SLICE_MS) {
    this.end = performance.now() + milliseconds;
  }

  get isOver(): boolean {
    return performance.now() >= this.end;
  }

  /** Resolves when this work may continue, with a new slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(resumeNext);
    });
    this.end = performance.now() + this.milliseconds;
  }
}

/** Time limit of work: a {@link TimeSlice}, or none. */
export type Pace = Readonly<{ isOver: boolean }>;

/** Work that yields when its pace is over and returns its result. */
export type Steps<T> = Generator<undefined, T, undefined>;

const UNHURRIED: Pace = { isOver: false };

/** Runs the work without yielding and returns its result. */
export const atOnce = <T>(work: (pace: Pace) => Steps<T>): T => work(UNHURRIED).next().value as T;

/** Runs the work in slices of time and returns its result. */
export const inSlices = async <T>(work: (pace: Pace) => Steps<T>, slice = new TimeSlice()): Promise<T> => {
  const steps = work(slice);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await slice.next();
  }
};
