import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import {
  BATCH_APPEND,
  type RecordedBytes,
  type RecordedEvent,
  type RecordedOptions,
  type RecordedPosition,
  type RecordedRequest,
  type RecordedUuid,
} from './conversation.js';

export type Message = { serializeBinary(): Uint8Array };

/** Position of today for a recorded one. */
type PositionOf = (recorded: string) => string;

const empty = () => new shared.Empty();

/** The generated message for a recorded request. */
export const buildRequest = (rpc: string, request: RecordedRequest, positionOf: PositionOf): Message =>
  rpc === BATCH_APPEND ? batchRequest(request) : readRequest(request.options ?? {}, positionOf);

const bytesOf = (recorded: RecordedBytes): Uint8Array => {
  if (typeof recorded === 'string') return Buffer.from(recorded);
  return 'base64' in recorded ? Buffer.from(recorded.base64, 'base64') : Buffer.alloc(recorded.bytes, recorded.allEqual);
};

const uuidOf = (recorded: RecordedUuid | undefined): shared.UUID | undefined => recorded && new shared.UUID().setString(recorded.string);

const nameOf = (recorded: RecordedOptions['streamIdentifier']): shared.StreamIdentifier | undefined =>
  recorded && new shared.StreamIdentifier().setStreamName(Buffer.from(recorded.streamName));

const eventOf = (event: RecordedEvent): streams.BatchAppendReq.ProposedMessage => {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuidOf(event.id));
  for (const [key, value] of event.metadataMap) message.getMetadataMap().set(key, value);
  message.setCustomMetadata(bytesOf(event.customMetadata));
  message.setData(bytesOf(event.data));
  return message;
};

const batchRequest = (recorded: RecordedRequest): streams.BatchAppendReq => {
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(recorded.correlationId));
  if (recorded.options) request.setOptions(batchOptions(recorded.options));
  request.setProposedMessagesList((recorded.proposedMessagesList ?? []).map(eventOf));
  request.setIsFinal(recorded.isFinal ?? false);
  return request;
};

const batchOptions = (recorded: RecordedOptions): streams.BatchAppendReq.Options => {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(nameOf(recorded.streamIdentifier));
  if (recorded.streamPosition !== undefined) options.setStreamPosition(recorded.streamPosition);
  if (recorded.noStream) options.setNoStream(new emptyPb.Empty());
  if (recorded.any) options.setAny(new emptyPb.Empty());
  return options;
};

const readRequest = (recorded: RecordedOptions, positionOf: PositionOf): streams.ReadReq => {
  const options = new streams.ReadReq.Options();
  if (recorded.stream) options.setStream(streamOptions(recorded.stream));
  if (recorded.all) options.setAll(allOptions(recorded.all, positionOf));
  options.setReadDirection(recorded.readDirection ?? 0);
  if (recorded.count !== undefined) options.setCount(recorded.count);
  if (recorded.subscription) options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  if (recorded.noFilter) options.setNoFilter(empty());
  if (recorded.filter) options.setFilter(filterOptions(recorded.filter));
  options.setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(empty()));
  return new streams.ReadReq().setOptions(options);
};

const streamOptions = (recorded: NonNullable<RecordedOptions['stream']>): streams.ReadReq.Options.StreamOptions => {
  const options = new streams.ReadReq.Options.StreamOptions();
  options.setStreamIdentifier(nameOf(recorded.streamIdentifier));
  if (recorded.start) options.setStart(empty());
  if (recorded.end) options.setEnd(empty());
  if (recorded.revision !== undefined) options.setRevision(recorded.revision);
  return options;
};

const allOptions = (recorded: NonNullable<RecordedOptions['all']>, positionOf: PositionOf): streams.ReadReq.Options.AllOptions => {
  const options = new streams.ReadReq.Options.AllOptions();
  if (recorded.start) options.setStart(empty());
  if (recorded.end) options.setEnd(empty());
  if (recorded.position) options.setPosition(placeOf(recorded.position, positionOf));
  return options;
};

const placeOf = (recorded: RecordedPosition, positionOf: PositionOf): streams.ReadReq.Options.Position => {
  const position = new streams.ReadReq.Options.Position();
  position.setCommitPosition(positionOf(recorded.commitPosition));
  position.setPreparePosition(positionOf(recorded.preparePosition));
  return position;
};

const filterOptions = (recorded: NonNullable<RecordedOptions['filter']>): streams.ReadReq.Options.FilterOptions => {
  const options = new streams.ReadReq.Options.FilterOptions();
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(recorded.streamIdentifier.regex);
  expression.setPrefixList(recorded.streamIdentifier.prefixList);
  options.setStreamIdentifier(expression);
  if (recorded.max === undefined) options.setCount(empty());
  else options.setMax(recorded.max);
  options.setCheckpointintervalmultiplier(recorded.checkpointintervalmultiplier);
  return options;
};
