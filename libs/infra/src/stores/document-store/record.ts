import { crc32 } from 'node:zlib';

/** Place of a record in its build file. */
export type Place = Readonly<{ offset: number; length: number }>;

/** A version in a record. `version`: which of several, counted from the oldest; without it the newest. */
export type VersionPlace = Place & Readonly<{ version?: number }>;

/** An older record of the same key, some versions back. */
export type Jump = Place & Readonly<{ position: number }>;

/** Positions are plain numbers of 6 bytes here; greater ones count as this one. */
export const MAX_POSITION = 2 ** 48 - 1;

export const numberOf = (position: bigint): number => (position > MAX_POSITION ? MAX_POSITION : Number(position));

/** Index entry of a key: the place of its newest record, and the positions that it covers. */
export type Entry = Place &
  Readonly<{
    isAlive: boolean;
    /** Position of the newest record. */
    last: number;
    /** Position of the first one. */
    birth: number;
    /** Position of the last birth or death. */
    since: number;
    /** Records of the key before it. */
    number: number;
  }>;

/** The position of a record, and older ones of the same key. */
export type Links = Readonly<{ position: number; before: Place | undefined; jumps: readonly Jump[] }>;

/** A version of a document, as it is stored: its text, or how to make it of the version before; or that it was removed. */
export type DocumentVersion<Body = Buffer> = Readonly<{ position: number; kind: 'whole' | 'delta' | 'gone'; body: Body }>;

/** The versions that one commit made of a document, with what is to be known of the newest of them: its position and its kind. */
export type DocumentRecord = Links &
  Readonly<{
    kind: DocumentVersion['kind'];
    /** `collection\0key`. */
    name: string;
    /** Of the only version; of several `versionsBack` tells. */
    body: Buffer;
    isRun: boolean;
    /** Deltas in a row up to the newest version, and their bytes. */
    deltas: number;
    deltaBytes: number;
    birth: number;
    since: number;
    number: number;
  }>;

/** Something does not read as it was written. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const KINDS = ['gone', 'whole', 'delta'] as const;
const HEAD_BYTES = 50;
const JUMP_BYTES = 16;
const CHECKSUM_BYTES = 4;
const COUNT_BYTES = 4;
/** Of a version in a run: its position, kind and length. */
export const VERSION_BYTES = 11;

/** Bytes of a text. */
export const lengthOf = (body: Buffer | string): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.length);

/** Returns where the body ends. */
const writeBody = (bytes: Buffer, body: Buffer | string, at: number): number =>
  at + (typeof body === 'string' ? bytes.write(body, at) : body.copy(bytes, at));

/** The body of a record of several versions, the oldest first. */
export const encodeRun = (versions: readonly DocumentVersion<Buffer | string>[]): Buffer => {
  const lengths = versions.map(({ body }) => lengthOf(body));
  let bodyAt = rowAt(versions.length);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, bodyAt));
  bytes.writeUInt32LE(versions.length, 0);
  for (const [index, { position, kind, body }] of versions.entries()) {
    const at = rowAt(index);
    bytes.writeUIntLE(position, at, 6);
    bytes[at + 6] = KINDS.indexOf(kind);
    bytes.writeUInt32LE(lengths[index] ?? 0, at + 7);
    bodyAt = writeBody(bytes, body, bodyAt);
  }
  return bytes;
};

const countIn = ({ isRun, body }: DocumentRecord): number => (isRun ? body.readUInt32LE(0) : 1);
const rowAt = (version: number): number => COUNT_BYTES + version * VERSION_BYTES;
const positionAt = ({ isRun, position, body }: DocumentRecord, version: number): number =>
  isRun ? body.readUIntLE(rowAt(version), 6) : position;

