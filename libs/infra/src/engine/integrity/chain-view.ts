import type { Anchor, LeafPlace } from '#domain/integrity/integrity-events.js';
import type { StoredForm } from '#domain/integrity/leaf-text.js';
import type { Hash } from '#domain/integrity/merkle.js';
import type { Position } from '#domain/shared/events.js';

/** An event of the chain as auditors get it. Of an expired one, and of one that is missing, only the leaf is left. */
export type ChainedEvent =
  | (StoredForm & Readonly<{ index: number; position: string; hash: string }>)
  | Readonly<{ index: number; hash: string; expired: true }>
  | Readonly<{ index: number; hash: string; missing: true }>;

export type AnchorPage = Readonly<{ order: 'asc' | 'desc'; after?: number | undefined; limit: number }>;

/** The anchors of the chain, by size. */
export interface Anchors {
  newest(): Promise<Anchor | null>;
  /** `null`: there is none of this size. */
  at(size: number): Promise<Anchor | null>;
  /** The oldest anchor that covers a leaf. `null`: there is none yet. */
  covering(index: number): Promise<Anchor | null>;
  /** Those behind `after`, exclusive, in the direction of `order`. */
  list(page: AnchorPage): Promise<readonly Anchor[]>;
}

/** What the chain is, as far as this node has read it. Nothing here scans the log. */
export interface ChainView {
  /** Number of leaves. */
  readonly size: number;
  /** Position of the event of the last leaf, in this log; `0n`: there is none. */
  readonly position: Position;
  /** Log time of the last leaf; `null`: there is none. */
  readonly time: string | null;
  readonly anchors: Anchors;
  /** @throws RangeError the chain has no such leaf */
  leafAt(index: number): Promise<Hash>;
  /** Leaves from `from` on, at most `count`, fewer at the end of the chain. */
  leaves(from: number, count: number): Promise<readonly Hash[]>;
  /** Where the event of a leaf is, or was. @throws RangeError the chain has no such leaf */
  placeOf(index: number): Promise<LeafPlace>;
  /** The event of a leaf in its stored form. @throws RangeError the chain has no such leaf */
  eventAt(index: number): Promise<ChainedEvent>;
  /** Root of the tree over the first `size` leaves. @throws RangeError the chain is shorter */
  root(size: number): Promise<Hash>;
  /** RFC 9162 2.1.3. @throws RangeError the chain is shorter, or the leaf is not in it */
  inclusionPath(index: number, size: number): Promise<readonly Hash[]>;
  /** RFC 9162 2.1.4. @throws RangeError the chain is shorter, or `from` is not between 1 and `to` */
  consistencyPath(from: number, to: number): Promise<readonly Hash[]>;
  /** Waits until all that was appended up to a position is chained. False: it took longer. */
  reached(position: Position, timeoutMs: number): Promise<boolean>;
}
