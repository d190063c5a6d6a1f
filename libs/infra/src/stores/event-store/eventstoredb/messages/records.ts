import {
  type EventMetadata,
  type Json,
  type JsonObject,
  type RecordedEvent,
  UNREADABLE,
  type UnreadableData,
} from '#domain/shared/events.js';
import { isDeeper, MOST_LEVELS } from '#domain/shared/json/levels.js';
import { isJsonObject } from '#domain/shared/marks.js';
import { ProtobufReader } from '#infra/stores/event-store/eventstoredb/grpc/protobuf.js';
import { isMetadata } from '#infra/stores/event-store/metadata-form.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';

/**
 * Stored reference to data that were too large for one append: the revisions of their parts in {@link payloadStream}, and the byte of the
 * first at which they begin. Nodes of 1.0 wait at such an event, because they look for `parts` parts in a stream that does not exist.
 */
export type PayloadReference = Readonly<{ revisions: readonly number[]; offset: number; parts: number; bytes: number }>;

/** Reference of 1.0: a stream of parts for each event. */
type OldReference = Readonly<{ parts: number; bytes: number; digest: string }>;

/** Most data of 1.0 were a call of 16 MiB. */
const MOST_OLD_PARTS = 1_000;

/** Reserved member of stored metadata; callers never see it. */
export const PAYLOAD_MEMBER = '$payload';

/** Prefix of the streams that hold parts of large payloads. It is not a category of a service. */
export const PAYLOAD_PREFIX = 'payload-';

/** The stream that holds the parts of all large payloads of a stream. */
export const payloadStream = (stream: string): string => `${PAYLOAD_PREFIX}${stream}`;

/** Place of data that are stored elsewhere. */
export type PayloadPlace = Omit<PayloadReference, 'parts'> & Readonly<{ stream: string }>;

/** An event as the server sends it. Its bytes share the received buffer: keep no references to them. */
export type WireEvent = Readonly<{
  id: string;
  stream: string;
  type: string;
  revision: bigint;
  position: bigint;
  /** Milliseconds since 1970-01-01 UTC. */
  created: number;
  metadata: Buffer;
  data: Buffer;
}>;

/** An event as stored in its stream; its data may be stored elsewhere. */
export type StoredEvent = Readonly<{
  event: RecordedEvent;
  /** Bytes of the JSON text of the data, wherever it is stored. */
  bytes: number;
  payload: PayloadPlace | undefined;
  /** Replaces the event if parts of its payload are lost. */
  lost?: RecordedEvent;
}>;

/**
 * Content of a message of a read or subscription. `searched`: a checkpoint; everything up to the position has been searched. `0n`: no
 * checkpoint. `last`: revision of the stream's last event, even if it can no longer be read.
 */
export type ReadMessage = Readonly<{ event: WireEvent | undefined; searched: bigint; last?: bigint | 'no-stream' }>;

export const NOTHING: ReadMessage = { event: undefined, searched: 0n };
export const MISSING_STREAM: ReadMessage = { ...NOTHING, last: 'no-stream' };

/** Decodes a `ReadResp`. @throws MalformedMessage */
export const readMessage = (message: Buffer): ReadMessage => {
  const fields = new ProtobufReader(message);
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) return { event: eventIn(fields.message()), searched: 0n };
    if (field === 3) return { event: undefined, searched: searchedBy(fields.message()) };
    if (field === 4) return MISSING_STREAM;
    if (field === 6) return { ...NOTHING, last: fields.uint64() };
  }
  return NOTHING;
};

/** A checkpoint with unequal positions is the beginning of a page that has not been searched yet, so it is no progress. */
const searchedBy = (fields: ProtobufReader): bigint => {
  let [commit, prepare] = [0n, 0n];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) commit = fields.uint64();
    else if (field === 2) prepare = fields.uint64();
  }
  return commit === prepare ? commit : 0n;
};

/** The event of a `ReadEvent`; a link that cannot be resolved has none. */
const eventIn = (fields: ProtobufReader): WireEvent | undefined => {
  for (let field = fields.next(); field !== 0; field = fields.next()) if (field === 1) return recordedIn(fields.message());
  return undefined;
};

const NO_BYTES: Buffer = Buffer.alloc(0);

const recordedIn = (fields: ProtobufReader): WireEvent => {
  let [id, stream, type, created] = ['', '', '', 0];
  let [revision, position] = [0n, 0n];
  let [metadata, data] = [NO_BYTES, NO_BYTES];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    switch (field) {
      case 1:
        id = contentOf(fields.message(), 2);
        break;
      case 2:
        stream = contentOf(fields.message(), 3);
        break;
      case 3:
        revision = fields.uint64();
        break;
      case 5:
        position = fields.uint64();
        break;
      case 6: {
        const [name, value] = entryIn(fields.message());
        if (name === 'type') type = value;
        else if (name === 'created') created = millisecondsOf(value);
        break;
      }
      case 7:
        metadata = fields.bytes();
        break;
      case 8:
        data = fields.bytes();
    }
  }
  return { id, stream, type, revision, position, created, metadata, data };
};

