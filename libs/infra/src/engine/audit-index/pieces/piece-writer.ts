import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { isStream, type Term } from '#infra/engine/audit-index/terms.js';
import { ByteWriter } from '#infra/platform/binary/bytes.js';
import { requireRoom } from '#infra/platform/lmdb/free-space.js';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';
import { writeAll } from '#infra/platform/lmdb/write-file-durably.js';
import { CHECKSUM_BYTES, type PieceInfo, RECORDS_OF_BLOCK } from './piece.js';
import { RECORD_BYTES, STREAM_AT } from './record.js';

const BLOCK_BYTES = 4_096;
const ROW_EVENTS = 512;
const WRITE_BYTES = 256 * 1_024;

const flushed = promisify(fdatasync);

/** Writes a piece: rows in the order of their terms, then records in the order of their indexes. */
export class PieceWriter {
  private readonly name = `piece-${randomUUID()}`;
  private readonly descriptor: number;
  /** Bytes for the file, from `writtenTo` on. */
  private readonly output = new ByteWriter();
  private writtenTo = 0;
  private readonly block = new ByteWriter();
  private readonly directory = new ByteWriter();
  /** The row in progress. */
  private readonly row = { term: '', first: 0, last: 0, before: 0, count: 0, distances: new ByteWriter() };
  /** Term of the previous row in the block. */
  private previous = '';
  private records = 0;
  private recordsAt = 0;
  /** Number of streams so far. */
  streams = 0;

  constructor(
    private readonly directoryPath: string,
    private readonly from: number,
  ) {
    this.descriptor = openSync(this.path, 'wx', 0o600);
    giveToOwner(this.path);
  }

  private get path(): string {
    return join(this.directoryPath, this.name);
  }

  private get at(): number {
    return this.writtenTo + this.output.length;
  }

  /** Adds indexes to the list of a term: `first`, and `count` - 1 more up to `last`, given by their distances. */
  add(term: Term, first: number, last: number, count: number, distances: Buffer): void {
    const { row } = this;
    const isSame = row.count > 0 && row.term === term;
    if (isSame && row.count + count <= ROW_EVENTS) row.distances.varint(first - row.last);
    else {
      const before = isSame ? row.before + row.count : 0;
      this.endRow();
      if (!isSame && isStream(term)) this.streams += 1;
      row.term = term;
      row.first = first;
      row.before = before;
      row.count = 0;
    }
    if (count > 1) row.distances.raw(distances);
    row.last = last;
    row.count += count;
  }

  /**
   * Adds a record; no row may follow the first one.
   * @param bytes a record of the tail or of another piece @param ranks numbers in this piece of the streams there
   */
  addRecord(bytes: Buffer, ranks: readonly number[]): void {
    const room = this.roomForRecord();
    bytes.copy(room);
    room.writeUInt32BE(ranks[bytes.readUInt32BE(STREAM_AT)] as number, STREAM_AT);
  }

  /** Resolves when the file is on disk. @param level see {@link PieceInfo} */
  async end(level: number): Promise<PieceInfo> {
    this.endBlock();
    const directoryAt = this.at;
    this.put(this.directory.written);
    this.write();
    await flushed(this.descriptor);
    closeSync(this.descriptor);
    const { name: file, from, records: count, recordsAt } = this;
    return { file, level, from, count, recordsAt, directoryAt, bytes: this.writtenTo };
  }

  /** Removes what was written. */
  discard(): void {
    closeSync(this.descriptor);
    rmSync(this.path, { force: true });
  }

  private roomForRecord(): Buffer {
    if (this.records === 0) {
      this.endRow();
      this.endBlock();
      this.recordsAt = this.at;
    } else if (this.records % RECORDS_OF_BLOCK === 0) this.endBlock();
    this.records += 1;
    return this.block.room(RECORD_BYTES);
  }

  private endRow(): void {
    const { term, first, last, before, count, distances } = this.row;
    if (count === 0) return;
    const { block, directory } = this;
    if (block.length === 0) {
      directory.text(term);
      directory.varint(first - this.from);
      directory.varint(this.at);
      directory.varint(this.streams);
      this.previous = '';
    }
    const shared = sharedStart(this.previous, term);
    block.varint(shared);
    block.text(term.slice(shared));
    block.varint(first - this.from);
    block.varint(before);
    block.varint(count);
    if (count > 1) {
      block.varint(last - first);
      block.varint(distances.length);
      block.raw(distances.written);
    }
    this.previous = term;
    distances.length = 0;
    this.row.count = 0;
    if (block.length >= BLOCK_BYTES) this.endBlock();
  }

  private endBlock(): void {
    if (this.block.length > 0) this.put(this.block.written);
    this.block.length = 0;
    if (this.output.length >= WRITE_BYTES) this.write();
  }

  private put(bytes: Buffer): void {
    this.output.raw(bytes);
    this.output.room(CHECKSUM_BYTES).writeUInt32LE(crc32(bytes));
  }

  private write(): void {
    requireRoom(this.directoryPath);
    writeAll(this.descriptor, this.output.written);
    this.writtenTo += this.output.length;
    this.output.length = 0;
  }
}

const sharedStart = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
};
