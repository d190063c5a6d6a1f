/** Maximum number of gaps kept for one log. Beyond it the shorter half is dropped, which is quickly searched again. */
const MOST_GAPS = 1_000;

/** Offsets from `from` to `to`, exclusive. */
type Gap = { from: number; to: number };

/** Ranges of a log that are known to hold no match. */
export class KnownGaps {
  /** In order, not touching each other. */
  private gaps: Gap[] = [];

  /** The first offset from this one on that is in no gap. */
  after(offset: number): number {
    const gap = this.gaps[this.lastUpTo(offset)];
    return gap && gap.to > offset ? gap.to : offset;
  }

  /** Number of offsets from one on, up to `most`, before the next gap of at least that length. */
  before(offset: number, most: number): number {
    for (let at = this.lastUpTo(offset) + 1; ; at++) {
      const gap = this.gaps[at];
      if (!gap || gap.from - offset >= most) return most;
      if (gap.to - gap.from >= most) return gap.from - offset;
    }
  }

  /** Adds a range, which may touch others. An empty range is ignored. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const before = this.gaps[this.lastUpTo(from)];
    const touches = before !== undefined && before.to >= from;
    const first = touches ? this.lastUpTo(from) : this.lastUpTo(from) + 1;
    const last = this.lastUpTo(to);
    const merged = { from: touches ? before.from : from, to: Math.max(to, this.gaps[last]?.to ?? to) };
    this.gaps.splice(first, last + 1 - first, merged);
    if (this.gaps.length > MOST_GAPS) this.forgetShort();
  }

  /** The last one is kept: it marks how far the log was searched. */
  private forgetShort(): void {
    const lengths = this.gaps.map(({ from, to }) => to - from).sort((a, b) => b - a);
    const shortest = lengths[MOST_GAPS / 2] ?? 0;
    const last = this.gaps.length - 1;
    this.gaps = this.gaps.filter(({ from, to }, index) => to - from > shortest || index === last);
  }

  /** Index of the last gap that begins at or before an offset; -1 if there is none. */
  private lastUpTo(offset: number): number {
    let [low, high] = [0, this.gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.gaps[middle]?.from ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
