import { bodyFrom, firstValueFrom } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { dictionary, type Infer, mapped, optional, type ReceivedBody, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { JsonObject } from '#domain/shared/events.js';

/** Whether a value contains a number beyond the range of 64-bit floats, at any level. */
const isOutOfRange = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isOutOfRange);
};

/** Numbers are 64-bit floats, as they are shown again; one beyond their range is malformed. */
const document: Shape<JsonObject> = mapped(freeObject, (text) => {
  const value: JsonObject = JSON.parse(text);
  if (isOutOfRange(value)) throw new MalformedJson('a number out of range');
  return value;
});

/** What creations and updates of schemas send; `name` counts in updates only. */
export const schemaRequest = struct({ name: text, type: text, schema: optional(document) });

export type SchemaRequest = Infer<typeof schemaRequest>;

/** The first JSON value of the body, whatever follows it. @throws MessagingError B17 */
export const readSchemaRequest = (body: ReceivedBody | undefined): SchemaRequest =>
  firstValueFrom(body, schemaRequest, errors.invalidSchemaArguments);

const texts = dictionary(text);
/** The body of a validation against an avro schema: a datum in base64. */
export const payload = struct({ data: optional(text) });

/** The datum, in base64; `null` is an empty one. @throws MessagingError B01 unless the body is an object of texts, B18 without data */
export const readPayload = (body: ReceivedBody | undefined): string => {
  const members = Object.entries(bodyFrom(body, texts, errors.invalidBody));
  const [, data] = members.findLast(([key]) => key.toLowerCase() === 'data') ?? [];
  if (data === undefined) throw errors.invalidSchemaPayload();
  return data;
};
