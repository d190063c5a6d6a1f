import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import { type Anchor, type Leaf, type LeavesChained, leavesIn } from '#domain/integrity/integrity-events.js';
import type { Frontier } from '#domain/integrity/merkle.js';
import { sha256Bytes } from '#domain/shared/bytes/sha256.js';
import { type EventLine, type ExpiredLine, leafOfLine } from './export-lines.js';
import { HashQueue } from './hash-queue.js';

/** Number of sizes whose roots are kept for the anchors that follow them. */
const ROOTS = 1_000;

/** Hash that stands for the place of an event. */
const placeHash = (stream: string, revision: number): Buffer => sha256Bytes(`${revision} ${stream}`);

/** A stream that has lost events; `next`: revision at which it continues. */
export type StreamGap = Readonly<{ stream: string; next: number }>;

/**
 * Checks the lines of an export against each other: hashes against events, leaves of the log against these hashes and places, anchors
 * against the resulting roots. Returns a flaw as a clause after the line number. Memory: the hashes of events whose leaves have not been
 * read yet.
 */
export class ChainCheck {
  private readonly hashes: HashQueue;
  private readonly places: HashQueue;
  /** Indices of expired events whose leaves have not been read yet. */
  private readonly gone = new Set<number>();
  private readonly roots = new Map<number, Buffer>();

  constructor(
    /** Tree over everything checked so far. */
    readonly tree: Frontier,
    /** Size of the chain up to the last leaves read. */
    private chained = tree.size,
    private readonly leaves = tree.copy(),
  ) {
    this.hashes = new HashQueue(tree.size);
    this.places = new HashQueue(tree.size);
    this.roots.set(tree.size, tree.root());
  }

  /** Returns whether there were leaves before. */
  get hasLeaves(): boolean {
    return this.chained > 0;
  }

  /** Root over the events up to a size; `undefined` if no leaves end there, or so many followed that it is no longer kept. */
  rootAt(size: number): Buffer | undefined {
    return this.roots.get(size);
  }

  /** Returns the flaw at the end of the events. */
  atEnd(): string | undefined {
    return this.gone.size > 0 ? `there are no leaves of the expired event ${[...this.gone][0]}` : undefined;
  }

  expired({ index, hash }: ExpiredLine): string | undefined {
    this.gone.add(index);
    return this.add(index, Buffer.from(hash, 'hex'), placeHash('', 0));
  }

  chainedEvent(line: EventLine & Readonly<{ index: number }>): string | undefined {
    if (!isChained(line.stream)) return 'is of a stream whose events are not chained';
    const leaf = leafOfLine(line);
    if (leaf.toString('hex') !== line.hash) return 'the event does not have this hash';
    return this.add(line.index, leaf, placeHash(line.stream, line.revision));
  }

  private add(index: number, leaf: Buffer, place: Buffer): string | undefined {
    if (index !== this.tree.size) return `index ${index} stands where ${this.tree.size} should`;
    this.tree.append(leaf);
    this.hashes.add(leaf);
    this.places.add(place);
    return undefined;
  }

  /** Returns whether the events of these leaves have been read. */
  covers({ from, count }: LeavesChained): boolean {
    return from + count <= this.tree.size;
  }

  /** @returns a flaw, or the streams of expired events named by these leaves */
  leavesChained(chained: LeavesChained): string | readonly StreamGap[] {
    if (chained.from + chained.count <= this.chained) return []; // leaves of a part that the log already holds
    if (chained.from !== this.chained) return `leaves from ${chained.from} stand where those from ${this.chained} should`;
    const lost = new Map<string, number>();
    const found = [...leavesIn(chained)];
    for (const leaf of found) {
      const flaw = this.leaf(leaf, lost);
      if (flaw) return flaw;
    }
    if (found.length !== chained.count || this.leaves.encode() !== chained.frontier) return 'the leaves do not give this tree';
    this.chained += chained.count;
    this.hashes.dropBefore(this.chained);
    this.places.dropBefore(this.chained);
    this.remember(this.chained, this.leaves.root());
    return [...lost].map(([stream, next]) => ({ stream, next }));
  }

  private leaf({ index, hash, stream, revision }: Leaf, lost: Map<string, number>): string | undefined {
    if (!this.hashes.has(index, hash)) return `leaf ${index} is not that of its event`;
    this.leaves.append(hash);
    if (!this.gone.delete(index))
      return this.places.has(index, placeHash(stream, revision)) ? undefined : `leaf ${index} names another place than that of its event`;
    if (!mayExpire(stream)) return `event ${index} is missing: events of its stream do not expire`;
    lost.set(stream, Math.max(lost.get(stream) ?? 0, revision + 1));
    return undefined;
  }

  private remember(size: number, root: Buffer): void {
    this.roots.set(size, root);
    for (const oldest of this.roots.keys()) if (this.roots.size > ROOTS) this.roots.delete(oldest);
  }

  anchor({ size, root }: Anchor): string | undefined {
    const known = this.roots.get(size);
    return known !== undefined && known.toString('hex') !== root ? `the anchor of size ${size} is not that of these events` : undefined;
  }
}
