import type { Database } from 'lmdb';
import type { Anchor } from '#domain/integrity/integrity-events.js';

/** `signedAt`: time of the signature, by the clock of the signing node. */
export type SignedAnchor = Readonly<{ anchor: Anchor; signedAt: string }>;

type ListedAnchor = Anchor & Pick<SignedAnchor, 'signedAt'>;

/** The anchors of the chain, by size. */
export class Anchors {
  constructor(private readonly stored: Pick<Database<SignedAnchor, number>, 'get' | 'getRange'>) {}

  newest(): ListedAnchor | null {
    return this.list({ order: 'desc', limit: 1 })[0] ?? null;
  }

  /** `null` if there is none of this size. */
  at(size: number): Anchor | null {
    return this.stored.get(size)?.anchor ?? null;
  }

  /** The oldest anchor that covers a leaf; `null` if there is none yet. */
  covering(index: number): Anchor | null {
    const [oldest] = this.list({ order: 'asc', after: index, limit: 1 });
    return oldest ? this.at(oldest.size) : null;
  }

  /** Anchors after `after`, exclusive, in the direction of `order`. */
  list({ order, after, limit }: Readonly<{ order: 'asc' | 'desc'; after?: number | undefined; limit: number }>): readonly ListedAnchor[] {
    const isDown = order === 'desc';
    const start = after === undefined ? (isDown ? Number.MAX_SAFE_INTEGER : 0) : after + (isDown ? -1 : 1);
    const found = this.stored.getRange({ start, reverse: isDown, limit });
    return Array.from(found, ({ value: { anchor, signedAt } }) => ({ ...anchor, signedAt }));
  }
}
