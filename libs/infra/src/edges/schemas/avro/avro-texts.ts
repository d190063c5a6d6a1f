import avro from 'avsc';
import type { JsonObject } from '#domain/shared/events.js';
import type { Budget } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { DatumInvalid, DatumReader, Walker } from './avro-datum.js';
import { type AvroType, parseAvroSchema } from './avro-schema.js';

/** Texts of a record by field name. @throws DatumInvalid the bytes are not exactly one datum; TooMuchWork */
export type AvroTexts = (datum: Buffer, budget: Budget) => Readonly<Record<string, string>>;

/** Returns whether its values are texts, symbols of an enum, or absent. */
const isTextual = (type: AvroType): boolean => {
  const { UnwrappedUnionType, WrappedUnionType } = avro.types;
  if (type instanceof UnwrappedUnionType || type instanceof WrappedUnionType) return type.types.every(isTextual);
  return type.typeName === 'string' || type.typeName === 'enum' || type.typeName === 'null';
};

/** Replaces bytes that are not UTF-8 in a decoded text; it may also occur in the message itself. */
const REPLACEMENT = '\uFFFD';

/** A value of a textual type; `undefined` if it is absent. */
const textOf = (type: AvroType, bytes: Buffer): string | undefined => {
  const value: unknown = type.fromBuffer(bytes);
  const text: unknown = typeof value === 'object' && value !== null ? Object.values(value)[0] : value;
  if (typeof text !== 'string') return undefined;
  if (text.includes(REPLACEMENT) && !bytes.includes(text)) throw new DatumInvalid('a text is not UTF-8');
  return text;
};

/**
 * Compiles the Avro schema of a record, of which only fields with texts are decoded. The others are checked and skipped, because a few
 * bytes may stand for an array of a billion items. @throws SchemaInvalid
 */
export const compileAvroTexts = (document: JsonObject): AvroTexts => {
  const type = parseAvroSchema(document);
  if (!(type instanceof avro.types.RecordType)) throw new SchemaInvalid('the schema is not that of a record');
  const walker = new Walker();
  const fields = type.fields.map((field) => ({
    name: field.name,
    skip: walker.skip(field.type),
    text: isTextual(field.type) ? field.type : undefined,
  }));
  return (datum, budget) => {
    const reader = new DatumReader(datum, budget);
    const texts: [string, string][] = [];
    for (const { name, skip, text } of fields) {
      const start = reader.position;
      reader.within(`field "${name}"`, skip);
      const value = text && textOf(text, datum.subarray(start, reader.position));
      if (value !== undefined) texts.push([name, value]);
    }
    if (reader.left > 0) throw new DatumInvalid(`${reader.left} bytes left over after the datum`);
    return Object.fromEntries(texts);
  };
};
