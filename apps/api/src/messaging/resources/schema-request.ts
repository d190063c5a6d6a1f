import { bodyFrom, firstValueFrom } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { SCHEMA_REFERENCE, SCHEMA_TYPE } from '#api/messaging/openapi/components.js';
import {
  described,
  dictionary,
  due,
  type Infer,
  mapped,
  named,
  optional,
  type ReceivedBody,
  type Shape,
  struct,
  text,
  unsaid,
} from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { JsonObject } from '#domain/shared/events.js';
import { doc } from '#domain/shared/shape.js';

/** Returns whether a value contains, at any level, a number beyond the range of 64-bit floats. */
const isOutOfRange = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isOutOfRange);
};

/** Numbers are 64-bit floats, also in answers. One beyond their range is malformed. */
const document: Shape<JsonObject> = mapped(freeObject, (text) => {
  const value: JsonObject = JSON.parse(text);
  if (isOutOfRange(value)) throw new MalformedJson('a number out of range');
  return value;
});

const DOCUMENT = doc({ '*': 'any' }, 'JSON Schema (drafts 4, 6, 7), or an Avro schema');

/** Body of a creation; a name in it is ignored. */
export const newSchemaBody = named(
  'MessagingNewSchema',
  struct({
    name: unsaid(text),
    type: due(text, doc(SCHEMA_TYPE, 'in any letter case')),
    schema: due(optional(document), DOCUMENT),
  }),
);

/** Body of an update. */
export const schemaChangesBody = named(
  'MessagingSchemaChange',
  struct({
    name: described(text, SCHEMA_REFERENCE),
    type: described(text, SCHEMA_TYPE),
    schema: described(optional(document), DOCUMENT),
  }),
  'What is empty or left out stays',
);

type SchemaRequest = Infer<typeof schemaChangesBody>;

/** The first JSON value of the body; the rest is ignored. @throws MessagingError B17 */
export const readSchemaRequest = (body: ReceivedBody | undefined): SchemaRequest =>
  firstValueFrom(body, schemaChangesBody, errors.invalidSchemaArguments);

const texts = dictionary(text);
/** Body of a validation; for an avro schema the data is base64. */
export const payload = described(
  struct({ data: optional(text) }),
  doc('any', 'By a json schema: the message itself. By an Avro schema: an object whose `data` is the message, a bare datum in base64.'),
);

/** The data in base64; `null` is empty data. @throws MessagingError B01 unless the body is an object of texts, B18 without data */
export const readPayload = (body: ReceivedBody | undefined): string => {
  const members = Object.entries(bodyFrom(body, texts, errors.invalidBody));
  const [, data] = members.findLast(([key]) => key.toLowerCase() === 'data') ?? [];
  if (data === undefined) throw errors.invalidSchemaPayload();
  return data;
};
