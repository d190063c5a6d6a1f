import type { Position, ServiceName } from '#domain/shared/events.js';

/** What the index keeps of an event; names stand as ids. */
export type IndexRecord = Readonly<{
  /** Of an event that was gone before this node read it: one between those of its neighbours. */
  position: Position;
  stream: number;
  revision: number;
  /** 0 where the event was gone. So are `actor` and `size`. */
  type: number;
  actor: number;
  service: ServiceName | null;
  /** Milliseconds since 1970-01-01 UTC. */
  logTime: number;
  /** Bytes of the JSON of its data, about. */
  size: number;
  /** The event was not in the log any more when it was indexed: its place is known from the chain. */
  gone: boolean;
}>;

const SERVICES: readonly (ServiceName | null)[] = [null, 'messaging', 'accounting', 'status', 'ops'];
const GONE = 0x80;
const BYTES = 37;
const MAX_SIZE = 0xffff_ffff;

/** Fixed fields, so that a record takes a microsecond to read. */
export const encodeRecord = (record: IndexRecord): Buffer => {
  const bytes = Buffer.allocUnsafe(BYTES);
  bytes.writeBigUInt64BE(record.position, 0);
  bytes.writeUInt32BE(record.stream, 8);
  bytes.writeUIntBE(record.revision, 12, 6);
  bytes.writeUInt32BE(record.type, 18);
  bytes.writeUInt32BE(record.actor, 22);
  bytes.writeUInt8(Math.max(0, SERVICES.indexOf(record.service)) | (record.gone ? GONE : 0), 26);
  bytes.writeUIntBE(record.logTime, 27, 6);
  bytes.writeUInt32BE(Math.min(record.size, MAX_SIZE), 33);
  return bytes;
};

export const decodeRecord = (bytes: Buffer): IndexRecord => {
  const flags = bytes.readUInt8(26);
  return {
    position: bytes.readBigUInt64BE(0),
    stream: bytes.readUInt32BE(8),
    revision: bytes.readUIntBE(12, 6),
    type: bytes.readUInt32BE(18),
    actor: bytes.readUInt32BE(22),
    service: SERVICES[flags & ~GONE] ?? null,
    logTime: bytes.readUIntBE(27, 6),
    size: bytes.readUInt32BE(33),
    gone: (flags & GONE) !== 0,
  };
};
