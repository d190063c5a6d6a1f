import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { firstIndex } from '#domain/shared/first-index.js';
import { isStream, type Term } from '#infra/engine/audit-index/terms.js';
import { ByteReader } from '#infra/platform/binary/bytes.js';
import { type IndexRecord, RECORD_BYTES, readRecord } from './record.js';
import type { PostingsPart, Segment } from './segment.js';

/** Layout of the file of a piece; see the README. */
export type PieceInfo = Readonly<{
  /** Name of the file. */
  file: string;
  /** Number of times its content was merged. */
  level: number;
  from: number;
  count: number;
  recordsAt: number;
  directoryAt: number;
  bytes: number;
}>;

export const RECORDS_OF_BLOCK = 128;
export const CHECKSUM_BYTES = 4;
const [REMEMBERED_BLOCKS, REMEMBERED_RECORD_BLOCKS, REMEMBERED_PARTS] = [512, 1_024, 256];
/** Blocks of a part of the directory. */
const BLOCKS_OF_PART = 128;
/** Numbers behind the term of a block in the directory. */
const NUMBERS_OF_BLOCK = 3;
/** Bytes of the directory that are read at once. */
const READ_BYTES = 2 ** 20;

/** A file of the index differs from what was written. */
export class PieceDamaged extends Error {
  override readonly name = 'PieceDamaged';
}

/** A block of rows. `streams`: rank of its first row's stream, or of the last stream before it; -1 if there is none. */
type Block = Readonly<{ term: Term; first: number; at: number; streams: number }>;
/** The first block of a part of the directory. `place`, `end`: of the part in the file. `sum`: checksum of its bytes. */
type Part = Block & Readonly<{ place: number; end: number; sum: number }>;

/** A row of a piece. */
export class Row implements PostingsPart {
  private decoded: readonly number[] | undefined;

  constructor(
    readonly term: Term,
    readonly first: number,
    readonly last: number,
    readonly before: number,
    readonly count: number,
    /** Distances between the indexes. */
    readonly distances: Buffer,
  ) {}

  indexes(): readonly number[] {
    this.decoded ??= this.decode();
    return this.decoded;
  }

  private decode(): readonly number[] {
    const indexes = [this.first];
    const reader = new ByteReader(this.distances);
    for (let last = this.first; !reader.isAtEnd; indexes.push(last)) last += reader.varint();
    return indexes;
  }
}

const NO_BYTES = Buffer.alloc(0);
const KEYS_OF_PIECE = 2 ** 30;
/** Cache shared by all pieces of a thread, whatever their number. `opened`: number of pieces, each of which has its own keys. */
const remembered = {
  opened: 0,
  rows: new LRUCache<number, readonly Row[]>({ max: REMEMBERED_BLOCKS }),
  records: new LRUCache<number, Buffer>({ max: REMEMBERED_RECORD_BLOCKS }),
  parts: new LRUCache<number, readonly Block[]>({ max: REMEMBERED_PARTS }),
};

/** An immutable file: the events from an index on, their terms in order, and a directory of its blocks, of which every 128th is kept in memory. */
export class IndexPiece implements Segment {
  readonly from: number;
  readonly end: number;
  private readonly directory: readonly Part[];
  /** Its blocks have cache keys from this number on. */
  private readonly keys = KEYS_OF_PIECE * remembered.opened++;

  private constructor(
    private readonly path: string,
    readonly info: PieceInfo,
    private readonly descriptor: number,
  ) {
    this.from = info.from;
    this.end = info.from + info.count;
    this.directory = this.readDirectory();
  }

