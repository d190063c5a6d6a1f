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
const [REMEMBERED_BLOCKS, REMEMBERED_RECORD_BLOCKS] = [512, 1_024];

/** A file of the index differs from what was written. */
export class PieceDamaged extends Error {
  override readonly name = 'PieceDamaged';
}

/** A block of rows. `streams`: rank of its first row's stream, or of the last stream before it; -1 if there is none. */
type Block = Readonly<{ term: Term; first: number; at: number; streams: number }>;

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
};

/** An immutable file: the events from an index on, their terms in order, and a directory of its blocks, which is kept in memory. */
export class IndexPiece implements Segment {
  readonly from: number;
  readonly end: number;
  private readonly blocks: readonly Block[];
  /** Its blocks have cache keys from this number on. */
  private readonly keys = KEYS_OF_PIECE * remembered.opened++;

  private constructor(
    private readonly path: string,
    readonly info: PieceInfo,
    private readonly descriptor: number,
  ) {
    this.from = info.from;
    this.end = info.from + info.count;
    this.blocks = this.readDirectory();
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
    const exact = firstIndex(0, this.blocks.length, (place) => (this.blocks[place] as Block).streams >= rank);
    const place = this.blocks[exact]?.streams === rank ? exact : exact - 1;
    let at = this.blocks[place]?.streams ?? -1;
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
    for (const place of this.blocks.keys()) yield* this.readRows(place);
  }

  /** Yields stored records in portions. */
  *recordBytes(): Generator<Buffer> {
    for (let block = 0; block * RECORDS_OF_BLOCK < this.info.count; block++) yield this.readRecords(block);
  }

  /** The last row at or before a term and index, and the next row, of any term. */
  private beside(term: Term, index: number): readonly [Row | undefined, Row | undefined] {
    const isBehind = (row: Readonly<{ term: Term; first: number }>): boolean => row.term > term || (row.term === term && row.first > index);
    const behind = firstIndex(0, this.blocks.length, (place) => isBehind(this.blocks[place] as Block));
    if (behind === 0) return [undefined, this.rowsOf(0)[0]];
    const rows = this.rowsOf(behind - 1);
    const next = firstIndex(0, rows.length, (place) => isBehind(rows[place] as Row));
    return [rows[next - 1], rows[next] ?? (behind < this.blocks.length ? this.rowsOf(behind)[0] : undefined)];
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
    const { at } = this.blocks[place] as Block;
    const reader = new ByteReader(this.read(at, this.blocks[place + 1]?.at ?? this.info.recordsAt));
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

  private readDirectory(): readonly Block[] {
    const reader = new ByteReader(this.read(this.info.directoryAt, this.info.bytes));
    const blocks: Block[] = [];
    while (!reader.isAtEnd)
      blocks.push({ term: reader.text(), first: this.from + reader.varint(), at: reader.varint(), streams: reader.varint() - 1 });
    return blocks;
  }

  /** @throws PieceDamaged */
  private read(from: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(end - from);
    const read = readSync(this.descriptor, bytes, 0, bytes.length, from);
    const length = bytes.length - CHECKSUM_BYTES;
    if (read !== bytes.length || length < 0 || crc32(bytes.subarray(0, length)) !== bytes.readUInt32LE(length))
      throw new PieceDamaged(`${this.path} is damaged`);
    return bytes.subarray(0, length);
  }
}
