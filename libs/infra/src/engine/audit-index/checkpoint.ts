/** Progress of the index, and the log that it was read from. Everything up to `position` is indexed. */
export type Checkpoint = Readonly<{
  /** Number of chained events. */
  size: number;
  position: string;
  /** Log time of the last event: milliseconds since 1970-01-01 UTC; 0 before the first one. */
  logTime: number;
  /** Newest event of a stream that never loses events. Another log does not have it in this place. */
  last: Readonly<{ stream: string; revision: string; id: string }> | null;
  /** Id of the newest event, unless it was lost before. */
  newestId?: string | undefined;
}>;

/** A place where the index does not match the chain. The index was rebuilt, and stops if the mismatch occurs there again. */
export type Divergence = Readonly<{
  /** Index of the last leaf of the mismatching batch. */
  index: number;
  reason: string;
  /** True after a second mismatch at the same place: the index holds the earlier events, and waits there. */
  stopped: boolean;
}>;

export const NOTHING_INDEXED: Checkpoint = { size: 0, position: '0', logTime: 0, last: null };
