import type { EventMetadata, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { UnreadableEvent } from '#infra/stores/event-store/eventstoredb/errors.js';
import { ProtobufReader } from '#infra/stores/event-store/eventstoredb/grpc/protobuf.js';

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

/** What a client has parsed from JSON before it hands it over. */
export class ParsedJson {
  constructor(readonly value: unknown) {}

  /** Bytes of its text, about as stored. */
  get length(): number {
    return bytesOf(this).length;
  }
}

/** Data or metadata of an event: as stored, or parsed. */
export type Content = Buffer | ParsedJson;

/** An event as the server sends it. The bytes are parts of what has arrived: keep no references to them. */
export type WireEvent = Readonly<{
  id: string;
  stream: string;
  type: string;
  revision: bigint;
  position: bigint;
  /** Milliseconds since 1970-01-01 UTC. */
  created: number;
  metadata: Content;
  data: Content;
}>;

/** An event as stored in its stream; its data may be elsewhere. */
export type StoredEvent = Readonly<{
  event: RecordedEvent;
  /** Bytes of the JSON text of the data, wherever it is stored. */
  bytes: number;
  payload: PayloadReference | undefined;
}>;

/**
 * What a message of a read or subscription says. `searched`: a checkpoint, everything up to the position has been looked through. `0n`: nothing that
 * is of interest. `last`: revision of the stream's last event, also where it can no longer be read.
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

/** A checkpoint with unequal positions names the beginning of a page that has not been searched yet: it is no progress. */
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

/** @throws UnreadableEvent the data or metadata are not JSON, so Logbook did not write the event */
export const decode = ({ id, stream, type, revision, position, created, metadata: stored, data }: WireEvent): StoredEvent => {
  try {
    const [metadata, payload] = metadataIn(stored);
    const event: RecordedEvent = { id, type, data: parseData(data), metadata, stream, revision, position, recordedAt: created };
    return { event, bytes: payload?.bytes ?? data.length, payload };
  } catch (error) {
    throw new UnreadableEvent(`event ${id} in stream ${stream} is not one of Logbook's`, { cause: error });
  }
};

const metadataIn = (stored: Content): readonly [EventMetadata, PayloadReference | undefined] => {
  const parsed: StoredMetadata = jsonOf(stored);
  if (!(PAYLOAD_MEMBER in parsed)) return [parsed, undefined];
  const { [PAYLOAD_MEMBER]: payload, ...metadata } = parsed;
  return [metadata, payload];
};

const jsonOf = (content: Content) => (content instanceof ParsedJson ? content.value : JSON.parse(content.toString('utf8')));

export const parseData = (content: Content): JsonObject => jsonOf(content);

export const bytesOf = (content: Content): Buffer => (content instanceof ParsedJson ? Buffer.from(JSON.stringify(content.value)) : content);