/** The text in the field `wanted`. */
const contentOf = (fields: ProtobufReader, wanted: number): string => {
  for (let field = fields.next(); field !== 0; field = fields.next()) if (field === wanted) return fields.text();
  return '';
};

const entryIn = (fields: ProtobufReader): readonly [name: string, value: string] => {
  let [name, value] = ['', ''];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) name = fields.text();
    else if (field === 2) value = fields.text();
  }
  return [name, value];
};

/** Stored ticks are units of 100 ns since 1970-01-01 UTC, as decimal text. */
const millisecondsOf = (ticks: string): number => Number(ticks.slice(0, -4));

/**
 * Decodes an event. Never throws: an event that does not have Logbook's form becomes one of type {@link UNREADABLE}, whose data are the
 * same at every read and with every client.
 */
export const decode = (wire: WireEvent): StoredEvent => {
  const metadata = metadataIn(wire.metadata);
  const data = parsed(wire.data);
  if (typeof metadata === 'string') return unreadable(wire, metadata);
  const { [PAYLOAD_MEMBER]: reference, ...rest } = metadata;
  if (reference !== undefined) {
    const payload = placeIn(reference, wire);
    if (!payload) return unreadable(wire, 'its payload is not named as Logbook names it');
    const lost = unreadable(wire, 'parts of its payload are lost').event;
    return { event: eventOf(wire, rest, {}), bytes: payload.bytes, payload, lost };
  }
  if (!isJsonObject(data)) return unreadable(wire, 'its data are no JSON object');
  return { event: eventOf(wire, metadata, data), bytes: wire.data.length, payload: undefined };
};

const eventOf = (wire: WireEvent, metadata: EventMetadata, data: JsonObject, type = wire.type): RecordedEvent => {
  const { id, stream, revision, position, created } = wire;
  return { id, type, data, metadata, stream, revision, position, recordedAt: created };
};

/** Returns the metadata, or why they are not Logbook's. */
const metadataIn = (stored: Buffer): (EventMetadata & Readonly<{ [PAYLOAD_MEMBER]?: unknown }>) | string => {
  if (stored.length === 0) return 'it has no metadata';
  const metadata = parsed(stored);
  return metadata !== undefined && isMetadata(metadata) ? metadata : 'its metadata are not of the form that Logbook writes';
};

const placeIn = (reference: unknown, { id, stream }: WireEvent): PayloadPlace | undefined => {
  if (typeof reference !== 'object' || reference === null) return undefined;
  const { revisions, offset, parts, bytes, digest } = reference as Readonly<Record<keyof (PayloadReference & OldReference), unknown>>;
  if (!isCount(parts) || !isCount(bytes) || parts > bytes) return undefined;
  if (typeof digest === 'string' && parts <= MOST_OLD_PARTS)
    return { stream: `${PAYLOAD_PREFIX}${id}.${digest}`, revisions: [...Array(parts).keys()], offset: 0, bytes };
  return Array.isArray(revisions) && revisions.every(isCount) && isCount(offset)
    ? { stream: payloadStream(stream), revisions, offset, bytes }
    : undefined;
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const MAX_TIME = 8.64e15;

/** Replaces an unreadable event. `reason`: a clause about it. */
const unreadable = (wire: WireEvent, reason: string): StoredEvent => {
  const { id, type, created } = wire;
  const data: UnreadableData = { reason, type, data: wire.data.toString('base64'), metadata: wire.metadata.toString('base64') };
  const at = Math.min(Math.max(Number.isNaN(created) ? 0 : created, 0), MAX_TIME);
  const metadata = { ...systemContext('unknown', 'ops', at, null, id), schemaVersion: 1 };
  return { event: eventOf(wire, metadata, data, UNREADABLE), bytes: data.data.length + data.metadata.length, payload: undefined };
};

/** Parses JSON. Returns `undefined` if the text is not JSON, or has more levels than the program can walk. */
export const parsed = (bytes: Buffer): Json | undefined => {
  try {
    const value: Json = JSON.parse(bytes.toString('utf8'));
    return mayBeDeep(bytes) && isDeeper(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
};

/** Returns whether the text has as many brackets as a deep value needs. This is cheap for most events, which have few. */
const mayBeDeep = (bytes: Buffer): boolean => {
  let found = 0;
  for (const bracket of ['[', '{'])
    for (let at = bytes.indexOf(bracket); at >= 0 && found <= MOST_LEVELS; at = bytes.indexOf(bracket, at + 1)) found += 1;
  return found > MOST_LEVELS;
};