/** The version that held at a position, counted from the oldest; -1: all are later. */
export const versionIn = (record: DocumentRecord, position: number): number => {
  let [low, high] = [0, countIn(record)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positionAt(record, middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The versions of a record back from one of them, default the newest. Their bodies lie in its memory. @throws Damaged */
export function* versionsBack(record: DocumentRecord, from = countIn(record) - 1): Generator<DocumentVersion> {
  const { isRun, body } = record;
  if (!isRun) return yield record;
  let end = body.length;
  for (let version = countIn(record) - 1; version >= 0; version--) {
    const kind = KINDS[body[rowAt(version) + 6] ?? KINDS.length];
    if (!kind) throw new Damaged('a record of several versions');
    const start = end - body.readUInt32LE(rowAt(version) + 7);
    if (version <= from) yield { position: positionAt(record, version), kind, body: body.subarray(start, end) };
    end = start;
  }
}

/** @param body as a text it is made bytes in its place */
export const encodeRecord = (record: Omit<DocumentRecord, 'body'>, body: Buffer | string): Buffer => {
  const { name, before, jumps } = record;
  const nameBytes = Buffer.byteLength(name);
  const bodyBytes = lengthOf(body);
  const nameAt = HEAD_BYTES + jumps.length * JUMP_BYTES;
  const bytes = Buffer.allocUnsafe(nameAt + nameBytes + bodyBytes);
  bytes[4] = KINDS.indexOf(record.kind);
  bytes[5] = record.deltas;
  bytes[6] = jumps.length;
  bytes[7] = Number(record.isRun);
  bytes.writeUInt16LE(nameBytes, 8);
  bytes.writeUIntLE(record.position, 10, 6);
  bytes.writeUIntLE(record.birth, 16, 6);
  bytes.writeUIntLE(record.since, 22, 6);
  bytes.writeUInt32LE(record.number, 28);
  bytes.writeUIntLE(before?.offset ?? 0, 32, 6);
  bytes.writeUInt32LE(before?.length ?? 0, 38);
  bytes.writeUInt32LE(bodyBytes, 42);
  bytes.writeUInt32LE(record.deltaBytes, 46);
  let at = HEAD_BYTES;
  for (const { offset, length, position } of jumps) {
    bytes.writeUIntLE(offset, at, 6);
    bytes.writeUInt32LE(length, at + 6);
    bytes.writeUIntLE(position, at + 10, 6);
    at += JUMP_BYTES;
  }
  bytes.write(name, nameAt);
  writeBody(bytes, body, nameAt + nameBytes);
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKSUM_BYTES)), 0);
  return bytes;
};

/** Length of the record that begins at a place; `undefined`: its head is not all there. */
export const lengthAt = (bytes: Buffer, at: number): number | undefined => {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  return HEAD_BYTES + (bytes[at + 6] ?? 0) * JUMP_BYTES + bytes.readUInt16LE(at + 8) + bytes.readUInt32LE(at + 42);
};

/** Whether a whole record is as it was written. */
export const isSound = (record: Buffer): boolean =>
  lengthAt(record, 0) === record.length && crc32(record.subarray(CHECKSUM_BYTES)) === record.readUInt32LE(0);

/** The body lies in the same memory. @throws Damaged */
export const decodeRecord = (bytes: Buffer): DocumentRecord => {
  const kind = KINDS[bytes[4] ?? 0];
  if (!kind || !isSound(bytes)) throw new Damaged('a record');
  const links = linksIn(bytes);
  const nameAt = HEAD_BYTES + links.jumps.length * JUMP_BYTES;
  const bodyAt = nameAt + bytes.readUInt16LE(8);
  return {
    kind,
    name: bytes.toString('utf8', nameAt, bodyAt),
    body: bytes.subarray(bodyAt),
    isRun: bytes[7] === 1,
    deltas: bytes[5] ?? 0,
    deltaBytes: bytes.readUInt32LE(46),
    birth: bytes.readUIntLE(16, 6),
    since: bytes.readUIntLE(22, 6),
    number: bytes.readUInt32LE(28),
    ...links,
  };
};

/** Links of a record, without reading the rest of it: for records that are known to be sound. */
export const linksIn = (bytes: Buffer): Links => {
  const jumps: Jump[] = [];
  for (let index = 0; index < (bytes[6] ?? 0); index++) {
    const at = HEAD_BYTES + index * JUMP_BYTES;
    jumps.push({ offset: bytes.readUIntLE(at, 6), length: bytes.readUInt32LE(at + 6), position: bytes.readUIntLE(at + 10, 6) });
  }
  const before = { offset: bytes.readUIntLE(32, 6), length: bytes.readUInt32LE(38) };
  return { position: bytes.readUIntLE(10, 6), before: before.length === 0 ? undefined : before, jumps };
};

/** The entry of a record that lies at an offset. */
export const entryOf = (record: Omit<DocumentRecord, 'body'>, offset: number, length: number): Entry => ({
  offset,
  length,
  isAlive: record.kind !== 'gone',
  last: record.position,
  birth: record.birth,
  since: record.since,
  number: record.number,
});
