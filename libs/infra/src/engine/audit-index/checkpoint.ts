/** How far the index is, and which log it was read from. Everything up to `position` is indexed. */
export type Checkpoint = Readonly<{
  /** Number of chained events. */
  size: number;
  position: string;
  /** Log time of the last event: milliseconds since 1970-01-01 UTC; 0 before the first one. */
  logTime: number;
  /** Newest event of a stream that loses none: another log does not have it there. */
  last: Readonly<{ stream: string; revision: string; id: string }> | null;
}>;

/** A place at which the index does not fit the chain: it was built anew, and stops where it comes to it again. */
export type Divergence = Readonly<{
  /** Index of the last leaf of the batch that does not fit. */
  index: number;
  reason: string;
  /** The index has come to the same place a second time: it holds what is before, and waits there. */
  stopped: boolean;
}>;

export const NOTHING_INDEXED: Checkpoint = { size: 0, position: '0', logTime: 0, last: null };
