import fc from 'fast-check';
import type { Json, JsonObject } from '#domain/shared/events.js';

/** Random JSON Schemas, of which most compile, and random values, of which many satisfy them: both draw on a few names and texts. */

const NAMES = ['a', 'b', 'p', 'constructor', '__proto__', ''];
const TEXTS = ['', 'a', 'ab', 'é', 'a@b', '2024-02-29', '10:20:30Z', 'http:', '::1', '/a', '{a}', '(', '^a+$', '\ud800', 'x'.repeat(300)];
const FORMATS = [
  'date',
  'time',
  'date-time',
  'hostname',
  'email',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
  'regex',
  'json-pointer',
];
const TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];
const PATTERNS = ['', '^a', 'a|b', '(a*)*b', '[^a]{2,3}', '\\pL', '^$'];
const REFERENCES = ['#', '#/definitions/a', '#/definitions/b', '#/properties/a', '#none', 'http://a.org/b'];
const DRAFTS = ['04', '06', '07'].map((draft) => `http://json-schema.org/draft-${draft}/schema#`);

const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom(...TEXTS);
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, -0, 1e21, 5e-324, 9_007_199_254_740_992));
const count = fc.nat({ max: 3 });

/** Defines members, so that `__proto__` is one like any other. */
const objectOf = <T>(keys: fc.Arbitrary<string>, values: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.array(fc.tuple(keys, values), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));

export const jsonValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    objectOf(name, tie('value')),
  ),
})).value;

const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { maxLength: 3 });

/** Values of every keyword, where `schema` is any schema. */
const keywordsOf = (schema: fc.Arbitrary<Json>): readonly (readonly [string, fc.Arbitrary<Json>])[] => [
  ['type', fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES), { maxLength: 3 }))],
  ['format', fc.constantFrom(...FORMATS)],
  ['pattern', fc.constantFrom(...PATTERNS)],
  ['enum', some(jsonValue)],
  ['const', jsonValue],
  ['required', fc.uniqueArray(name, { maxLength: 3 })],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((key) => [key, count] as const),
  ...['minimum', 'maximum'].map((key) => [key, number] as const),
  ...['exclusiveMinimum', 'exclusiveMaximum'].map((key) => [key, fc.oneof(number, fc.boolean())] as const),
  ['multipleOf', fc.constantFrom(1, 2, 0.1, 1e-7)],
  ['uniqueItems', fc.boolean()],
  ['items', fc.oneof(schema, some(schema))],
  ...['additionalItems', 'additionalProperties', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'].map(
    (key) => [key, schema] as const,
  ),
  ...['properties', 'definitions'].map((key) => [key, objectOf(name, schema)] as const),
  ['patternProperties', objectOf(fc.constantFrom(...PATTERNS), schema)],
  ['dependencies', objectOf(name, fc.oneof(schema, fc.uniqueArray(name, { maxLength: 3 })))],
  ...['anyOf', 'oneOf', 'allOf'].map((key) => [key, some(schema)] as const),
  ['$ref', fc.constantFrom(...REFERENCES)],
  ['$schema', fc.constantFrom(...DRAFTS)],
  ['title', text],
];

/** A schema with a few keywords; now and then the value of one is anything. */
export const jsonSchema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; part: Json }>((tie) => ({
  part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom<Json>({}, true, false), tie('schema')),
  schema: fc
    .uniqueArray(
      fc.oneof(
        ...keywordsOf(tie('part')).map(([key, value]) =>
          fc.tuple(fc.constant(key), fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: jsonValue })),
        ),
      ),
      { maxLength: 4, selector: ([key]) => key },
    )
    .map((entries): JsonObject => Object.fromEntries(entries)),
})).schema;
