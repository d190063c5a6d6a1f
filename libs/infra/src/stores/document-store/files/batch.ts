import { crc32 } from 'node:zlib';
import { type FileRange, isSound, lengthAt } from '../texts/record.js';

/** First bytes of every batch. They change whenever the format changes. */
export const MAGIC = Buffer.from('LBD1');
export const BATCH_HEAD_BYTES = 24;
const CHECKSUM_BYTES = 4;

/** Encodes records and the build row after them. A batch is applied as a whole or not at all. */
export const encodeBatch = (records: readonly Buffer[], row: string): Buffer => {
  const head = Buffer.alloc(BATCH_HEAD_BYTES);
  const rowBytes = Buffer.from(row);
  MAGIC.copy(head);
  head.writeUIntLE(lengthOf(records), 8, 6);
  head.writeUInt32LE(rowBytes.length, 14);
  head.writeUInt32LE(records.length, 18);
  const sums = Buffer.allocUnsafe(records.length * CHECKSUM_BYTES);
  for (const [index, record] of records.entries()) record.copy(sums, index * CHECKSUM_BYTES, 0, CHECKSUM_BYTES);
  head.writeUInt32LE(checksumOf(head, sums, rowBytes), 4);
  return Buffer.concat([head, ...records, rowBytes]);
};

export const lengthOf = (records: readonly Buffer[]): number => records.reduce((sum, { length }) => sum + length, 0);

/** Checksum over the record checksums, so that the record bytes are summed only once. */
const checksumOf = (head: Buffer, sums: Buffer, row: Buffer): number => crc32(row, crc32(sums, crc32(head.subarray(8))));

/** Length of the batch with this head; `undefined` if it is not the head of a batch. */
export const batchLengthOf = (head: Buffer): number | undefined => {
  if (head.length < BATCH_HEAD_BYTES || MAGIC.compare(head, 0, MAGIC.length) !== 0) return undefined;
  return BATCH_HEAD_BYTES + head.readUIntLE(8, 6) + head.readUInt32LE(14);
};

/** Places of the records in a stored batch, and the build row after them. */
export type CommitBatch = Readonly<{ records: readonly FileRange[]; row: string }>;

/**
 * Returns `undefined` if a checksum or length is wrong.
 * @param bytes the whole batch
 * @param checksRecords whether their own checksums must be right, too; otherwise they are checked when they are read. Default `true`
 */
export const decodeBatch = (bytes: Buffer, checksRecords = true): CommitBatch | undefined => {
  const rowAt = BATCH_HEAD_BYTES + bytes.readUIntLE(8, 6);
  const count = bytes.readUInt32LE(18);
  if (count * CHECKSUM_BYTES > bytes.length || rowAt > bytes.length) return undefined;
  const sums = Buffer.allocUnsafe(count * CHECKSUM_BYTES);
  const records: FileRange[] = [];
  let offset = BATCH_HEAD_BYTES;
  for (let index = 0; index < count; index++) {
    const length = lengthAt(bytes, offset);
    if (length === undefined || offset + length > rowAt) return undefined;
    if (checksRecords && !isSound(bytes.subarray(offset, offset + length))) return undefined;
    bytes.copy(sums, index * CHECKSUM_BYTES, offset, offset + CHECKSUM_BYTES);
    records.push({ offset, length });
    offset += length;
  }
  const row = bytes.subarray(rowAt);
  if (offset !== rowAt || checksumOf(bytes.subarray(0, BATCH_HEAD_BYTES), sums, row) !== bytes.readUInt32LE(4)) return undefined;
  return { records, row: row.toString() };
};
