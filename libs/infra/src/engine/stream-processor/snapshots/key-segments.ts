import { hash } from 'node:crypto';
import { shortSlice } from '#infra/engine/stream-processor/short-slice.js';
import type { KeyUse } from '#infra/engine/stream-processor/used-keys.js';
import { sortInSlices } from '#projections/shared/sort-in-slices.js';

// The idempotency keys of a long stream are stored in segments, oldest first. A segment has two parts in the same order: the first 8 bytes
// of SHA-256 of each key, sorted, and the uses of the keys, 36 bytes each. Only the first part must be in memory.
const KEY_BYTES = 8;
const BODY_BYTES = 16;
const USE_BYTES = BODY_BYTES + 20;

/** Prefix of a body's digest, which stands for the body itself. */
const DIGEST = '#';

export const bodyDigest = (body: string): string => DIGEST + hash('sha256', body, 'buffer').subarray(0, BODY_BYTES).toString('base64url');

/** Returns whether a command with this body is the one of that use. */
export const isSameBody = (use: Pick<KeyUse, 'body'>, body: string): boolean =>
  use.body === body || (use.body.startsWith(DIGEST) && use.body === bodyDigest(body));

/** First bytes of a key's hash, under which it is found in segments. */
export const fingerprintOf = (key: string): Buffer => hash('sha256', key, 'buffer').subarray(0, KEY_BYTES);

export type KeyedUse = readonly [key: string, use: KeyUse];

/** Keys in the order of their fingerprints, and their uses. */
export type KeySegment = Readonly<{ keys: Buffer; uses: Buffer }>;

const NO_KEYS: KeySegment = { keys: Buffer.alloc(0), uses: Buffer.alloc(0) };

/**
 * Merges these keys with those of another segment, in slices; the newer use of a key wins.
 * @param added each key once
 */
export const segmentOf = async (added: readonly KeyedUse[], before = NO_KEYS): Promise<KeySegment> => {
  const slice = shortSlice();
  const sorted: { fingerprint: Buffer; use: KeyUse }[] = [];
  for (const [key, use] of added) {
    sorted.push({ fingerprint: fingerprintOf(key), use });
    if (slice.isOver) await slice.next();
  }
  await sortInSlices(sorted, (one, other) => one.fingerprint.compare(other.fingerprint), slice);
  const most = countOf(before.keys) + sorted.length;
  const [keys, uses] = [Buffer.allocUnsafe(most * KEY_BYTES), Buffer.allocUnsafe(most * USE_BYTES)];
  let [count, taken] = [0, 0];
  const takeUpTo = (place: number): void => {
    before.keys.copy(keys, count * KEY_BYTES, taken * KEY_BYTES, place * KEY_BYTES);
    before.uses.copy(uses, count * USE_BYTES, taken * USE_BYTES, place * USE_BYTES);
    count += place - taken;
  };
  for (const { fingerprint, use } of sorted) {
    const place = firstNotBefore(before.keys, fingerprint);
    takeUpTo(place);
    taken = isAt(before.keys, place, fingerprint) ? place + 1 : place;
    fingerprint.copy(keys, count * KEY_BYTES);
    packed(use).copy(uses, count * USE_BYTES);
    count += 1;
    if (slice.isOver) await slice.next();
  }
  takeUpTo(countOf(before.keys));
  return { keys: keys.subarray(0, count * KEY_BYTES), uses: uses.subarray(0, count * USE_BYTES) };
};

const isAt = (keys: Buffer, place: number, fingerprint: Buffer): boolean =>
  place < countOf(keys) && keys.compare(fingerprint, 0, KEY_BYTES, place * KEY_BYTES, (place + 1) * KEY_BYTES) === 0;

/** Binary search: index of the first key at or after the fingerprint; their number if there is none. */
const firstNotBefore = (keys: Buffer, fingerprint: Buffer): number => {
  const [first, second] = [fingerprint.readUInt32BE(0), fingerprint.readUInt32BE(4)];
  let [low, high] = [0, countOf(keys)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = keys.readUInt32BE(middle * KEY_BYTES);
    if (found < first || (found === first && keys.readUInt32BE(middle * KEY_BYTES + 4) < second)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Index of a key in the sorted keys of a segment; -1 if it is absent. */
export const placeOf = (keys: Buffer, fingerprint: Buffer): number => {
  const place = firstNotBefore(keys, fingerprint);
  return isAt(keys, place, fingerprint) ? place : -1;
};

export const countOf = (keys: Buffer): number => keys.length / KEY_BYTES;

/** Returns whether both parts belong to the same keys. */
export const isWhole = ({ keys, uses }: KeySegment): boolean => uses.length === countOf(keys) * USE_BYTES;

const useAt = (uses: Buffer, place: number): Buffer => uses.subarray(place * USE_BYTES, (place + 1) * USE_BYTES);

const packed = ({ body, first, count, time }: KeyUse): Buffer => {
  const bytes = Buffer.alloc(USE_BYTES);
  const digest = body.startsWith(DIGEST) ? body : bodyDigest(body);
  bytes.write(digest.slice(DIGEST.length), 0, 'base64url');
  bytes.writeBigUInt64BE(first, BODY_BYTES);
  bytes.writeUInt32BE(count, BODY_BYTES + 8);
  bytes.writeDoubleBE(time, BODY_BYTES + 12);
  return bytes;
};

/** Known use of the key at an index. */
export const useOf = ({ uses }: KeySegment, place: number): KeyUse => {
  const bytes = useAt(uses, place);
  return {
    body: DIGEST + bytes.toString('base64url', 0, BODY_BYTES),
    first: bytes.readBigUInt64BE(BODY_BYTES),
    count: bytes.readUInt32BE(BODY_BYTES + 8),
    time: bytes.readDoubleBE(BODY_BYTES + 12),
  };
};
