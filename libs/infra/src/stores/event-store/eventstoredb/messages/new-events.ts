import { InvalidAppend } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { isReserved } from '#infra/stores/event-store/eventstoredb/categories.js';
import { jsonText } from '#infra/stores/event-store/json-text.js';
import { PAYLOAD_MEMBER } from './records.js';
import { bytes, type EncodedEvent } from './requests.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NIL_UUID = /^[0-]+$/;
/** Half a character, which would be read back as another one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Checks events and serialises them once. An event that passes cannot make the server break its call.
 * @throws InvalidAppend
 */
export const encodeAppend = (stream: string, events: readonly NewEvent[]): readonly EncodedEvent[] => {
  checkStream(stream);
  if (events.length === 0) throw new InvalidAppend(`stream ${stream}: nothing to append`);
  const encoded = events.map(encode);
  if (new Set(encoded.map((event) => event.id)).size < events.length) {
    throw new InvalidAppend(`stream ${stream}: the same event id twice in one append`);
  }
  return encoded;
};

/** @throws InvalidAppend callers may not write to the stream */
export const checkStream = (stream: string): void => {
  if (isReserved(stream) || LONE_SURROGATE.test(stream)) throw new InvalidAppend(`${JSON.stringify(stream)} is not a valid stream name`);
};

/** Lower-cases ids, as the server returns them. */
const encode = ({ id, type, data, metadata, dataText }: NewEvent): EncodedEvent => {
  const lowerCaseId = id.toLowerCase();
  if (!UUID.test(lowerCaseId) || NIL_UUID.test(id)) throw new InvalidAppend(`${JSON.stringify(id)} is not an event id`);
  if (type === '' || type.startsWith('$') || LONE_SURROGATE.test(type)) throw new InvalidAppend(`event ${id}: not an event type`);
  if (PAYLOAD_MEMBER in metadata) throw new InvalidAppend(`event ${id}: metadata must not have a member ${PAYLOAD_MEMBER}`);
  try {
    return {
      id: lowerCaseId,
      type,
      data: bytes(dataText ?? jsonText(data)),
      metadata: bytes(jsonText(metadata)),
      contentType: 'application/json',
    };
  } catch (error) {
    throw new InvalidAppend(`event ${id} is not JSON`, { cause: error });
  }
};
