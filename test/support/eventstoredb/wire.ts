import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { frame, RpcError, type RpcStatus } from './grpc.js';
import type { Expectation } from './log.js';
import type { ProposedEvent, StoredEvent } from './stored-event.js';

const decoder = new TextDecoder();
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const ZERO_UUID = '00000000-0000-0000-0000-000000000000';

/** Something in a request that makes the real server throw. Plain calls end with status 2, batches answer `BadRequest` with the text. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

/** A request that lacks what every event must have; a plain append tells which. */
export class MissingMetadata extends MalformedRequest {
  readonly status: RpcStatus = {
    code: 3,
    details: this.message,
    trailers: { exception: 'missing-required-metadata-property', 'required-metadata-properties': 'type,content-type' },
  };
}

export const streamDeleted = (stream: string): RpcError =>
  new RpcError({
    code: 9,
    details: `Event stream '${stream}' is deleted.`,
    trailers: { exception: 'stream-deleted', 'stream-name': stream },
  });

export const streamIdentifier = (name: string): shared.StreamIdentifier => {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
};

/** @throws MalformedRequest no stream is named */
export const streamName = (identifier: shared.StreamIdentifier | undefined): string => {
  const name = identifier === undefined ? '' : decoder.decode(identifier.getStreamName_asU8());
  if (name === '') throw new MalformedRequest("Value cannot be null. (Parameter 'value')");
  return name;
};

const fromStructured = (structured: shared.UUID.Structured): string => {
  const hex = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  return dashed(hex(structured.getMostSignificantBits()) + hex(structured.getLeastSignificantBits()));
};

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The UUID in lower case with dashes. @throws MalformedRequest absent, or not a UUID */
export const uuidText = (uuid: shared.UUID | undefined): string => {
  if (uuid === undefined) throw new MalformedRequest("Value cannot be null. (Parameter 'dto')");
  const structured = uuid.getStructured();
  if (structured) return fromStructured(structured);
  const text = uuid.getString();
  if (!UUID.test(text)) throw new MalformedRequest('Unrecognized Guid format.');
  return text.length === ZERO_UUID.length && text === text.toLowerCase() ? text : dashed(text.replaceAll('-', '').toLowerCase());
};

const stringUuid = (text: string): shared.UUID => {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
};

export const structuredUuid = (text: string): shared.UUID => {
  const hex = text.replaceAll('-', '');
  const half = (digits: string) => BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
  const structured = new shared.UUID.Structured();
  structured.setMostSignificantBits(half(hex.slice(0, 16)));
  structured.setLeastSignificantBits(half(hex.slice(16)));
  const uuid = new shared.UUID();
  uuid.setStructured(structured);
  return uuid;
};

type Placed = { setCommitPosition(value: string): unknown; setPreparePosition(value: string): unknown };

/** `message` with commit and prepare position set, which are equal here. */
export const placedAt = <T extends Placed>(message: T, position: bigint): T => {
  message.setCommitPosition(position.toString());
  message.setPreparePosition(position.toString());
  return message;
};

type ProposedMessage = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

/** @throws MalformedRequest bad or absent id, empty type @throws MissingMetadata no type or content type */
export const proposedEvent = (message: ProposedMessage): ProposedEvent => {
  const id = uuidText(message.getId());
  const metadata = message.getMetadataMap();
  const required = (key: string): string => {
    const value = metadata.get(key);
    if (value === undefined) throw new MissingMetadata(`Required Metadata Property '${key}' is missing`);
    return value;
  };
  const type = required('type');
  const contentType = required('content-type');
  if (id === ZERO_UUID) throw new MalformedRequest("Empty eventId provided. (Parameter 'eventId')");
  if (type === '') throw new MalformedRequest("Empty eventType provided. (Parameter 'eventType')");
  return {
    id,
    type,
    contentType: contentType === 'application/json' ? 'application/json' : 'application/octet-stream',
    metadata: message.getCustomMetadata_asU8(),
    data: message.getData_asU8(),
  };
};

type Expecting = {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
};

/** The case that is set, or nothing. `exact` gives the revision when that is the case. */
export const expectation = (options: Expecting, exact: string | undefined): Expectation | undefined => {
  if (exact !== undefined) return BigInt(exact);
  if (options.hasNoStream()) return 'no-stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream-exists' : undefined;
};

/** As the server counts in texts and trailers. */
export const expectationNumber = (expected: Expectation): bigint => {
  if (typeof expected === 'bigint') return expected;
  return { 'no-stream': -1n, any: -2n, 'stream-exists': -4n }[expected];
};

export type UuidForm = 'string' | 'structured';

const recordedEvent = (event: StoredEvent, uuids: UuidForm): streams.ReadResp.ReadEvent.RecordedEvent => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuids === 'string' ? stringUuid(event.id) : structuredUuid(event.id));
  recorded.setStreamIdentifier(streamIdentifier(event.stream));
  recorded.setStreamRevision(event.revision.toString());
  placedAt(recorded, event.position);
  const metadata = recorded.getMetadataMap();
  metadata.set('content-type', event.contentType);
  metadata.set('created', event.created.toString());
  metadata.set('type', event.type);
  recorded.setCustomMetadata(event.metadata);
  recorded.setData(event.data);
  return recorded;
};

/** The framed response that carries `event`, or with `target` the link and what it points to. */
export const eventFrame = (event: StoredEvent, uuids: UuidForm, target?: StoredEvent): Buffer => {
  if (event.frame && uuids === 'string' && !target) return event.frame;
  const readEvent = new streams.ReadResp.ReadEvent();
  readEvent.setEvent(recordedEvent(target ?? event, uuids));
  if (target) readEvent.setLink(recordedEvent(event, uuids));
  readEvent.setCommitPosition(event.position.toString());
  const response = new streams.ReadResp();
  response.setEvent(readEvent);
  const framed = frame(response);
  if (uuids === 'string' && !target) event.frame = framed;
  return framed;
};

export const streamNotFoundFrame = (name: string): Buffer => {
  const missing = new streams.ReadResp.StreamNotFound();
  missing.setStreamIdentifier(streamIdentifier(name));
  const response = new streams.ReadResp();
  response.setStreamNotFound(missing);
  return frame(response);
};

export const lastPositionFrame = (revision: bigint): Buffer => {
  const response = new streams.ReadResp();
  response.setLastStreamPosition(revision.toString());
  return frame(response);
};

export const confirmationFrame = (subscriptionId: string): Buffer => {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(subscriptionId);
  const response = new streams.ReadResp();
  response.setConfirmation(confirmation);
  return frame(response);
};

export const checkpointFrame = (commit: bigint, prepare: bigint): Buffer => {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(commit.toString());
  checkpoint.setPreparePosition(prepare.toString());
  const response = new streams.ReadResp();
  response.setCheckpoint(checkpoint);
  return frame(response);
};
