import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { ByteReader, ByteWriter } from '#infra/platform/binary/bytes.js';
import { Damaged, type DocumentRecord, type FileRange, KINDS, type PlacedRecord, recordLength } from '../texts/record.js';

/** Level of compression: higher ones take several times as long for a few per cent. */
const LEVEL = 1;
const CHECKSUM_BYTES = 4;

/** Stored form of a block: its checksum, and its bytes deflated. */
export const packed = (bytes: Buffer): Buffer => {
  const deflated = deflateRawSync(bytes, { level: LEVEL });
  const block = Buffer.allocUnsafe(CHECKSUM_BYTES + deflated.length);
  block.writeUInt32LE(crc32(deflated), 0);
  deflated.copy(block, CHECKSUM_BYTES);
  return block;
};

/** @throws Damaged */
export const unpacked = (block: Buffer): Buffer => {
  const deflated = block.subarray(CHECKSUM_BYTES);
  if (block.length < CHECKSUM_BYTES || crc32(deflated) !== block.readUInt32LE(0)) throw new Damaged('a block of merged records');
  return inflateRawSync(deflated);
};

/** First record of a block. */
type First = Readonly<{ name: string; offset: number; position: number }>;

/** Entry of a directory for a block of records, or of the directory below: its first record, and its place in the file. */
export type BlockEntry = First & Readonly<{ block: FileRange }>;

const writeName = (writer: ByteWriter, name: string): void => {
  const bytes = Buffer.from(name);
  writer.varint(bytes.length);
  writer.raw(bytes);
};

/** Bytes of the place of an entry in its directory, and of the number of entries. */
const START_BYTES = 4;

const nameIn = (reader: ByteReader, length = reader.varint()): string => reader.raw(length).toString();

/** A block in progress. `count`: its records or entries. */
export class BlockWriter {
  private readonly bytes = new ByteWriter();
  /** Places of the entries. */
  private starts: number[] = [];
  private previous: PlacedRecord | undefined;
  first: First | undefined;
  count = 0;

  get length(): number {
    return this.bytes.length;
  }

  /** Returns the whole block, valid until the next write. */
  finish(): Buffer {
    const { starts } = this;
    if (starts.length > 0) for (const number of [...starts, starts.length]) this.bytes.room(START_BYTES).writeUInt32LE(number);
    return this.bytes.written;
  }

  addEntry(entry: BlockEntry): void {
    this.first ??= entry;
    this.count += 1;
    this.starts.push(this.bytes.length);
    writeName(this.bytes, entry.name);
    for (const number of [entry.offset, entry.position, entry.block.offset, entry.block.length]) this.bytes.varint(number);
  }

  /** Records of one name must come by ascending place. */
  addRecord(placed: PlacedRecord): void {
    const { name, position } = placed.record;
    this.first ??= { name, offset: placed.offset, position };
    this.count += 1;
    writeRecord(this.bytes, placed, this.previous);
    this.previous = placed;
  }

  reset(): void {
    this.bytes.length = 0;
    this.starts = [];
    this.previous = undefined;
    this.first = undefined;
    this.count = 0;
  }
}

/** A directory block. Its entries are decoded as they are looked at: as objects they would take ten times the memory. */
export class Directory {
  readonly length: number;

  constructor(readonly bytes: Buffer) {
    this.length = bytes.readUInt32LE(bytes.length - START_BYTES);
  }

  /** Its index must be less than the length. */
  entry(index: number): BlockEntry {
    const start = this.bytes.readUInt32LE(this.bytes.length - START_BYTES * (this.length + 1 - index));
    const reader = new ByteReader(this.bytes.subarray(start));
    return { name: nameIn(reader), offset: reader.varint(), position: reader.varint(), block: rangeIn(reader) };
  }
}

/** Bits behind the two of the kind. `LINKED`: the record before is the previous one. */
const [RUN, BORN, SINCE, NEXT, LINKED, JUMPS] = [4, 8, 16, 32, 64, 128];

