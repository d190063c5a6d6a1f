import { crc32 } from 'node:zlib';
import { lengthAfter } from './delta.js';

/** Place of a record in its build file. */
export type FileRange = Readonly<{ offset: number; length: number }>;

/** A version in a record. `version`: its index among several, counted from the oldest. Default: the newest. */
export type VersionPlace = FileRange & Readonly<{ version?: number }>;

/** A version of a document to be read. `name`: `collection\0key`. */
export type WantedDocument = Readonly<{ name: string; place: VersionPlace }>;

/** An older record of the same key. */
export type Jump = FileRange & Readonly<{ position: number }>;

/** Positions are stored as 6-byte integers; greater ones are stored as this one. */
export const MAX_POSITION = 2 ** 48 - 1;

export const numberOf = (position: bigint): number => (position > MAX_POSITION ? MAX_POSITION : Number(position));

/** Index entry of a key: the place of its newest record, and the positions that the key covers. */
export type Entry = FileRange &
  Readonly<{
    isAlive: boolean;
    /** Position of the newest record. */
    last: number;
    /** Position of the first record. */
    birth: number;
    /** Position at which the document was last created or removed. */
    since: number;
    /** Number of earlier records of the key; if no past is kept, of those that its text consists of. */
    number: number;
    /** Present in memory if the newest record is a piece. */
    chain?: Chain;
  }>;

/** Consecutive deltas and pieces up to a version, their bytes, and the length of its text. */
export type Chain = Readonly<{ deltas: number; deltaBytes: number; length: number }>;

/** The position of a record, and links to older records of the same key. */
export type Links = Readonly<{ position: number; before: FileRange | undefined; jumps: readonly Jump[] }>;

/** Stored version of a document: its text, a delta against the version before, a piece after its text (see `encodePiece`), or its removal. */
export type DocumentVersion<Body = Buffer> = Readonly<{ position: number; kind: 'whole' | 'delta' | 'piece' | 'gone'; body: Body }>;

/** The versions of a document from one commit, with position and kind of the newest. */
export type DocumentRecord = Links &
  Readonly<{
    kind: DocumentVersion['kind'];
    /** `collection\0key`. */
    name: string;
    /** Body of the only version; for several versions use `versionsBack`. */
    body: Buffer;
    isRun: boolean;
    /** Consecutive deltas and pieces up to the newest version, and their bytes. */
    deltas: number;
    deltaBytes: number;
    birth: number;
    since: number;
    number: number;
  }>;

/** A record with its place in its build. */
export type PlacedRecord = FileRange & Readonly<{ record: DocumentRecord }>;

/** Stored data do not match their checksum or form. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

export const KINDS = ['gone', 'whole', 'delta', 'piece'] as const;
export const HEAD_BYTES = 50;
const JUMP_BYTES = 16;
const CHECKSUM_BYTES = 4;
const COUNT_BYTES = 4;
const LENGTH_BYTES = 6;
/** Head of a version in a run: its position, kind and length. */
export const VERSION_BYTES = 11;

/** Length of the text in bytes. */
export const lengthOf = (body: Buffer | string): number => (typeof body === 'string' ? Buffer.byteLength(body) : body.length);

/** Body of a piece: the length of the text with it, then the piece. */
export const encodePiece = (length: number, piece: Buffer): Buffer => {
  const body = Buffer.allocUnsafe(LENGTH_BYTES + piece.length);
  body.writeUIntLE(length, 0, LENGTH_BYTES);
  piece.copy(body, LENGTH_BYTES);
  return body;
};

export const pieceIn = (body: Buffer): Buffer => body.subarray(LENGTH_BYTES);

/** Length of the text of a version, in bytes. */
export const textLengthOf = ({ kind, body }: DocumentVersion): number => {
  if (kind === 'piece') return body.readUIntLE(0, LENGTH_BYTES);
  return kind === 'delta' ? lengthAfter(body) : body.length;
};

/** Bytes of a record with a whole text. */
export const wholeBytes = (name: string, length: number): number => HEAD_BYTES + Buffer.byteLength(name) + length;

/** Returns where the body ends. */
const writeBody = (bytes: Buffer, body: Buffer | string, at: number): number =>
  at + (typeof body === 'string' ? bytes.write(body, at) : body.copy(bytes, at));

/** Body of a record with several versions, oldest first. */
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

/** Index of the version valid at a position, counted from the oldest; -1 if all are later. */
export const versionIn = (record: DocumentRecord, position: number): number => {
  let [low, high] = [0, countIn(record)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positionAt(record, middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** Yields the versions of a record backwards. The default start is the newest. Bodies share the memory of the record. @throws Damaged */
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

/** @param body a text is encoded in place */
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

/** Stored length of a record. */
export const recordLength = ({ jumps, name, body }: DocumentRecord): number => wholeBytes(name, jumps.length * JUMP_BYTES + body.length);

/** Length of the record at this offset; `undefined` if its head is incomplete. */
export const lengthAt = (bytes: Buffer, at: number): number | undefined => {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  return HEAD_BYTES + (bytes[at + 6] ?? 0) * JUMP_BYTES + bytes.readUInt16LE(at + 8) + bytes.readUInt32LE(at + 42);
};

/** Name of a whole record at this offset. */
export const nameIn = (bytes: Buffer, at: number): string => {
  const nameAt = at + HEAD_BYTES + (bytes[at + 6] ?? 0) * JUMP_BYTES;
  return bytes.toString('utf8', nameAt, nameAt + bytes.readUInt16LE(at + 8));
};

/** Length of the text of a record with one whole text. @param length that of the record @throws Damaged it is another one */
export const bodyLengthIn = (head: Buffer, length: number): number | undefined => {
  if (lengthAt(head, 0) !== length) throw new Damaged('a record');
  return head[4] === KINDS.indexOf('whole') && head[7] === 0 ? head.readUInt32LE(42) : undefined;
};

/** Returns whether a whole record passes its checksum. */
export const isSound = (record: Buffer): boolean =>
  lengthAt(record, 0) === record.length && crc32(record.subarray(CHECKSUM_BYTES)) === record.readUInt32LE(0);

/** The body shares the memory of `bytes`. @throws Damaged */
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

/** @throws Damaged, also if it is a record of another document */
export const decodeRecordOf = (name: string, bytes: Buffer): DocumentRecord => {
  const record = decodeRecord(bytes);
  if (record.name !== name) throw new Damaged('a record of another document');
  return record;
};

/** Reads only the links of a record. The record must have been checked before. */
export const linksIn = (bytes: Buffer): Links => {
  const jumps: Jump[] = [];
  for (let index = 0; index < (bytes[6] ?? 0); index++) {
    const at = HEAD_BYTES + index * JUMP_BYTES;
    jumps.push({ offset: bytes.readUIntLE(at, 6), length: bytes.readUInt32LE(at + 6), position: bytes.readUIntLE(at + 10, 6) });
  }
  const before = { offset: bytes.readUIntLE(32, 6), length: bytes.readUInt32LE(38) };
  return { position: bytes.readUIntLE(10, 6), before: before.length === 0 ? undefined : before, jumps };
};

/** Index entry of a record at this offset. */
export const entryOf = (record: Omit<DocumentRecord, 'body'>, offset: number, length: number): Entry => ({
  offset,
  length,
  isAlive: record.kind !== 'gone',
  last: record.position,
  birth: record.birth,
  since: record.since,
  number: record.number,
});