  /** @throws PieceDamaged, and errors of the file system */
  static open(path: string, info: PieceInfo): IndexPiece {
    const descriptor = openSync(path, 'r');
    try {
      return new IndexPiece(path, info, descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  record(index: number): IndexRecord {
    const place = index - this.from;
    const block = Math.floor(place / RECORDS_OF_BLOCK);
    const at = (place % RECORDS_OF_BLOCK) * RECORD_BYTES;
    return readRecord(this.recordsOf(block).subarray(at, at + RECORD_BYTES));
  }

  streamName(rank: number): string {
    const exact = this.firstBlock(({ streams }) => streams >= rank);
    const place = this.block(exact)?.streams === rank ? exact : exact - 1;
    let at = this.block(place)?.streams ?? -1;
    let last: Term | undefined;
    for (const { term } of this.rowsOf(place)) {
      if (last !== undefined && term !== last && isStream(term)) at += 1;
      if (at === rank && isStream(term)) return term;
      last = term;
    }
    throw new PieceDamaged(`${this.path} has no stream ${rank}`);
  }

  parts(term: Term, index: number): readonly [Row | undefined, Row | undefined] {
    const [before, behind] = this.beside(term, index);
    return [before?.term === term ? before : undefined, behind?.term === term ? behind : undefined];
  }

  termFrom(term: Term): Term | undefined {
    return this.beside(term, -1)[1]?.term;
  }

  /** Yields the rows in order. */
  *rows(): Generator<Row> {
    for (const part of this.directory.keys()) {
      const blocks = this.readPart(part);
      const end = this.directory[part + 1]?.at ?? this.info.recordsAt;
      for (const [place, { at }] of blocks.entries()) yield* this.rowsIn(at, blocks[place + 1]?.at ?? end);
    }
  }

  /** Yields stored records in portions. */
  *recordBytes(): Generator<Buffer> {
    for (let block = 0; block * RECORDS_OF_BLOCK < this.info.count; block++) yield this.readRecords(block);
  }

  /** The last row at or before a term and index, and the next row, of any term. */
  private beside(term: Term, index: number): readonly [Row | undefined, Row | undefined] {
    const isBehind = (row: Readonly<{ term: Term; first: number }>): boolean => row.term > term || (row.term === term && row.first > index);
    const behind = this.firstBlock(isBehind);
    if (behind === 0) return [undefined, this.rowsOf(0)[0]];
    const rows = this.rowsOf(behind - 1);
    const next = firstIndex(0, rows.length, (place) => isBehind(rows[place] as Row));
    return [rows[next - 1], rows[next] ?? (this.block(behind) ? this.rowsOf(behind)[0] : undefined)];
  }

  /** Binary search, as {@link firstIndex}. */
  private firstBlock(holds: (block: Block) => boolean): number {
    const { directory } = this;
    const part = firstIndex(0, directory.length, (place) => holds(directory[place] as Block)) - 1;
    if (part < 0) return 0;
    const blocks = this.partOf(part);
    return part * BLOCKS_OF_PART + firstIndex(0, blocks.length, (place) => holds(blocks[place] as Block));
  }

  private block(place: number): Block | undefined {
    const part = Math.floor(place / BLOCKS_OF_PART);
    const first = this.directory[part];
    const within = place % BLOCKS_OF_PART;
    return first && within > 0 ? this.partOf(part)[within] : first;
  }

  private partOf(part: number): readonly Block[] {
    const key = this.keys + part;
    const known = remembered.parts.get(key) ?? this.readPart(part);
    remembered.parts.set(key, known);
    return known;
  }

  private rowsOf(place: number): readonly Row[] {
    const key = this.keys + place;
    const known = remembered.rows.get(key) ?? this.readRows(place);
    remembered.rows.set(key, known);
    return known;
  }

  private recordsOf(block: number): Buffer {
    const key = this.keys + block;
    const known = remembered.records.get(key) ?? this.readRecords(block);
    remembered.records.set(key, known);
    return known;
  }

  private readRows(place: number): readonly Row[] {
    const { at } = this.block(place) as Block;
    return this.rowsIn(at, this.block(place + 1)?.at ?? this.info.recordsAt);
  }

  private rowsIn(at: number, end: number): readonly Row[] {
    const reader = new ByteReader(this.read(at, end));
    const rows: Row[] = [];
    for (let term = ''; !reader.isAtEnd; ) {
      term = term.slice(0, reader.varint()) + reader.text();
      const first = this.from + reader.varint();
      const before = reader.varint();
      const count = reader.varint();
      const last = count > 1 ? first + reader.varint() : first;
      rows.push(new Row(term, first, last, before, count, count > 1 ? reader.raw(reader.varint()) : NO_BYTES));
    }
    return rows;
  }

  private readRecords(block: number): Buffer {
    const whole = RECORDS_OF_BLOCK * RECORD_BYTES + CHECKSUM_BYTES;
    const from = this.info.recordsAt + block * whole;
    return this.read(from, Math.min(from + whole, this.info.directoryAt));
  }

  /** Reads the whole directory, of which only the parts are kept: of a large piece it has millions of blocks. @throws PieceDamaged */
  private readDirectory(): readonly Part[] {
    const end = this.info.bytes - CHECKSUM_BYTES;
    const parts: Part[] = [];
    let [read, sum] = [this.info.directoryAt, 0];
    let rest = NO_BYTES; // of a part whose end is not read yet
    while (read < end) {
      const chunk = this.bytes(read, Math.min(read + READ_BYTES, end));
      sum = crc32(chunk, sum);
      read += chunk.length;
      const bytes = Buffer.concat([rest, chunk]);
      const start = read - bytes.length;
      let from = 0;
      for (let to = 0; from < bytes.length; from = to) {
        to = endOfPart(bytes, from);
        if (to > bytes.length || (to === bytes.length && read < end)) break;
        const part = bytes.subarray(from, to);
        parts.push({ ...this.blockAt(new ByteReader(part)), place: start + from, end: start + to, sum: crc32(part) });
      }
      rest = bytes.subarray(from);
    }
    if (rest.length > 0 || this.bytes(end, this.info.bytes).readUInt32LE() !== sum) throw this.damage();
    return parts;
  }

  private readPart(part: number): readonly Block[] {
    const { place, end, sum } = this.directory[part] as Part;
    const bytes = this.bytes(place, end);
    if (crc32(bytes) !== sum) throw this.damage();
    const reader = new ByteReader(bytes);
    const blocks: Block[] = [];
    while (!reader.isAtEnd) blocks.push(this.blockAt(reader));
    return blocks;
  }

  private blockAt(reader: ByteReader): Block {
    return { term: reader.text(), first: this.from + reader.varint(), at: reader.varint(), streams: reader.varint() - 1 };
  }

  /** Bytes followed by their checksum. @throws PieceDamaged */
  private read(from: number, end: number): Buffer {
    const bytes = this.bytes(from, end);
    const length = bytes.length - CHECKSUM_BYTES;
    if (length < 0 || crc32(bytes.subarray(0, length)) !== bytes.readUInt32LE(length)) throw this.damage();
    return bytes.subarray(0, length);
  }

  /** @throws PieceDamaged */
  private bytes(from: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(end - from);
    if (readSync(this.descriptor, bytes, 0, bytes.length, from) !== bytes.length) throw this.damage();
    return bytes;
  }

  private damage(): PieceDamaged {
    return new PieceDamaged(`${this.path} is damaged`);
  }
}

/** Place behind a part of the directory; beyond the bytes if they end before it. */
const endOfPart = (bytes: Buffer, from: number): number => {
  const reader = new ByteReader(bytes, from);
  for (let count = 0; count < BLOCKS_OF_PART && !reader.isAtEnd; count++) {
    reader.skip(reader.varint());
    for (let number = 0; number < NUMBERS_OF_BLOCK; number++) reader.varint();
  }
  return reader.at;
};
