import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';

/** The drafts whose keywords a document may use; `merged`: all three at once. */
export type Dialect = 'draft-04' | 'draft-06' | 'draft-07' | 'merged';

const SCHEMA_OF_DRAFT = /^https?:\/\/json-schema\.org\/(draft-0[467])\/schema#?$/;

/** The dialect named in `$schema`; `merged` if it names none or an unknown one. */
export const dialectOf = ({ $schema }: JsonObject): Dialect => {
  switch (typeof $schema === 'string' ? SCHEMA_OF_DRAFT.exec($schema)?.[1] : undefined) {
    case 'draft-04':
      return 'draft-04';
    case 'draft-06':
      return 'draft-06';
    case 'draft-07':
      return 'draft-07';
    default:
      return 'merged';
  }
};

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const number = { type: 'number' };
const schema = { $ref: '#/definitions/schema' };
const schemas = { type: 'array', items: schema };
const namedSchemas = { type: 'object', additionalProperties: schema };
const booleanOrSchema = { anyOf: [{ type: 'boolean' }, schema] };
const names = { type: 'array', items: text, uniqueItems: true };

type Values = Readonly<Record<string, object>>;

/** Keywords of all drafts, with the schemas of their values. */
const COMMON: Values = {
  $schema: text,
  $ref: text,
  title: text,
  description: text,
  type: { anyOf: [text, { type: 'array', items: text, uniqueItems: true }] },
  enum: { type: 'array' },
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  minimum: number,
  maximum: number,
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  items: { anyOf: [schema, { type: 'array', items: schema }] },
  minItems: count,
  maxItems: count,
  uniqueItems: { type: 'boolean' },
  required: names,
  properties: namedSchemas,
  patternProperties: namedSchemas,
  minProperties: count,
  maxProperties: count,
  dependencies: { type: 'object', additionalProperties: { anyOf: [schema, names] } },
  definitions: namedSchemas,
  additionalItems: booleanOrSchema,
  additionalProperties: booleanOrSchema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
};

/** Since draft 06. */
const SIXTH: Values = { $id: text, const: {}, contains: schema, propertyNames: schema };
/** Since draft 07. */
const SEVENTH: Values = {
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
  else: schema,
};
const exclusiveBounds = (type: string | readonly string[]): Values => ({ exclusiveMinimum: { type }, exclusiveMaximum: { type } });

/** Keywords that differ between drafts. */
const KEYWORDS: Readonly<Record<Dialect, Values>> = {
  'draft-04': { id: text, ...exclusiveBounds('boolean') },
  'draft-06': { ...SIXTH, ...exclusiveBounds('number') },
  'draft-07': { ...SIXTH, ...SEVENTH, ...exclusiveBounds('number') },
  merged: { id: text, ...SIXTH, ...SEVENTH, ...exclusiveBounds(['boolean', 'number']) },
};

/**
 * Describes the schemas of a dialect, without nested schemas. In draft 04 `true` and `false` are schemas only in `additionalProperties` and
 * `additionalItems`.
 */
const describing = (dialect: Dialect): object => ({
  $id: dialect,
  definitions: { schema: { type: dialect === 'draft-04' ? 'object' : ['object', 'boolean'] } },
  properties: { ...COMMON, ...KEYWORDS[dialect] },
});

const ajv = new Ajv({ strict: false, validateSchema: false });
/** Compiled on first use, because compilation is slow. */
const checks = new Map<Dialect, ValidateFunction>();
const checkOf = (dialect: Dialect): ValidateFunction => getOrInsert(checks, dialect, () => ajv.compile(describing(dialect)));

const violationText = ({ instancePath, message = '' }: ErrorObject): string => `${instancePath.slice(1).replaceAll('/', '.')} ${message}`;

/** Checks the values of a schema's keywords against its dialect; nested schemas are checked separately. @throws SchemaInvalid */
export const checkKeywords = (schema: JsonObject, dialect: Dialect): void => {
  const check = checkOf(dialect);
  if (check(schema)) return;
  const [first] = check.errors ?? [];
  throw new SchemaInvalid(first ? violationText(first) : 'schema is invalid');
};

/** Value of a keyword, if the schema has it and the dialect knows it. */
export const keywordOf = (schema: JsonObject, keyword: string, dialect: Dialect): Json | undefined =>
  Object.hasOwn(schema, keyword) && (keyword in COMMON || keyword in KEYWORDS[dialect]) ? schema[keyword] : undefined;
