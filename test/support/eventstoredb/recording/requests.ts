import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type {
  Conversation,
  RecordedBytes,
  RecordedEvent,
  RecordedOptions,
  RecordedPosition,
  RecordedRequest,
  RecordedUuid,
} from './conversation.js';

export type Message = { serializeBinary(): Uint8Array };

/** What in a recorded request means something else today. */
export type Today = Readonly<{
  position(recorded: string): string;
  /** Milliseconds since 1970-01-01 UTC. */
  deadline(): number;
}>;

const empty = () => new shared.Empty();

/** The generated message for a recorded request. */
export const buildRequest = ({ rpc }: Conversation, request: RecordedRequest, today: Today): Message => {
  const method = rpc.slice(rpc.lastIndexOf('/') + 1);
  switch (method) {
    case 'Append':
      return appendRequest(request);
    case 'BatchAppend':
      return batchRequest(request, today);
    case 'Read':
      return readRequest(request.options ?? {}, today);
    case 'Delete':
      return new streams.DeleteReq().setOptions(withExpectation(new streams.DeleteReq.Options(), request.options ?? {}));
    case 'Tombstone':
      return new streams.TombstoneReq().setOptions(withExpectation(new streams.TombstoneReq.Options(), request.options ?? {}));
    case 'GetSupportedMethods':
      return empty();
    default:
      throw new Error(`no request for ${rpc}`);
  }
};

const bytesOf = (recorded: RecordedBytes): Uint8Array => {
  if (typeof recorded === 'string') return Buffer.from(recorded);
  return 'base64' in recorded ? Buffer.from(recorded.base64, 'base64') : Buffer.alloc(recorded.bytes, recorded.allEqual);
};

const uuidOf = (recorded: RecordedUuid | undefined): shared.UUID | undefined => {
  if (!recorded) return undefined;
  const uuid = new shared.UUID();
  if (recorded.string !== undefined) return uuid.setString(recorded.string);
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(recorded.structured?.mostSignificantBits ?? '0');
  structured.setLeastSignificantBits(recorded.structured?.leastSignificantBits ?? '0');
  return uuid.setStructured(structured);
};

const nameOf = (recorded: RecordedOptions['streamIdentifier']): shared.StreamIdentifier | undefined =>
  recorded && new shared.StreamIdentifier().setStreamName(Buffer.from(recorded.streamName));

const fillEvent = <T extends streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage>(
  message: T,
  event: RecordedEvent,
): T => {
  message.setId(uuidOf(event.id));
  for (const [key, value] of event.metadataMap) message.getMetadataMap().set(key, value);
  message.setCustomMetadata(bytesOf(event.customMetadata));
  message.setData(bytesOf(event.data));
  return message;
};

type PlainOptions = streams.AppendReq.Options | streams.DeleteReq.Options | streams.TombstoneReq.Options;

const withExpectation = <T extends PlainOptions>(options: T, recorded: RecordedOptions): T => {
  options.setStreamIdentifier(nameOf(recorded.streamIdentifier));
  if (recorded.revision !== undefined) options.setRevision(recorded.revision);
  if (recorded.noStream) options.setNoStream(empty());
  if (recorded.any) options.setAny(empty());
  if (recorded.streamExists) options.setStreamExists(empty());
  return options;
};

const appendRequest = ({ options, proposedMessage }: RecordedRequest): streams.AppendReq => {
  const request = new streams.AppendReq();
  if (options) request.setOptions(withExpectation(new streams.AppendReq.Options(), options));
  if (proposedMessage) request.setProposedMessage(fillEvent(new streams.AppendReq.ProposedMessage(), proposedMessage));
  return request;
};

const batchRequest = (recorded: RecordedRequest, today: Today): streams.BatchAppendReq => {
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuidOf(recorded.correlationId));
  if (recorded.options) request.setOptions(batchOptions(recorded.options, today));
  for (const event of recorded.proposedMessagesList ?? []) {
    request.addProposedMessages(fillEvent(new streams.BatchAppendReq.ProposedMessage(), event));
  }
  request.setIsFinal(recorded.isFinal ?? false);
  return request;
};

const batchOptions = (recorded: RecordedOptions, today: Today): streams.BatchAppendReq.Options => {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(nameOf(recorded.streamIdentifier));
  if (recorded.streamPosition !== undefined) options.setStreamPosition(recorded.streamPosition);
  if (recorded.noStream) options.setNoStream(new emptyPb.Empty());
  if (recorded.any) options.setAny(new emptyPb.Empty());
  if (recorded.streamExists) options.setStreamExists(new emptyPb.Empty());
  if (recorded.deadline) options.setDeadline(timestampPb.Timestamp.fromDate(new Date(today.deadline())));
  return options;
};

const readRequest = (recorded: RecordedOptions, today: Today): streams.ReadReq => {
  const options = new streams.ReadReq.Options();
  if (recorded.stream) options.setStream(streamOptions(recorded.stream));
  if (recorded.all) options.setAll(allOptions(recorded.all, today));
  options.setReadDirection(recorded.readDirection ?? 0);
  options.setResolveLinks(recorded.resolveLinks ?? false);
  if (recorded.count !== undefined) options.setCount(recorded.count);
  if (recorded.subscription) options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  if (recorded.noFilter) options.setNoFilter(empty());
  if (recorded.filter) options.setFilter(filterOptions(recorded.filter));
  if (recorded.uuidOption) {
    const uuids = new streams.ReadReq.Options.UUIDOption();
    options.setUuidOption(recorded.uuidOption.string ? uuids.setString(empty()) : uuids.setStructured(empty()));
  }
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

const allOptions = (recorded: NonNullable<RecordedOptions['all']>, today: Today): streams.ReadReq.Options.AllOptions => {
  const options = new streams.ReadReq.Options.AllOptions();
  if (recorded.start) options.setStart(empty());
  if (recorded.end) options.setEnd(empty());
  if (recorded.position) options.setPosition(positionOf(recorded.position, today));
  return options;
};

const positionOf = (recorded: RecordedPosition, today: Today): streams.ReadReq.Options.Position => {
  const position = new streams.ReadReq.Options.Position();
  position.setCommitPosition(today.position(recorded.commitPosition));
  position.setPreparePosition(today.position(recorded.preparePosition));
  return position;
};

const filterOptions = (recorded: NonNullable<RecordedOptions['filter']>): streams.ReadReq.Options.FilterOptions => {
  const options = new streams.ReadReq.Options.FilterOptions();
  const recordedExpression = recorded.streamIdentifier ?? recorded.eventType;
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  expression.setRegex(recordedExpression?.regex ?? '');
  expression.setPrefixList(recordedExpression?.prefixList ?? []);
  if (recorded.streamIdentifier) options.setStreamIdentifier(expression);
  else options.setEventType(expression);
  if (recorded.max === undefined) options.setCount(empty());
  else options.setMax(recorded.max);
  options.setCheckpointintervalmultiplier(recorded.checkpointintervalmultiplier);
  return options;
};
