import { hash } from 'node:crypto';
import type { Json, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { jcs } from '#domain/shared/json/jcs.js';
import { sha256 } from '#domain/shared/sha256.js';
import { leafText, type StoredForm } from './leaf-text.js';

/** Stands for what auditors need not read: the hash, and the length in bytes, of the UTF-8 of a text or of the canonical text of a value. */
type Digest = Readonly<{ $sha256: string; $bytes: number }>;

const digestOf = (value: Json): Digest => {
  const text = typeof value === 'string' ? value : jcs(value);
  return { $sha256: sha256(text), $bytes: Buffer.byteLength(text) };
};

/** Members of `MessagePublished` that are shown as digests. */
const MESSAGE_MEMBERS: readonly string[] = ['data', 'attributes'];

const withDigests = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, MESSAGE_MEMBERS.includes(name) ? digestOf(value) : value]));

/** Data as the stored form shows them. */
export const storedData = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): JsonObject =>
  type === 'MessagePublished' ? withDigests(data) : data;

export const storedForm = (event: RecordedEvent): StoredForm => ({
  data: storedData(event),
  id: event.id,
  metadata: event.metadata as unknown as JsonObject,
  revision: Number(event.revision),
  stream: event.stream,
  type: event.type,
});

/** The leaf of a stored form, 32 bytes. */
export const leafHash = (form: StoredForm): Buffer => hash('sha256', leafText(form), 'buffer');

/** The leaf of an event as the log returns it. */
export const leafOf = (event: RecordedEvent): Buffer => leafHash(storedForm(event));