/** The record from which another one differs little, if it is of the same document. */
type Base = Readonly<{ offset: number; length: number; record: Pick<DocumentRecord, 'position' | 'birth' | 'since' | 'number'> }>;
const NONE: Base = { offset: 0, length: 0, record: { position: 0, birth: 0, since: 0, number: 0 } };

const baseOf = ({ record: { name, position } }: PlacedRecord, previous: PlacedRecord | undefined): PlacedRecord | undefined =>
  previous?.record.name === name && previous.record.position <= position ? previous : undefined;

const writeRecord = (writer: ByteWriter, placed: PlacedRecord, previous: PlacedRecord | undefined): void => {
  const { record } = placed;
  const { before, jumps, body } = record;
  const same = baseOf(placed, previous);
  const base: Base = same ?? NONE;
  const isLinked = before?.offset === base.offset && before.length === base.length;
  const bits = [
    [RUN, record.isRun],
    [BORN, record.birth === base.record.birth],
    [SINCE, record.since === base.record.since],
    [NEXT, record.number === base.record.number + 1],
    [LINKED, isLinked],
    [JUMPS, jumps.length > 0],
  ] as const;
  if (same) writer.varint(0);
  else writeName(writer, record.name);
  writer.varint(bits.reduce((sum, [bit, isSet]) => sum + (isSet ? bit : 0), KINDS.indexOf(record.kind)));
  writer.varint(placed.offset - base.offset);
  writer.varint(record.position - base.record.position);
  if (record.birth !== base.record.birth) writer.varint(record.birth);
  if (record.since !== base.record.since) writer.varint(record.since);
  if (record.number !== base.record.number + 1) writer.varint(record.number);
  if (!isLinked) writeRange(writer, before ?? NONE);
  if (jumps.length > 0) writer.varint(jumps.length);
  for (const jump of jumps) {
    writeRange(writer, jump);
    writer.varint(jump.position);
  }
  writer.varint(record.deltas);
  writer.varint(record.deltaBytes);
  writer.varint(body.length);
  writer.raw(body);
};

const writeRange = (writer: ByteWriter, { offset, length }: FileRange): void => {
  writer.varint(offset);
  writer.varint(length);
};

const rangeIn = (reader: ByteReader): FileRange => ({ offset: reader.varint(), length: reader.varint() });

/** Records of a block. Bodies share its memory. */
export const recordsIn = (bytes: Buffer): readonly PlacedRecord[] => {
  const reader = new ByteReader(bytes);
  const records: PlacedRecord[] = [];
  while (!reader.isAtEnd) records.push(readRecord(reader, records.at(-1)));
  return records;
};

const readRecord = (reader: ByteReader, previous: PlacedRecord | undefined): PlacedRecord => {
  const nameLength = reader.varint();
  const same = nameLength === 0 ? previous : undefined;
  const name = same ? same.record.name : nameIn(reader, nameLength);
  const base: Base = same ?? NONE;
  const bits = reader.varint();
  const offset = base.offset + reader.varint();
  const position = base.record.position + reader.varint();
  const birth = bits & BORN ? base.record.birth : reader.varint();
  const since = bits & SINCE ? base.record.since : reader.varint();
  const number = bits & NEXT ? base.record.number + 1 : reader.varint();
  const range = bits & LINKED ? base : rangeIn(reader);
  const before = range.length === 0 ? undefined : { offset: range.offset, length: range.length };
  const jumps = Array.from({ length: bits & JUMPS ? reader.varint() : 0 }, () => ({ ...rangeIn(reader), position: reader.varint() }));
  const [deltas, deltaBytes] = [reader.varint(), reader.varint()];
  const body = reader.raw(reader.varint());
  const [kind, isRun] = [KINDS[bits & 3] as DocumentRecord['kind'], (bits & RUN) > 0];
  const record = { kind, name, body, isRun, deltas, deltaBytes, birth, since, number, position, before, jumps };
  return { offset, length: recordLength(record), record };
};
