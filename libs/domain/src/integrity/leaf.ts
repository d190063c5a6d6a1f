import { sha256Bytes } from '#domain/shared/bytes/sha256.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { digestOf } from '#domain/shared/marks.js';
import { leafText, type StoredForm } from './leaf-text.js';

/** Replaces the `data` and `attributes` of a message with their digests. */
const withDigests = (message: JsonObject): JsonObject => {
  const { data, attributes } = message;
  return {
    ...message,
    ...(data !== undefined && { data: digestOf(data) }),
    ...(attributes !== undefined && { attributes: digestOf(attributes) }),
  };
};

/** Data of an event in its stored form. */
export const storedData = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): JsonObject =>
  type === 'MessagePublished' ? withDigests(data) : data;

/** Members in the order in which auditors see them (operations contract 3). */
export const storedForm = (event: RecordedEvent): StoredForm => ({
  stream: event.stream,
  revision: Number(event.revision),
  id: event.id,
  type: event.type,
  metadata: event.metadata,
  data: storedData(event),
});

/** Leaf of a stored form, 32 bytes. */
export const leafHash = (form: StoredForm): Buffer => sha256Bytes(leafText(form));

/** Leaf of an event as returned by the log. */
export const leafOf = (event: RecordedEvent): Buffer => leafHash(storedForm(event));
