import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadReq as ReadRequest } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Position, Revision } from '#domain/shared/events.js';

const { Empty, StreamIdentifier, UUID } = shared;
const { BatchAppendReq, ReadReq } = streams;
const { Options } = ReadReq;

/** An event as bytes. `contentType`: JSON for events, binary for parts of payloads. */
export type EncodedEvent = Readonly<{
  id: string;
  type: string;
  data: Uint8Array;
  metadata: Uint8Array;
  contentType: 'application/json' | 'application/octet-stream';
}>;

/**
 * The expectations that the adapter sends. `any` and `stream-exists` become one of these, because the server forgets ids sent with `any`.
 */
export type ExactExpectation = Revision | 'no-stream';

type Direction = 'forwards' | 'backwards';

const identifier = (stream: string) => {
  const named = new StreamIdentifier();
  named.setStreamName(bytes(stream));
  return named;
};

/** A plain `Uint8Array`: the protobuf library copies a `Buffer`, and reads a string as base64. */
export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf8'));

const uuid = (id: string) => {
  const value = new UUID();
  value.setString(id);
  return value;
};

const request = (direction: Direction): { request: ReadRequest; options: ReadRequest.Options } => {
  const options = new Options();
  const uuids = new Options.UUIDOption();
  uuids.setString(new Empty());
  options.setUuidOption(uuids);
  options.setResolveLinks(false);
  options.setReadDirection(direction === 'forwards' ? Options.ReadDirection.FORWARDS : Options.ReadDirection.BACKWARDS);
  const whole = new ReadReq();
  whole.setOptions(options);
  return { request: whole, options };
};

/** Reads from `from`, inclusive. `count` is at least 1: the server treats 0 as an error. */
export const streamRequest = (stream: string, from: Revision | undefined, direction: Direction, count: number): ReadRequest => {
  const { request: whole, options } = request(direction);
  const source = new Options.StreamOptions();
  source.setStreamIdentifier(identifier(stream));
  if (from !== undefined) source.setRevision(from.toString());
  else if (direction === 'forwards') source.setStart(new Empty());
  else source.setEnd(new Empty());
  options.setStream(source);
  options.setNoFilter(new Empty());
  options.setCount(count.toString());
  return whole;
};

const filterOptions = (streamNames: string): ReadRequest.Options.FilterOptions => {
  const expression = new Options.FilterOptions.Expression();
  expression.setRegex(streamNames);
  const wanted = new Options.FilterOptions();
  wanted.setStreamIdentifier(expression);
  wanted.setCount(new Empty());
  // A subscription reports how far it has searched after every 32 x 8 events that did not pass.
  wanted.setCheckpointintervalmultiplier(8);
  return wanted;
};

const allFrom = (position: Position): ReadRequest.Options.AllOptions => {
  const source = new Options.AllOptions();
  if (position === 0n) {
    source.setStart(new Empty());
    return source;
  }
  const place = new Options.Position();
  place.setCommitPosition(position.toString());
  place.setPreparePosition(position.toString());
  source.setPosition(place);
  return source;
};

/** Reads a page of the whole log; `streamNames` is a regular expression. The server includes the event at `from` itself. */
export const allRequest = (from: Position, streamNames: string, count: number): ReadRequest => {
  const { request: whole, options } = request('forwards');
  options.setAll(allFrom(from));
  options.setFilter(filterOptions(streamNames));
  options.setCount(count.toString());
  return whole;
};

/** Reads the newest event of the whole log, of any kind without a filter. */
export const headRequest = (streamNames?: string): ReadRequest => {
  const { request: whole, options } = request('backwards');
  const source = new Options.AllOptions();
  source.setEnd(new Empty());
  options.setAll(source);
  if (streamNames) options.setFilter(filterOptions(streamNames));
  else options.setNoFilter(new Empty());
  options.setCount('1');
  return whole;
};

/** Subscribes to events after `after`, exclusive, for as long as the call lives. */
export const subscribeRequest = (after: Position, streamNames: string): ReadRequest => {
  const { request: whole, options } = request('forwards');
  options.setAll(allFrom(after));
  options.setSubscription(new Options.SubscriptionOptions());
  options.setFilter(filterOptions(streamNames));
  return whole;
};

/** One whole append in one message. It has no deadline, because the server would compare that with its own clock. */
export const appendRequest = (correlation: string, stream: string, events: readonly EncodedEvent[], expected: ExactExpectation) => {
  const options = new BatchAppendReq.Options();
  options.setStreamIdentifier(identifier(stream));
  if (expected === 'no-stream') options.setNoStream(new Empty());
  else options.setStreamPosition(expected.toString());
  const whole = new BatchAppendReq();
  whole.setCorrelationId(uuid(correlation));
  whole.setOptions(options);
  whole.setProposedMessagesList(
    events.map((event) => {
      const message = new BatchAppendReq.ProposedMessage();
      message.setId(uuid(event.id));
      message.getMetadataMap().set('type', event.type).set('content-type', event.contentType);
      message.setCustomMetadata(event.metadata);
      message.setData(event.data);
      return message;
    }),
  );
  whole.setIsFinal(true);
  return whole;
};
