import type { EventCatalogue } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';
import { HASH_BYTES } from './merkle.js';

export const LEAVES_CATEGORY = 'integrity.leaves';
export const ANCHORS_CATEGORY = 'integrity.anchors';
export const SIGNING_KEYS_CATEGORY = 'integrity.keys';

/** The leaves of all chained events, in log order. Appends with an exact expected revision fence off a second writer. */
export const LEAVES_STREAM = `${LEAVES_CATEGORY}-global`;
export const ANCHORS_STREAM = `${ANCHORS_CATEGORY}-global`;
export const SIGNING_KEYS_STREAM = `${SIGNING_KEYS_CATEGORY}-global`;

/** Maximum number of leaves in one event. */
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

/** Typed data of an event of {@link LEAVES_STREAM}. */
export const leavesOf = ({ data }: Readonly<{ data: JsonObject }>): LeavesChained => data as LeavesChained;

/** Size of the chain after an event of leaves. */
export const endOfLeaves = (event: Readonly<{ data: JsonObject }>): number => leavesOf(event).from + leavesOf(event).count;

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

/** Place of a leaf's event. */
export type LeafPlace = Readonly<{ stream: string; revision: number }>;

/** A leaf of 32 bytes and the place of its event. */
export type Leaf = LeafPlace & Readonly<{ index: number; hash: Buffer }>;

/** Places of leaves, in order. @param index of the first leaf to return */
export function* placesIn(
  { from, streams, runs }: Pick<LeavesChained, 'from' | 'streams' | 'runs'>,
  index = from,
): Generator<Omit<Leaf, 'hash'>, undefined> {
  let before = from;
  for (let at = 0; at + 2 < runs.length; at += 3) {
    const [name, first, count] = [runs[at], runs[at + 1], runs[at + 2]] as [number, number, number];
    for (let offset = Math.max(0, index - before); offset < count; offset++)
      yield { index: before + offset, stream: streams[name] ?? '', revision: first + offset };
    before += count;
  }
  return undefined;
}

/** Leaves of an event, in order; their hashes share one buffer. @param index of the first leaf to return */
export function* leavesIn(chained: LeavesChained, index = chained.from): Generator<Leaf, undefined> {
  const hashes = Buffer.from(chained.leaves, 'base64');
  for (const place of placesIn(chained, index)) {
    const at = (place.index - chained.from) * HASH_BYTES;
    yield { ...place, hash: hashes.subarray(at, at + HASH_BYTES) };
  }
  return undefined;
}

/** Place of one leaf. @param offset from 0, below `count` */
export const placeInRuns = ({ streams, runs }: Pick<LeavesChained, 'streams' | 'runs'>, offset: number): LeafPlace | undefined => {
  const place = placesIn({ from: 0, streams, runs }, offset).next().value;
  return place && { stream: place.stream, revision: place.revision };
};
