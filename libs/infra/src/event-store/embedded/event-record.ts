import { crc32 } from 'node:zlib';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';

/** A stored event does not read as it was written: the disk or somebody changed it. Only a backup brings it back. */
export class DamagedEvent extends EventStoreUnavailable {
  constructor(
    readonly position: bigint,
    options?: ErrorOptions,
  ) {
    super(`the event at position ${position} of the embedded log is damaged`, options);
  }
}

/** What an event's text says of its place: known only once the transaction holds the write lock. */
export type EventPlace = Readonly<{ stream: string; revision: number; recordedAt: number }>;

// A record is CRC-32 of all that follows (8 hex digits), size of the data's JSON in bytes (8 hex digits), JSON of the event without its
// position. LMDB does not notice a flipped byte in a value, hence the checksum; the size spares `maxBytes` and statistics a second
// serialisation.
const DIGITS = 8;
const JSON_AT = 2 * DIGITS;

const hex = (value: number): string => value.toString(16).padStart(DIGITS, '0');

/** The part of a record that does not depend on its place, so that it is made before the write lock is taken. */
export const recordBody = (event: NewEvent): Readonly<{ text: string; dataBytes: number }> => {
  const data = JSON.stringify(event.data);
  const text = `"id":${JSON.stringify(event.id)},"type":${JSON.stringify(event.type)},"metadata":${JSON.stringify(event.metadata)},"data":${data}}`;
  return { text, dataBytes: Buffer.byteLength(data) };
};

export const encodeRecord = (place: EventPlace, body: Readonly<{ text: string; dataBytes: number }>): string => {
  const { stream, revision, recordedAt } = place;
  const checked = `${hex(body.dataBytes)}{"stream":${JSON.stringify(stream)},"revision":${revision},"recordedAt":${recordedAt},${body.text}`;
  return hex(crc32(checked)) + checked;
};

/** @throws DamagedEvent when there is no record or its checksum is wrong */
export const decodeRecord = (position: number, record: string | undefined): RecordedEvent => {
  if (record === undefined || Number.parseInt(record.slice(0, DIGITS), 16) !== crc32(record.slice(DIGITS))) {
    throw new DamagedEvent(BigInt(position));
  }
  const stored: NewEvent & EventPlace = JSON.parse(record.slice(JSON_AT));
  const { stream, revision, recordedAt, id, type, metadata, data } = stored;
  return { stream, revision: BigInt(revision), position: BigInt(position), recordedAt, id, type, metadata, data };
};

/** Bytes of the JSON text of the event's data, without parsing it. */
export const dataBytesOf = (record: string): number => Number.parseInt(record.slice(DIGITS, JSON_AT), 16);
