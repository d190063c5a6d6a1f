import { crc32 } from 'node:zlib';
import { applyDelta, deltaOf, SHORTEST_COPY } from './delta.js';

/** Positions and document numbers are plain numbers of at most 6 bytes in this folder. */
export const MAX_NUMBER = 2 ** 48 - 1;
const NUMBER_BYTES = 6;
const CHECKSUM_BYTES = 4;

/** The newest state of a document, and what finds its earlier ones. */
export type DocumentRecord = Readonly<{
  isAlive: boolean;
  /** Whether the key begins a span, and of how many levels; see spans.ts. */
  level: number;
  /** Under which its earlier versions are stored. */
  number: number;
  /** Position of its first version. */
  birth: number;
  /** Position of its last birth or death. */
  since: number;
  /** Position of its newest state. */
  last: number;
  /** Versions before the newest one that are stored as deltas, without a whole text between them, and their bytes. */
  deltas: number;
  deltaBytes: number;
  /** Empty unless it is alive, and where the reader did not want it. */
  text: Buffer;
}>;

const HEADER_BYTES = 32;
export const NO_TEXT = Buffer.alloc(0);

export const encodeRecord = (record: DocumentRecord): Buffer => {
  const { text } = record;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + text.length + CHECKSUM_BYTES);
  bytes[0] = (record.isAlive ? 1 : 0) | (record.level << 1);
  bytes.writeUIntLE(record.number, 1, NUMBER_BYTES);
  bytes.writeUIntLE(record.birth, 7, NUMBER_BYTES);
  bytes.writeUIntLE(record.since, 13, NUMBER_BYTES);
  bytes.writeUIntLE(record.last, 19, NUMBER_BYTES);
  bytes[25] = record.deltas;
  bytes.writeUIntLE(record.deltaBytes, 26, NUMBER_BYTES);
  text.copy(bytes, HEADER_BYTES);
  const end = HEADER_BYTES + text.length;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return bytes;
};

/** Something in the history does not read as it was written. */
export class DamagedHistory extends Error {
  override readonly name = 'DamagedHistory';
}

/** @param asOf copies the text only if it is the state at this position. @throws DamagedHistory */
export const decodeRecord = (bytes: Buffer, length: number, asOf: number): DocumentRecord => {
  if (length < HEADER_BYTES + CHECKSUM_BYTES) throw new DamagedHistory('the record of a document');
  const first = bytes[0] ?? 0;
  const record = {
    isAlive: (first & 1) === 1,
    level: first >> 1,
    number: bytes.readUIntLE(1, NUMBER_BYTES),
    birth: bytes.readUIntLE(7, NUMBER_BYTES),
    since: bytes.readUIntLE(13, NUMBER_BYTES),
    last: bytes.readUIntLE(19, NUMBER_BYTES),
    deltas: bytes[25] ?? 0,
    deltaBytes: bytes.readUIntLE(26, NUMBER_BYTES),
    text: NO_TEXT,
  };
  if (!record.isAlive || record.last > asOf) return record;
  const end = length - CHECKSUM_BYTES;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) throw new DamagedHistory('a document');
  const text = Buffer.allocUnsafe(end - HEADER_BYTES);
  text.set(bytes.subarray(HEADER_BYTES, end));
  return { ...record, text };
};

/** A version that is not the newest: a whole text, the changes that make it of the version after it, or that there was no document. */
export type StoredVersion = Readonly<{ kind: 'gone' } | { kind: 'whole'; body: Buffer } | { kind: 'delta'; body: Buffer }>;

const [GONE, WHOLE, DELTA] = [0, 1, 2];
export const GONE_VERSION: StoredVersion = { kind: 'gone' };

export const encodeVersion = (version: StoredVersion): Buffer => {
  const body = version.kind === 'gone' ? NO_TEXT : version.body;
  const bytes = Buffer.allocUnsafe(1 + body.length + CHECKSUM_BYTES);
  bytes[0] = version.kind === 'gone' ? GONE : version.kind === 'whole' ? WHOLE : DELTA;
  body.copy(bytes, 1);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 1 + body.length)), 1 + body.length);
  return bytes;
};

/** Copies what it keeps. @throws DamagedHistory */
export const decodeVersion = (bytes: Buffer, length: number): StoredVersion => {
  const end = length - CHECKSUM_BYTES;
  if (end < 1 || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) throw new DamagedHistory('a version of a document');
  if (bytes[0] === GONE) return GONE_VERSION;
  const body = Buffer.allocUnsafe(end - 1);
  body.set(bytes.subarray(1, end));
  return { kind: bytes[0] === WHOLE ? 'whole' : 'delta', body };
};

/** So many deltas at most have to be applied to get at a version. */
const MOST_DELTAS = 32;
/** Deltas together are not longer than the text, or this. */
const SMALL = 512;

/** How the state before a new text is kept. */
export const supersededBy = (before: DocumentRecord, text: Buffer): StoredVersion => {
  const { deltas, deltaBytes, text: old } = before;
  if (old.length < SHORTEST_COPY || deltas >= MOST_DELTAS || deltaBytes > Math.max(SMALL, old.length)) return { kind: 'whole', body: old };
  const delta = deltaOf(text, old);
  return delta.length < old.length ? { kind: 'delta', body: delta } : { kind: 'whole', body: old };
};

/** @throws DamagedHistory */
export const restored = (base: Buffer, delta: Buffer): Buffer => {
  try {
    return applyDelta(base, delta);
  } catch (cause) {
    throw new DamagedHistory('a version of a document', { cause });
  }
};
