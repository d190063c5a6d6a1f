import type { FastifyRequest } from 'fastify';
import { bodyAs, firstValueAs } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { dictionary, mapped, optional, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { SchemaContent } from '#domain/messaging/resources/resource-commands.js';
import type { SchemaType } from '#domain/messaging/resources/resource-events.js';
import type { JsonObject } from '#domain/shared/events.js';
import { SchemaInvalid } from '#infra/schemas/errors.js';
import type { MessageValidator } from '#infra/schemas/validation/message-validator.js';

/** Longest schema document, in characters of compact JSON: compiling one takes time and memory in proportion. */
const LONGEST_DOCUMENT = 1024 * 1024;

/** Whether there is a number beyond the range of 64-bit floats in a value, at whatever level. */
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

/** The first JSON value of the body, whatever follows it. @throws MessagingError B17 */
export const readSchemaRequest = (request: FastifyRequest) => firstValueAs(request, schemaRequest, errors.invalidSchemaArguments);

/** @throws MessagingError B19 */
export const schemaTypeOf = (type: string): SchemaType => {
  const known = type.toLowerCase();
  if (known !== 'json' && known !== 'avro') throw errors.invalidSchemaType();
  return known;
};

/** Something that compiles. `projectId`: whose work that is. @throws MessagingError B20 */
export const compilable = async (
  validator: MessageValidator,
  projectId: string,
  type: SchemaType,
  given: JsonObject | undefined,
): Promise<SchemaContent> => {
  if (!given) throw errors.schemaNotCompiled('schema is invalid');
  const { length } = JSON.stringify(given);
  if (length > LONGEST_DOCUMENT) throw errors.schemaNotCompiled(`schema is longer than ${LONGEST_DOCUMENT} characters`);
  const content: SchemaContent = { type, document: given };
  try {
    await validator.requireCompilable(projectId, content, length);
  } catch (error) {
    throw error instanceof SchemaInvalid ? errors.schemaNotCompiled(error.message) : error;
  }
  return content;
};

const texts = dictionary(text);
/** What is checked against an avro schema: a datum in base64. */
export const payload = struct({ data: optional(text) });

/** The datum, in base64. @throws MessagingError B01 unless the body is an object of texts, B18 without data */
export const readPayload = (request: FastifyRequest): Readonly<{ data: string }> => {
  bodyAs(request, texts, errors.invalidBody);
  const { data } = bodyAs(request, payload, errors.invalidBody);
  if (data === undefined) throw errors.invalidSchemaPayload();
  return { data };
};

/** The body as it came. */
export const rawBody = (request: FastifyRequest): Buffer => bodyOf(request) ?? Buffer.alloc(0);
