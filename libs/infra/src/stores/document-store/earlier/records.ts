import { crc32 } from 'node:zlib';
import { applyDelta } from '#infra/stores/document-store/texts/delta.js';
import { Damaged } from '#infra/stores/document-store/texts/record.js';

const NUMBER_BYTES = 6;
const HEADER_BYTES = 32;
const CHECKSUM_BYTES = 4;

/** Newest state of a document. `number`: identifies its earlier versions. `text`: null if the document was removed. */
export type NewestVersion = Readonly<{ number: number; position: number; text: Buffer | null }>;

/** Returns a copy, because the memory belongs to LMDB. */
const soundBody = (bytes: Buffer, start: number, what: string): Buffer => {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < start || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) throw new Damaged(what);
  return Buffer.from(bytes.subarray(start, end));
};

/** @throws Damaged */
export const decodeNewest = (bytes: Buffer): NewestVersion => {
  const text = soundBody(bytes, HEADER_BYTES, 'a document of the earlier history');
  const isAlive = ((bytes[0] ?? 0) & 1) === 1;
  return { number: bytes.readUIntLE(1, NUMBER_BYTES), position: bytes.readUIntLE(19, NUMBER_BYTES), text: isAlive ? text : null };
};

/** A version that is not the newest: a whole text, a delta against the version after it, or the mark that the document did not exist. */
export type StoredVersion = Readonly<{ kind: 'gone' | 'whole' | 'delta'; body: Buffer }>;

const KINDS = ['gone', 'whole', 'delta'] as const;

/** @throws Damaged */
export const decodeVersion = (bytes: Buffer): StoredVersion => {
  const body = soundBody(bytes, 1, 'a version of the earlier history');
  const kind = KINDS[bytes[0] ?? 0];
  if (!kind) throw new Damaged('a version of the earlier history');
  return { kind, body };
};

/** Text of a version. @param after text of the version after it; null if the document did not exist @throws Damaged */
export const textOf = ({ kind, body }: StoredVersion, after: Buffer | null): Buffer | null => {
  if (kind === 'gone') return null;
  if (kind === 'whole') return body;
  try {
    if (after) return applyDelta(after, body);
  } catch {} // the delta belongs to another text
  throw new Damaged('a version of the earlier history');
};

/** Number of the document and the position from which the version was valid. Keys sort by both. */
export type VersionKey = [document: number, position: number];

export const versionKeyEncoder = {
  writeKey([document, position]: VersionKey, target: Buffer, at: number): number {
    target.writeUIntBE(document, at, NUMBER_BYTES);
    target.writeUIntBE(position, at + NUMBER_BYTES, NUMBER_BYTES);
    return at + 2 * NUMBER_BYTES;
  },
  readKey: (source: Buffer, start: number): VersionKey => [
    source.readUIntBE(start, NUMBER_BYTES),
    source.readUIntBE(start + NUMBER_BYTES, NUMBER_BYTES),
  ],
};
