/** Stretches that are kept of one log; of more the shorter half goes, which is soon looked through again. */
const MOST_GAPS = 1_000;

/** A stretch of offsets from `from` to `to`, exclusive. */
type Gap = { from: number; to: number };

/** Stretches of a log that are known to hold nothing of what is looked for. */
export class KnownGaps {
  /** In order, not touching each other. */
  private gaps: Gap[] = [];

  /** The first offset from this one on that is in none of them. */
  after(offset: number): number {
    const gap = this.gaps[this.lastUpTo(offset)];
    return gap && gap.to > offset ? gap.to : offset;
  }

  /** How many offsets from one on, at most so many, come before the next stretch that is as long. */
  before(offset: number, most: number): number {
    for (let at = this.lastUpTo(offset) + 1; ; at++) {
      const gap = this.gaps[at];
      if (!gap || gap.from - offset >= most) return most;
      if (gap.to - gap.from >= most) return gap.from - offset;
    }
  }

  /** Adds a stretch, which may touch others; one without offsets is left out. */
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

  /** The last one stays: it says how far was looked. */
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
