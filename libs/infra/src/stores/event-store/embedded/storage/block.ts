import { crc32 } from 'node:zlib';
import { DamagedBlock } from '#domain/shared/damaged-log.js';
import type { EventMetadata, NewEvent, RecordedEvent } from '#domain/shared/events.js';
import { jsonText } from '#infra/stores/event-store/json-text.js';

/** JSON text of an event, made before the write lock is taken: `head`, then the text of its data, then a brace. `length`: of all of it, in UTF-16 units. */
export type EventText = Readonly<{ head: string; dataText: string; dataBytes: number; length: number }>;

/** Place of a block, known only once the transaction holds the write lock. */
type BlockPlace = Readonly<{
  stream: string;
  /** Revision of its first event. */
  revision: number;
  /** Position of its first event. */
  position: number;
  recordedAt: number;
}>;

// All events that one append writes to a stream are stored together: one record, one checksum, one entry in each index. A record
// consists of: the CRC-32 of everything that follows (8 hex digits); the number of events, the lengths of their texts in UTF-16 units, and
// the lengths of the JSON text of their data in bytes (decimal numbers, `;` between the three, `,` within a list), so that one event can be
// found without parsing the others; a line feed; JSON of the block, followed by the metadata that most of its events share. LMDB does not
// detect a flipped byte in a value, hence the checksum.
const DIGITS = 8;

const digits = (checksum: number): string => checksum.toString(16).padStart(DIGITS, '0');

const checksum = (text: string | Buffer): string => digits(crc32(text));

/** Shared buffer in which records are encoded; callers copy the result. */
const SCRATCH = Buffer.allocUnsafeSlow(128 * 2 ** 10);
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const UNIT_BYTES = 3;

/**
 * @param hasMetadata whether the text contains the event's metadata. Default `true`; otherwise the block's metadata apply
 * @throws TypeError the data or metadata are not a JSON object
 */
export const eventText = ({ id, type, metadata, data, dataText = jsonText(data) }: NewEvent, hasMetadata = true): EventText => {
  const metadataText = hasMetadata ? `"metadata":${jsonText(metadata)},` : '';
  const head = `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},${metadataText}"data":`;
  return { head, dataText, dataBytes: Buffer.byteLength(dataText), length: head.length + dataText.length + 1 };
};

/**
 * Returns a record in memory that the next call may overwrite.
 * @param metadataText JSON of the metadata of all events whose texts contain none
 */
export const encodeBlock = (
  { stream, revision, position, recordedAt }: BlockPlace,
  texts: readonly EventText[],
  metadataText = 'null',
): Buffer => {
  const lengths = texts.map(({ length }) => length).join();
  const dataLengths = texts.map(({ dataBytes }) => dataBytes).join();
  const place = `"stream":${JSON.stringify(stream)},"revision":${revision},"position":${position},"recordedAt":${recordedAt}`;
  const before = `${texts.length};${lengths};${dataLengths}\n{${place}${BEFORE_EVENTS}`;
  const after = `],"metadata":${metadataText}}`;
  let most = DIGITS + (before.length + after.length) * UNIT_BYTES;
  for (const { head, dataBytes } of texts) most += head.length * UNIT_BYTES + dataBytes + 2;
  const bytes = most > SCRATCH.length ? Buffer.allocUnsafe(most) : SCRATCH;
  // Texts are never put together: that would copy each of them twice more.
  let end = DIGITS + bytes.write(before, DIGITS);
  for (const [index, { head, dataText }] of texts.entries()) {
    if (index > 0) bytes[end++] = COMMA;
    end += bytes.write(head, end);
    end += bytes.write(dataText, end);
    bytes[end++] = CLOSING_BRACE;
  }
  end += bytes.write(after, end);
  const record = bytes.subarray(0, end);
  record.write(checksum(record.subarray(DIGITS)), 'latin1');
  return record;
};

/** It cannot occur in the stream's name, where quotation marks are escaped with a backslash. */
const BEFORE_EVENTS = ',"events":[';

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** Place of a record and its number of events, without parsing the events; `undefined` if the record is damaged. */
export const readBlockPlace = (position: number, record: Buffer): (BlockPlace & Readonly<{ count: number }>) | undefined => {
  if (record.toString('latin1', 0, DIGITS) !== digits(crc32(record.subarray(DIGITS)))) return undefined;
  const start = record.indexOf(LINE_FEED) + 1;
  const place: BlockPlace = JSON.parse(`${record.toString('utf8', start, record.indexOf(BEFORE_EVENTS))}}`);
  if (place.position !== position) return undefined;
  return { ...place, count: Number.parseInt(record.toString('latin1', DIGITS, start), 10) };
};

/** In blocks of format 2 each event contains its metadata. */
type StoredBlock = BlockPlace & Readonly<{ events: readonly NewEvent[]; metadata: EventMetadata }>;

/** The events of one block, parsed on demand. */
export class Block {
  readonly count: number;

  private constructor(
    /** Position of the first event. */
    readonly position: number,
    /** Length in characters. */
    readonly size: number,
    private readonly sizes: string,
    private readonly json: string,
  ) {
    this.count = Number.parseInt(sizes, 10);
  }

  /** @throws DamagedBlock there is no record, or its checksum is wrong */
  static decode(position: number, record: string | undefined): Block {
    if (record === undefined || !record.startsWith(checksum(record.slice(DIGITS)))) throw new DamagedBlock(BigInt(position));
    const lineFeed = record.indexOf('\n');
    return new Block(position, record.length, record.slice(DIGITS, lineFeed), record.slice(lineFeed + 1));
  }

  /** Bytes of the JSON text of each event's data. */
  get dataBytes(): readonly number[] {
    return this.list(2);
  }

  /** The events from index `start` up to `end`, exclusive. */
  events(start = 0, end = this.count): readonly RecordedEvent[] {
    const stored: StoredBlock = JSON.parse(this.textOf(start, end));
    const { stream, revision, position, recordedAt, metadata: shared } = stored;
    if (position !== this.position) throw new DamagedBlock(BigInt(this.position));
    return stored.events.map(({ id, type, metadata = shared, data }, index) => ({
      stream,
      revision: BigInt(revision + start + index),
      position: BigInt(this.position + start + index),
      recordedAt,
      id,
      type,
      metadata,
      data,
    }));
  }

  /** Text of the block as if it held only these events. */
  private textOf(start: number, end: number): string {
    if (start === 0 && end === this.count) return this.json;
    const first = this.json.indexOf(BEFORE_EVENTS) + BEFORE_EVENTS.length;
    const lengths = this.list(1);
    const from = first + withCommas(lengths.slice(0, start));
    const to = from + withCommas(lengths.slice(start, end)) - 1;
    const behind = first + withCommas(lengths) - 1;
    return `${this.json.slice(0, first)}${this.json.slice(from, to)}${this.json.slice(behind)}`;
  }

  private list(index: 1 | 2): readonly number[] {
    return this.sizes.split(';')[index]?.split(',').map(Number) ?? [];
  }
}

const withCommas = (lengths: readonly number[]): number => lengths.reduce((sum, length) => sum + length + 1, 0);
