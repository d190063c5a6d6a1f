import { type LeavesChained, MAX_LEAVES } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import { Frontier, type Hash } from '#domain/integrity/merkle.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** There is an anchor at each multiple of this number of leaves, so events of leaves end there. */
export const ANCHOR_LEAVES = 10_000;

/** Leaves ready to be appended. Plain values, because they may come from another thread. */
export type LeafBatch = Readonly<{
  data: LeavesChained;
  /** Position of the last leaf's event, as decimal text. */
  position: string;
}>;

/** End of the chain, where it continues. */
export type ChainEnd = Readonly<{ size: number; frontier: string; time: string | null }>;

/** Gathers events of the log, in log order, into events of leaves. */
export class LeafBatcher {
  private readonly frontier: Frontier;
  private leaves: Hash[] = [];
  private streams = new Map<string, number>();
  private runs: number[] = [];
  private from: number;
  private time: string;
  private last: RecordedEvent | undefined;

  constructor({ size, frontier, time }: ChainEnd) {
    this.frontier = Frontier.decode(size, frontier);
    this.from = size;
    this.time = time ?? '';
  }

  get isEmpty(): boolean {
    return this.leaves.length === 0;
  }

  /** Returns whether the leaves must be taken before the next event. */
  get isFull(): boolean {
    return this.leaves.length === MAX_LEAVES || (!this.isEmpty && this.frontier.size % ANCHOR_LEAVES === 0);
  }

  add(event: RecordedEvent): void {
    const leaf = leafOf(event);
    this.leaves.push(leaf);
    this.frontier.append(leaf);
    this.addToRuns(event);
    const { time } = event.metadata;
    if (typeof time === 'string' && time > this.time) this.time = time;
    this.last = event;
  }

  /** Returns the leaves so far, at least one, and continues after them. */
  take(): LeafBatch {
    const { from, leaves, runs, time, frontier } = this;
    const data: LeavesChained = {
      from,
      count: leaves.length,
      leaves: Buffer.concat(leaves).toString('base64'),
      streams: [...this.streams.keys()],
      runs,
      time,
      frontier: frontier.encode(),
    };
    const position = `${this.last?.position ?? 0n}`;
    [this.leaves, this.runs, this.streams, this.from] = [[], [], new Map(), frontier.size];
    return { data, position };
  }

  private addToRuns({ stream, revision }: RecordedEvent): void {
    const { runs, streams } = this;
    const number = getOrInsert(streams, stream, () => streams.size);
    const [last, first = 0] = [runs.length - 1, runs.at(-2)];
    const count = runs[last] ?? 0;
    if (runs.at(-3) === number && first + count === Number(revision)) runs[last] = count + 1;
    else runs.push(number, Number(revision), 1);
  }
}
