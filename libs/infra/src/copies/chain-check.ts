import { isChained } from '#domain/integrity/chained.js';
import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, type LeavesChained } from '#domain/integrity/integrity-events.js';
import type { Frontier } from '#domain/integrity/merkle.js';
import { type EventLine, type ExpiredLine, leafOfLine } from './export-lines.js';
import { HashQueue } from './hash-queue.js';
import { type Leaf, leavesIn, rootOf } from './leaves-log.js';

/** Roots are kept of so many sizes, for the anchors that follow them. */
const ROOTS = 1_000;

/** Events of streams that lose events: where their streams go on. */
export type Lost = Readonly<{ stream: string; next: number }>;

/**
 * Checks the lines of an export against each other: every hash by its event, leaves that the log keeps by these hashes, anchors by the roots that
 * come of them. A flaw is returned as a clause after the number of the line. Memory: the hashes of events whose leaves have not come yet.
 */
export class ChainCheck {
  private readonly hashes: HashQueue;
  /** Indices of expired events whose leaves have not come yet. */
  private readonly gone = new Set<number>();
  private readonly roots = new Map<number, string>();

  constructor(
    /** Over what has been checked. */
    readonly tree: Frontier,
    /** Size of the chain as far as its leaves have come. */
    private chained = tree.size,
    private readonly leaves = tree.copy(),
  ) {
    this.hashes = new HashQueue(tree.size);
  }

  expired({ index, hash }: ExpiredLine): string | undefined {
    return this.add(index, Buffer.from(hash, 'hex'), true);
  }

  chainedEvent(line: EventLine & Readonly<{ index: number }>): string | undefined {
    if (!isChained(line.stream)) return `events of stream ${line.stream} are not chained`;
    const leaf = leafOfLine(line);
    if (leaf.toString('hex') !== line.hash) return 'the event does not have this hash';
    return this.add(line.index, leaf, false);
  }

  /** @returns a flaw, or the streams of expired events that these leaves name */
  unchainedEvent({ stream, type, data }: EventLine): string | readonly Lost[] {
    if (isChained(stream)) return `events of stream ${stream} have an index`;
    if (stream === LEAVES_STREAM && type === 'LeavesChained') return this.leavesChained(data as unknown as LeavesChained);
    if (stream === ANCHORS_STREAM && type === 'AnchorSigned') return this.anchor(data as unknown as Anchor) ?? [];
    return [];
  }

  private add(index: number, leaf: Buffer, expired: boolean): string | undefined {
    if (index !== this.tree.size) return `index ${index} stands where ${this.tree.size} should`;
    this.tree.append(leaf);
    this.hashes.add(leaf);
    if (expired) this.gone.add(index);
    return undefined;
  }

  private leavesChained(chained: LeavesChained): string | readonly Lost[] {
    if (chained.from + chained.count <= this.chained) return []; // of a part of the log that is there already
    if (chained.from !== this.chained) return `leaves from ${chained.from} stand where those from ${this.chained} should`;
    if (chained.from + chained.count > this.tree.size) return 'there are leaves of events that do not stand before them';
    const lost = new Map<string, number>();
    const found = [...leavesIn(chained)];
    for (const leaf of found) {
      const flaw = this.leaf(leaf, lost);
      if (flaw) return flaw;
    }
    if (found.length !== chained.count || !this.leaves.root().equals(rootOf(chained.frontier))) return 'the leaves do not give this tree';
    this.chained += chained.count;
    this.hashes.dropBefore(this.chained);
    this.remember(this.chained, this.leaves.root().toString('hex'));
    return [...lost].map(([stream, next]) => ({ stream, next }));
  }

  private leaf({ index, hash, stream, revision }: Leaf, lost: Map<string, number>): string | undefined {
    if (!this.hashes.has(index, hash)) return `leaf ${index} is not that of its event`;
    this.leaves.append(hash);
    if (this.gone.delete(index)) lost.set(stream, Math.max(lost.get(stream) ?? 0, revision + 1));
    return undefined;
  }

  private remember(size: number, root: string): void {
    this.roots.set(size, root);
    for (const oldest of this.roots.keys()) if (this.roots.size > ROOTS) this.roots.delete(oldest);
  }

  private anchor({ size, root }: Anchor): string | undefined {
    const known = this.roots.get(size);
    return known !== undefined && known !== root ? `the anchor of size ${size} is not that of these events` : undefined;
  }
}
