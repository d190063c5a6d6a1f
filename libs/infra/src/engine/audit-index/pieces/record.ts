import type { Position } from '#domain/shared/events.js';

/** Record of an event in the index. */
export type IndexRecord = Readonly<{
  /** For an event lost before this node read it, a position between those of its neighbours. */
  position: Position;
  /** Number of the stream within its segment. */
  stream: number;
  revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  logTime: number;
  /** Approximate number of characters of the JSON of its data; 0 if the event was lost. */
  size: number;
  /** The event was no longer in the log when it was indexed; its place is known from the chain. */
  gone: boolean;
  /** The event was appended together with the one before it. */
  continues: boolean;
}>;

export const RECORD_BYTES = 29;
/** Offset of the stream in a record. */
export const STREAM_AT = 8;
const MAX_SIZE = 0xffff_ffff;
/** Bits of the last byte. */
const [GONE, CONTINUES] = [1, 2];

/** Writes fixed-size fields, so that a record can be found by its number. @param bytes RECORD_BYTES of them */
export const writeRecord = (record: IndexRecord, bytes: Buffer): void => {
  bytes.writeBigUInt64BE(record.position, 0);
  bytes.writeUInt32BE(record.stream, STREAM_AT);
  bytes.writeUIntBE(record.revision, 12, 6);
  bytes.writeUIntBE(record.logTime, 18, 6);
  bytes.writeUInt32BE(Math.min(record.size, MAX_SIZE), 24);
  bytes.writeUInt8((record.gone ? GONE : 0) | (record.continues ? CONTINUES : 0), 28);
};

export const readRecord = (bytes: Buffer): IndexRecord => ({
  position: bytes.readBigUInt64BE(0),
  stream: bytes.readUInt32BE(STREAM_AT),
  revision: bytes.readUIntBE(12, 6),
  logTime: bytes.readUIntBE(18, 6),
  size: bytes.readUInt32BE(24),
  gone: (bytes.readUInt8(28) & GONE) !== 0,
  continues: (bytes.readUInt8(28) & CONTINUES) !== 0,
});
