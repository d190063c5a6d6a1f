import type { EventCatalogue } from '#domain/shared/catalogue.js';

export const LEAVES_CATEGORY = 'integrity.leaves';
export const ANCHORS_CATEGORY = 'integrity.anchors';
export const SIGNING_KEYS_CATEGORY = 'integrity.keys';

/** The leaves of all chained events, in log order. Its exact revision is what fences off a second writer. */
export const LEAVES_STREAM = `${LEAVES_CATEGORY}-global`;
export const ANCHORS_STREAM = `${ANCHORS_CATEGORY}-global`;
export const SIGNING_KEYS_STREAM = `${SIGNING_KEYS_CATEGORY}-global`;

/** Most leaves in one event. */
export const MAX_LEAVES = 4_096;

/** A number of chained events got their leaves. There are no positions in it: they differ after an import, stream and revision do not. */
export type LeavesChained = Readonly<{
  /** Index of the first leaf: the size of the chain before this event. */
  from: number;
  /** At least 1, at most {@link MAX_LEAVES}. */
  count: number;
  /** Base64 of the leaves, 32 bytes each, in log order. */
  leaves: string;
  /** Names of the streams of these events. */
  streams: readonly string[];
  /** Three numbers for each run of consecutive events of one stream: its place in `streams`, its first revision, the number of events. */
  runs: readonly number[];
  /** Log time of the last leaf: the greatest `time` of all chained events up to it. */
  time: string;
  /** Base64 of the peaks of the tree after these leaves, largest first (`Frontier.encode`). */
  frontier: string;
}>;

export type { Anchor } from './statement.js';

/** `keyId`: RFC 7638 thumbprint; `x`: the public key as in a JWK (base64url); `since`: an instant. */
export type SigningKeyIntroduced = Readonly<{ keyId: string; x: string; since: string }>;

/** Anchors are no longer signed with the key from `until` on; it goes on verifying those before. */
export type SigningKeyRetired = Readonly<{ keyId: string; until: string }>;

/** By category. */
export const integrityCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [LEAVES_CATEGORY]: { LeavesChained: {} },
  [ANCHORS_CATEGORY]: { AnchorSigned: {} },
  [SIGNING_KEYS_CATEGORY]: { SigningKeyIntroduced: {}, SigningKeyRetired: {} },
};

/** Where a leaf's event is. */
export type LeafPlace = Readonly<{ stream: string; revision: number }>;

/** The place of one leaf of these. @param offset from 0, below `count` */
export const placeInRuns = ({ streams, runs }: Pick<LeavesChained, 'streams' | 'runs'>, offset: number): LeafPlace | undefined => {
  let before = 0;
  for (let at = 0; at + 2 < runs.length; at += 3) {
    const [name, first, count] = [runs[at], runs[at + 1], runs[at + 2]] as [number, number, number];
    if (offset < before + count) return { stream: streams[name] ?? '', revision: first + offset - before };
    before += count;
  }
  return undefined;
};
