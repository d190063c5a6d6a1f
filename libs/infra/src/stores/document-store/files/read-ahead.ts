import { decodeRecord, type FileRange, nameIn, type PlacedRecord } from '../texts/record.js';
import { BATCH_HEAD_BYTES, batchLengthOf, type CommitBatch, decodeBatch, MAGIC } from './batch.js';

/** Bytes per read. */
const CHUNK_BYTES = 1 << 20;

/** A batch with its place in the build. */
type StoredBatch = CommitBatch & Readonly<{ bytes: Buffer; start: number; end: number }>;

/** Place of a record in the build. */
export type NamedRange = FileRange & Readonly<{ name: string }>;

/** Reads a file from front to back in large pieces. */
export class ReadAhead {
  private chunk: Buffer = Buffer.alloc(0);
  private start = 0;

  constructor(
    private readonly file: Readonly<{ read: (place: FileRange) => Buffer }>,
    private readonly size: number,
  ) {}

  /** The whole batch that begins at this offset. */
  batch(start: number, checksRecords?: boolean): StoredBatch | undefined {
    const head = this.bytes(start, BATCH_HEAD_BYTES);
    const length = head && batchLengthOf(head);
    const bytes = length === undefined ? undefined : this.bytes(start, length);
    const batch = bytes && decodeBatch(bytes, checksRecords);
    return batch && { ...batch, bytes, start, end: start + bytes.length };
  }

  hasBatchBehind(offset: number): boolean {
    for (let at = offset + 1; at < this.size; ) {
      const bytes = this.bytes(at, Math.min(CHUNK_BYTES, this.size - at)) as Buffer;
      const found = bytes.indexOf(MAGIC);
      if (found >= 0 && this.batch(at + found)) return true;
      at += found >= 0 ? found + 1 : Math.max(1, bytes.length - MAGIC.length + 1);
    }
    return false;
  }

  /** Returns `undefined` if the file ends before the last of these bytes. */
  bytes(offset: number, length: number): Buffer | undefined {
    if (offset + length > this.size) return undefined;
    if (offset < this.start || offset + length > this.start + this.chunk.length) {
      this.chunk = this.file.read({ offset, length: Math.min(Math.max(length, CHUNK_BYTES), this.size - offset) });
      this.start = offset;
    }
    return this.chunk.subarray(offset - this.start, offset - this.start + length);
  }
}

/** Reads into the same memory again and again, because new memory takes longer than reading: bytes are valid until the next are read. */
export const aheadIn = (file: Readonly<{ read: (place: FileRange, bytes?: Buffer) => Buffer }>, size: number): ReadAhead => {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  return new ReadAhead(
    { read: (place) => file.read(place, place.length > CHUNK_BYTES ? undefined : chunk.subarray(0, place.length)) },
    size,
  );
};

/** Places of the records of a batch, with their names. One at a time, because a batch may have tens of thousands. */
export function* namedIn({ records, bytes, start }: StoredBatch): Generator<NamedRange> {
  for (const { offset, length } of records) yield { name: nameIn(bytes, offset), offset: start + offset, length };
}

/** Records of a batch, with their places. @throws Damaged */
export const placedIn = ({ records, bytes, start }: StoredBatch): readonly PlacedRecord[] =>
  records.map(({ offset, length }) => ({ offset: start + offset, length, record: decodeRecord(bytes.subarray(offset, offset + length)) }));
