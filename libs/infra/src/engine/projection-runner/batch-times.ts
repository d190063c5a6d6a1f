/** Upper bounds of the buckets in seconds. The last bucket has no bound. */
const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

/** Times in seconds. `counts[i]`: number of batches above the previous bound and at most `bounds[i]`; the last count has no bound. */
export type BatchTimesSnapshot = Readonly<{
  bounds: readonly number[];
  counts: readonly number[];
  sum: number;
  last: number | null;
  batches: number;
  events: number;
}>;

/** Durations of the batches of a runner, from their arrival to the end of the commit. */
export class BatchTimes {
  private readonly counts = new Array<number>(BOUNDS.length + 1).fill(0);
  private sum = 0;
  private last: number | null = null;
  private batches = 0;
  private events = 0;

  add(seconds: number, events: number): void {
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const index = bucket < 0 ? BOUNDS.length : bucket;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += seconds;
    this.last = seconds;
    this.batches += 1;
    this.events += events;
  }

  snapshot(): BatchTimesSnapshot {
    return { bounds: BOUNDS, counts: [...this.counts], sum: this.sum, last: this.last, batches: this.batches, events: this.events };
  }
}
