import shared from '@eventstore/db-client/generated/shared_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type { RecordedBytes } from './conversation.js';

type Generated = { toObject(): object };

/** From so many equal bytes on, the recording only counts them. */
const LONG_BYTES = 100;

/** A message as the recording shows it: `toObject()` without what is unset, bytes as text (or base64, or counted), `Any` unpacked. */
export const describeMessage = (message: Generated): unknown => {
  if (message instanceof anyPb.Any) return { typeUrl: message.getTypeUrl(), value: unpack(message) };
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message.toObject())) {
    const name = key.charAt(0).toUpperCase() + key.slice(1);
    if (invoke(message, `has${name}`) !== false) shown[key] = describeField(message, name, value);
  }
  return shown;
};

/** Calls a method that the generated class may have; nothing when it has none. */
const invoke = (message: Generated, method: string): unknown => {
  const found: unknown = Reflect.get(message, method);
  return typeof found === 'function' ? Reflect.apply(found, message, []) : undefined;
};

const isGenerated = (value: unknown): value is Generated => typeof value === 'object' && value !== null && 'toObject' in value;

const describeField = (message: Generated, name: string, plain: unknown): unknown => {
  if (name.endsWith('Map')) return plain;
  const bytes = invoke(message, `get${name}_asU8`);
  if (bytes instanceof Uint8Array) return describeBytes(bytes);
  const field = invoke(message, `get${name}`);
  if (Array.isArray(field)) return field.map((item: unknown) => (isGenerated(item) ? describeMessage(item) : item));
  return isGenerated(field) ? describeMessage(field) : plain;
};

const describeBytes = (bytes: Uint8Array): RecordedBytes => {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  if (bytes.length >= LONG_BYTES && bytes.every((byte) => byte === bytes[0])) return { bytes: bytes.length, allEqual: text.charAt(0) };
  const isText = Buffer.from(text).equals(buffer) && ![...buffer].some((byte) => byte < 0x20);
  return isText ? text : { base64: buffer.toString('base64') };
};

const DETAILS = {
  'event_store.client.AccessDenied': shared.AccessDenied,
  'event_store.client.BadRequest': shared.BadRequest,
  'event_store.client.MaximumAppendSizeExceeded': shared.MaximumAppendSizeExceeded,
  'event_store.client.WrongExpectedVersion': shared.WrongExpectedVersion,
  'google.protobuf.Empty': shared.Empty,
};

const unpack = (any: anyPb.Any): unknown => {
  const found = Object.entries(DETAILS).find(([name]) => name === any.getTypeName());
  if (!found) throw new Error(`unknown details ${any.getTypeUrl()}`);
  return describeMessage(found[1].deserializeBinary(any.getValue_asU8()));
};
