import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import { type Anchor, type Leaf, type LeavesChained, leavesIn } from '#domain/integrity/integrity-events.js';
import type { Frontier } from '#domain/integrity/merkle.js';
import { sha256Bytes } from '#domain/shared/sha256.js';
import { type EventLine, type ExpiredLine, leafOfLine } from './export-lines.js';
import { HashQueue } from './hash-queue.js';

/** Roots are kept of so many sizes, for the anchors that follow them. */
const ROOTS = 1_000;

/** Stands for where an event is. */
const placeHash = (stream: string, revision: number): Buffer => sha256Bytes(`${revision} ${stream}`);

/** Events of streams that lose events: where their streams go on. */
export type StreamGap = Readonly<{ stream: string; next: number }>;

/**
 * Checks the lines of an export against each other: every hash by its event, leaves that the log keeps by these hashes and places, anchors by the roots
 * that come of them. A flaw is returned as a clause after the number of the line. Memory: the hashes of events whose leaves have not come yet.
 */
export class ChainCheck {
  private readonly hashes: HashQueue;
  private readonly places: HashQueue;
  /** Indices of expired events whose leaves have not come yet. */
  private readonly gone = new Set<number>();
  private readonly roots = new Map<number, Buffer>();

  constructor(
    /** Over what has been checked. */
    readonly tree: Frontier,
    /** Size of the chain as far as its leaves have come. */
    private chained = tree.size,
    private readonly leaves = tree.copy(),
  ) {
    this.hashes = new HashQueue(tree.size);
    this.places = new HashQueue(tree.size);
    this.roots.set(tree.size, tree.root());
  }

  /** Whether leaves stand before. */
  get hasLeaves(): boolean {
    return this.chained > 0;
  }

  /** Over the events up to a size; `undefined`: no leaves end there, or so many of them came since that it is forgotten. */
  rootAt(size: number): Buffer | undefined {
    return this.roots.get(size);
  }

  /** Flaw at the end of the events. */
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

  /** Whether the events of these leaves have come. */
  covers({ from, count }: LeavesChained): boolean {
    return from + count <= this.tree.size;
  }

  /** @returns a flaw, or the streams of expired events that these leaves name */
  leavesChained(chained: LeavesChained): string | readonly StreamGap[] {
    if (chained.from + chained.count <= this.chained) return []; // of a part of the log that is there already
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
