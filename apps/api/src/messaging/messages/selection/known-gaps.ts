import { addRange, endOfRangeAt, pairsOf, type Ranges, startAfter } from '#domain/messaging/deliveries/ranges.js';

/** Maximum number of gaps kept for one log. Beyond it the shorter half is dropped, which is quickly searched again. */
const MOST_GAPS = 1_000;

/** Ranges of a log that are known to hold no match. */
export class KnownGaps {
  private gaps: Ranges = [];

  /** The first offset from this one on that is in no gap. */
  after(offset: number): number {
    return endOfRangeAt(this.gaps, offset) ?? offset;
  }

  /** Number of offsets from one on, up to `most`, before the next gap of at least that length. */
  before(offset: number, most: number): number {
    for (let from = startAfter(this.gaps, this.after(offset)); from - offset < most; ) {
      const to = this.after(from);
      if (to - from >= most) return from - offset;
      from = startAfter(this.gaps, to);
    }
    return most;
  }

  /** Adds a range, which may touch others. An empty range is ignored. */
  add(from: number, to: number): void {
    addRange(this.gaps, from, to);
    if (this.gaps.length > 2 * MOST_GAPS) this.forgetShort();
  }

  /** The last one is kept: it marks how far the log was searched. */
  private forgetShort(): void {
    const pairs = [...pairsOf(this.gaps)];
    const lengths = pairs.map(([from, to]) => to - from).sort((a, b) => b - a);
    const shortest = lengths[MOST_GAPS / 2] ?? 0;
    const last = pairs.length - 1;
    this.gaps = pairs.filter(([from, to], index) => to - from > shortest || index === last).flat();
  }
}
