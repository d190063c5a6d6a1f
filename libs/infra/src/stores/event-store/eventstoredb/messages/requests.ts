import type { Position, Revision } from '#domain/shared/events.js';
import { FRAME_HEAD, frame, writeFrameHead } from '#infra/stores/event-store/eventstoredb/grpc/frames.js';
import { field, numberField, ProtobufWriter, sizeOfField } from '#infra/stores/event-store/eventstoredb/grpc/protobuf.js';

/** An encoded event. `contentType`: JSON for events, binary for parts of payloads. */
export type EncodedEvent = Readonly<{
  id: string;
  type: string;
  data: Buffer;
  metadata: Buffer;
  contentType: 'application/json' | 'application/octet-stream';
}>;

/** Only appends with these can be repeated without writing twice, because the server forgets ids sent with `any`. */
export type ExactExpectation = Revision | 'no-stream';

/** The expectations that the adapter sends. */
export type SentExpectation = ExactExpectation | 'any';

/** The expectation in the options of an append. */
const expectation = (expected: SentExpectation): Buffer => {
  if (expected === 'no-stream') return field(3);
  return expected === 'any' ? field(4) : numberField(2, expected);
};

type Direction = 'forwards' | 'backwards';

export const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

// Field numbers are those of `streams.proto` and `shared.proto` of EventStoreDB 21.10 to KurrentDB 25. Unit specs compare the bytes with
// the messages of the official client.

const EMPTY = Buffer.alloc(0);

/** `ReadReq` with links unresolved and ids as text. */
const readRequest = (direction: Direction, source: Buffer, count: Buffer, filter: Buffer, control: Buffer = EMPTY): Buffer =>
  frame(field(1, source, direction === 'forwards' ? EMPTY : numberField(3, 1), count, filter, field(9, field(2)), control));

const NO_FILTER = field(8);

const identifier = (number: number, stream: string): Buffer => field(number, field(3, stream));

/** Makes the server also report the end of the stream. */
const WITH_LAST = field(10, numberField(1, 1));

/** Reads the last event of a stream, and its revision even if it has expired or was truncated. */
export const lastRequest = (stream: string): Buffer =>
  readRequest('backwards', field(1, identifier(1, stream), field(4)), numberField(5, 1), NO_FILTER, WITH_LAST);

/** Reads from `from`, inclusive. `count` must be at least 1: the server treats 0 as an error. */
export const streamRequest = (stream: string, from: Revision | undefined, direction: Direction, count: number): Buffer => {
  const start = from === undefined ? field(direction === 'forwards' ? 3 : 4) : numberField(2, from);
  return readRequest(direction, field(1, identifier(1, stream), start), numberField(5, count), NO_FILTER);
};

/** Filter by stream names. A subscription reports its progress after every 32 x 8 events that did not pass. */
const filterOf = (streamNames: string): Buffer => field(7, field(1, field(1, streamNames)), field(4), numberField(5, 8));

const allFrom = (position: Position): Buffer =>
  field(2, position === 0n ? field(2) : field(1, numberField(1, position), numberField(2, position)));

/** Reads a page of the whole log; `streamNames` is a regular expression. The server includes the event at `from` itself. */
export const allRequest = (from: Position, streamNames: string, count: number): Buffer =>
  readRequest('forwards', allFrom(from), numberField(5, count), filterOf(streamNames));

/** Reads the newest event of the whole log; of any kind without a filter. */
export const headRequest = (streamNames?: string): Buffer =>
  readRequest('backwards', field(2, field(3)), numberField(5, 1), streamNames ? filterOf(streamNames) : NO_FILTER);

/** Subscribes to events after `after`, exclusive, until the call ends. */
export const subscribeRequest = (after: Position, streamNames: string): Buffer =>
  readRequest('forwards', allFrom(after), field(6), filterOf(streamNames));

const entry = (name: string, value: string): Buffer => field(2, field(1, name), field(2, value));

const CONTENT_TYPES = {
  'application/json': entry('content-type', 'application/json'),
  'application/octet-stream': entry('content-type', 'application/octet-stream'),
};

const UUID_LENGTH = 36;
const UUID_MESSAGE = 2 + UUID_LENGTH;

/** There are only a few type names. */
const typeEntries = new Map<string, Buffer>();
const MAX_TYPES = 2_000;

const typeEntry = (type: string): Buffer => {
  const known = typeEntries.get(type);
  if (known) return known;
  const made = entry('type', type);
  if (typeEntries.size < MAX_TYPES) typeEntries.set(type, made);
  return made;
};

/** Size of a `ProposedMessage`, without its key and length. */
const sizeOfEvent = ({ type, data, metadata, contentType }: EncodedEvent): number =>
  sizeOfField(UUID_MESSAGE) +
  typeEntry(type).length +
  CONTENT_TYPES[contentType].length +
  sizeOfField(metadata.length) +
  sizeOfField(data.length);

const IS_FINAL = numberField(4, 1);

/**
 * One whole append in one framed message. It has no deadline, because the server would compare that with its own clock. Ids are UUIDs in
 * the usual form of 36 characters.
 */
export const appendRequest = (correlation: string, stream: string, events: readonly EncodedEvent[], expected: SentExpectation): Buffer => {
  const options = field(2, identifier(1, stream), expectation(expected));
  const sizes = events.map(sizeOfEvent);
  const size = sizes.reduce((sum, each) => sum + sizeOfField(each), sizeOfField(UUID_MESSAGE) + options.length + IS_FINAL.length);
  const writer = new ProtobufWriter(Buffer.allocUnsafe(FRAME_HEAD + size), FRAME_HEAD);
  writeFrameHead(writer.buffer, size);
  writer.open(1, UUID_MESSAGE).ascii(2, correlation).encoded(options);
  events.forEach(({ id, type, data, metadata, contentType }, index) => {
    writer
      .open(3, sizes[index] ?? 0)
      .open(1, UUID_MESSAGE)
      .ascii(2, id);
    writer.encoded(typeEntry(type)).encoded(CONTENT_TYPES[contentType]).bytes(3, metadata).bytes(4, data);
  });
  return writer.encoded(IS_FINAL).buffer;
};
