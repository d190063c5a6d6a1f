import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { digestOf } from '#domain/shared/marks.js';
import { sha256Bytes } from '#domain/shared/sha256.js';
import { leafText, type StoredForm } from './leaf-text.js';

/** Data of a message; its `data` and `attributes` are shown as digests. */
const withDigests = (message: JsonObject): JsonObject => {
  const { data, attributes } = message;
  return {
    ...message,
    ...(data !== undefined && { data: digestOf(data) }),
    ...(attributes !== undefined && { attributes: digestOf(attributes) }),
  };
};

/** Data as the stored form shows them. */
export const storedData = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): JsonObject =>
  type === 'MessagePublished' ? withDigests(data) : data;

export const storedForm = (event: RecordedEvent): StoredForm => ({
  data: storedData(event),
  id: event.id,
  metadata: event.metadata,
  revision: Number(event.revision),
  stream: event.stream,
  type: event.type,
});

/** The leaf of a stored form, 32 bytes. */
export const leafHash = (form: StoredForm): Buffer => sha256Bytes(leafText(form));

/** The leaf of an event as the log returns it. */
export const leafOf = (event: RecordedEvent): Buffer => leafHash(storedForm(event));
