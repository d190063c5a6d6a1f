import type { Anchor } from '#domain/integrity/integrity-events.js';

export type AnchorPage = Readonly<{ order: 'asc' | 'desc'; after?: number | undefined; limit: number }>;

/** The anchors of the chain, by size. */
export interface Anchors {
  newest(): Promise<Anchor | null>;
  /** `null` if there is none of this size. */
  at(size: number): Promise<Anchor | null>;
  /** The oldest anchor that covers a leaf; `null` if there is none yet. */
  covering(index: number): Promise<Anchor | null>;
  /** Anchors after `after`, exclusive, in the direction of `order`. `signedAt`: time of the signature, by the clock of the signing node. */
  list(page: AnchorPage): Promise<readonly (Anchor & Readonly<{ signedAt: string }>)[]>;
}
