import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventMetadata, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { UnreadableEvent } from './errors.js';

/** Place of data that were too large for one append: the number of parts, and of bytes in all of them. */
export type PayloadReference = Readonly<{
  parts: number;
  bytes: number;
  /** Names the payload's stream, together with the event's id. */
  digest: string;
  /** The parts have a maximum age, so they may be gone while the whole log still shows the event. */
  expires: boolean;
}>;

/** Reserved member of stored metadata; callers never see it. */
export const PAYLOAD_MEMBER = '$payload';

type StoredMetadata = EventMetadata & Readonly<{ [PAYLOAD_MEMBER]?: PayloadReference }>;

export type WireEvent = ReadResp.ReadEvent.RecordedEvent;

/** An event as stored in its stream; its data may be elsewhere. */
export type StoredEvent = Readonly<{
  event: RecordedEvent;
  /** Bytes of the JSON text of the data, wherever it is stored. */
  bytes: number;
  payload: PayloadReference | undefined;
}>;

/** The event in a message of a read or subscription, if it has one. */
export const wireEvent = (message: ReadResp): WireEvent | undefined => message.getEvent()?.getEvent();

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

export const streamOf = (wire: WireEvent): string => text(wire.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array());
export const positionOf = (wire: WireEvent): bigint => BigInt(wire.getCommitPosition());
export const revisionOf = (wire: WireEvent): bigint => BigInt(wire.getStreamRevision());
export const dataOf = (wire: WireEvent): Uint8Array => wire.getData_asU8();
export const idOf = (wire: WireEvent): string => wire.getId()?.getString() ?? '';

export const typeOf = (wire: WireEvent): string => wire.getMetadataMap().get('type') ?? '';

/** Stored ticks are units of 100 ns since 1970-01-01 UTC, as decimal text. */
const millisecondsOf = (ticks: string | undefined): number => Number(ticks?.slice(0, -4) ?? 0);

/** @throws UnreadableEvent the data or metadata are not JSON, so Logbook did not write the event */
export const decode = (wire: WireEvent): StoredEvent => {
  const stream = streamOf(wire);
  const id = idOf(wire);
  const data = dataOf(wire);
  try {
    const { [PAYLOAD_MEMBER]: payload, ...metadata }: StoredMetadata = JSON.parse(text(wire.getCustomMetadata_asU8()));
    const event: RecordedEvent = {
      id,
      type: typeOf(wire),
      data: parseData(data),
      metadata,
      stream,
      revision: revisionOf(wire),
      position: positionOf(wire),
      recordedAt: millisecondsOf(wire.getMetadataMap().get('created')),
    };
    return { event, bytes: payload?.bytes ?? data.byteLength, payload };
  } catch (error) {
    throw new UnreadableEvent(`event ${id} in stream ${stream} is not one of Logbook's`, { cause: error });
  }
};

export const parseData = (bytes: Uint8Array): JsonObject => JSON.parse(text(bytes));
