import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { frame } from './grpc.js';
import type { ProposedEvent, StoredEvent } from './stored-event.js';

const decoder = new TextDecoder();
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ZERO_UUID = '00000000-0000-0000-0000-000000000000';

/** Something in an append that makes the real server answer `BadRequest` with this text. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';
}

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

/** The UUID in lower case. @throws MalformedRequest absent, or not a UUID */
export const uuidText = (uuid: shared.UUID | undefined): string => {
  if (uuid === undefined) throw new MalformedRequest("Value cannot be null. (Parameter 'dto')");
  const text = uuid.getString();
  if (!UUID.test(text)) throw new MalformedRequest('Unrecognized Guid format.');
  return text.toLowerCase();
};

const stringUuid = (text: string): shared.UUID => {
  const uuid = new shared.UUID();
  uuid.setString(text);
  return uuid;
};

type Placed = { setCommitPosition(value: string): unknown; setPreparePosition(value: string): unknown };

/** `message` with commit and prepare position set, which are equal here. */
export const placedAt = <T extends Placed>(message: T, position: bigint): T => {
  message.setCommitPosition(position.toString());
  message.setPreparePosition(position.toString());
  return message;
};

/** @throws MalformedRequest bad or absent id, no type or content type */
export const proposedEvent = (message: streams.BatchAppendReq.ProposedMessage): ProposedEvent => {
  const id = uuidText(message.getId());
  const metadata = message.getMetadataMap();
  const required = (key: string): string => {
    const value = metadata.get(key);
    if (value === undefined) throw new MalformedRequest(`Required Metadata Property '${key}' is missing`);
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

const recordedEvent = (event: StoredEvent): streams.ReadResp.ReadEvent.RecordedEvent => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(stringUuid(event.id));
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

/** The framed response that carries `event`. */
export const eventFrame = (event: StoredEvent): Buffer => {
  if (event.frame) return event.frame;
  const readEvent = new streams.ReadResp.ReadEvent();
  readEvent.setEvent(recordedEvent(event));
  readEvent.setCommitPosition(event.position.toString());
  const response = new streams.ReadResp();
  response.setEvent(readEvent);
  event.frame = frame(response);
  return event.frame;
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
