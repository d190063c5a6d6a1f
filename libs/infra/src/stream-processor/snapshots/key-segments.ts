import { hash } from 'node:crypto';
import type { KeyUse } from '#infra/stream-processor/used-keys.js';

// The idempotency keys of a long stream are kept in segments, oldest first. A segment is the sorted first halves of SHA-256 of the keys, 8 bytes
// each, and in the same order what is known of their use: 36 bytes each. Only the first part has to be in memory.
const KEY_BYTES = 8;
const BODY_BYTES = 16;
const USE_BYTES = BODY_BYTES + 20;

/** Begins the digest of a body, which stands for the body itself. */
const DIGEST = '#';

export const bodyDigest = (body: string): string => DIGEST + hash('sha256', body, 'buffer').subarray(0, BODY_BYTES).toString('base64url');

/** Whether a command with this body is the one of that use. */
export const isSameBody = (use: Pick<KeyUse, 'body'>, body: string): boolean =>
  use.body === body || (use.body.startsWith(DIGEST) && use.body === bodyDigest(body));

const fingerprintOf = (key: string): bigint => hash('sha256', key, 'buffer').readBigUInt64BE();

export type KeyedUse = readonly [key: string, use: KeyUse];

/** Keys in the order of their fingerprints, and their uses. */
export type Segment = Readonly<{ keys: Buffer; uses: Buffer }>;

const compare = (one: readonly [bigint, Buffer], other: readonly [bigint, Buffer]): number =>
  one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0;

/** A segment of these keys and those of another one, in whose place a newer use of a key counts. */
export const segmentOf = (uses: readonly KeyedUse[], before?: Segment): Segment => {
  const entries = new Map<bigint, Buffer>();
  const earlier = before ? before.keys.length / KEY_BYTES : 0;
  for (let place = 0; place < earlier; place += 1)
    entries.set(before?.keys.readBigUInt64BE(place * KEY_BYTES) ?? 0n, useAt(before?.uses ?? Buffer.alloc(0), place));
  for (const [key, use] of uses) entries.set(fingerprintOf(key), packed(use));
  const sorted = [...entries].sort(compare);
  const keys = Buffer.alloc(sorted.length * KEY_BYTES);
  for (const [place, [fingerprint]] of sorted.entries()) keys.writeBigUInt64BE(fingerprint, place * KEY_BYTES);
  return { keys, uses: Buffer.concat(sorted.map(([, use]) => use)) };
};

/** Index of a key in the sorted keys of a segment; -1 if it is not there. */
export const placeOf = (keys: Buffer, key: string): number => {
  const wanted = fingerprintOf(key);
  let [low, high] = [0, keys.length / KEY_BYTES - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = keys.readBigUInt64BE(middle * KEY_BYTES);
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

export const countOf = (keys: Buffer): number => keys.length / KEY_BYTES;

/** Whether both parts are of the same keys. */
export const isWhole = ({ keys, uses }: Segment): boolean => uses.length === countOf(keys) * USE_BYTES;

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

/** What is known of the key at an index. */
export const useOf = ({ uses }: Segment, place: number): KeyUse => {
  const bytes = useAt(uses, place);
  return {
    body: DIGEST + bytes.toString('base64url', 0, BODY_BYTES),
    first: bytes.readBigUInt64BE(BODY_BYTES),
    count: bytes.readUInt32BE(BODY_BYTES + 8),
    time: bytes.readDoubleBE(BODY_BYTES + 12),
  };
};
