import { describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#domain/shared/events.js';
import { Budget, stepsFor } from '#infra/edges/schemas/budget.js';
import { compileSchema } from './message-schemas.js';
import { SchemaValidator } from './validator.js';

/** The violations of a message given as JSON text. */
const violations = (schema: JsonObject, message: string): readonly string[] => {
  const bytes = Buffer.from(message);
  const fault = compileSchema({ type: 'json', document: schema }).faultIn(bytes, new Budget(stepsFor(bytes.length)));
  if (!fault) return [];
  if (fault.kind === 'violations') return fault.violations;
  return [`${fault.kind}: ${fault.kind === 'exhausted' ? fault.of : fault.detail}`];
};

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_06 = 'http://json-schema.org/draft-06/schema';
const DRAFT_07 = 'https://json-schema.org/draft-07/schema#';

describe('violations of JSON schemas', () => {
  it.each<[JsonObject, string, ...string[]]>([
    [{}, '17'],
    [{ type: 'string' }, '7', '(root): Invalid type. Expected: string, given: integer'],
    [{ type: 'integer' }, '1.0'],
    [{ type: 'integer' }, '1.5', '(root): Invalid type. Expected: integer, given: number'],
    [{ type: 'number' }, '1'],
    [{ type: ['string', 'null'] }, '[]', '(root): Invalid type. Expected: [string,null], given: array'],
    [{ type: ['string'] }, 'true', '(root): Invalid type. Expected: string, given: boolean'],
    [{ type: 'object', required: ['a'] }, 'null', '(root): Invalid type. Expected: object, given: null'],
    [{ required: ['b', 'a'] }, '{}', '(root): b is required', '(root): a is required'],
    [{ required: ['a'] }, '"no object"'],
    [
      { required: ['id', 'site'], additionalProperties: false, properties: { id: { type: 'string' } } },
      '{"id":7,"x":1,"y":2}',
      '(root): site is required',
      '(root): Additional property x is not allowed',
      '(root): Additional property y is not allowed',
      'id: Invalid type. Expected: string, given: integer',
    ],
    [
      { additionalProperties: { type: 'string' }, properties: { a: {} } },
      '{"a":1,"b":2}',
      'b: Invalid type. Expected: string, given: integer',
    ],
    [
      { patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false },
      '{"x-a":"","y":1}',
      '(root): Additional property y is not allowed',
      'x-a: Invalid type. Expected: integer, given: string',
    ],
    [
      { properties: { address: { properties: { street: { type: 'string' } } } } },
      '{"address":{"street":1}}',
      'address.street: Invalid type. Expected: string, given: integer',
    ],
    [
      { properties: { items: { items: { type: 'string' } } } },
      '{"items":["",2]}',
      'items.1: Invalid type. Expected: string, given: integer',
    ],
    [
      { items: [{ type: 'string' }], additionalItems: { type: 'null' } },
      '[1,2]',
      '0: Invalid type. Expected: string, given: integer',
      '1: Invalid type. Expected: null, given: integer',
    ],
    [{ items: [{}], additionalItems: false }, '[1,2]', '(root): No additional items allowed on array'],
    [{ enum: ['a', 1, { b: [null] }] }, '"c"', '(root): (root) must be one of the following: "a", 1, {"b":[null]}'],
    [{ enum: [{ b: 1, a: 2 }] }, '{"a":2.0,"b":1}'],
    [{ properties: { type: { enum: ['a', 'b'] } } }, '{"type":"c"}', 'type: type must be one of the following: "a", "b"'],
    [{ properties: { v: { const: 5 } } }, '{"v":6}', 'v: v does not match: 5'],
    [{ const: 5 }, '5.0'],
    [{ pattern: '^[a-z]+$' }, '"A"', "(root): Does not match pattern '^[a-z]+$'"],
    [{ format: 'email' }, '"no"', "(root): Does not match format 'email'"],
    [{ minLength: 2 }, '"😀"', '(root): String length must be greater than or equal to 2'],
    [{ maxLength: 1 }, '"ab"', '(root): String length must be less than or equal to 1'],
    [{ maxLength: 1 }, '"😀"'],
    [{ minimum: 3 }, '2', '(root): Must be greater than or equal to 3'],
    [{ maximum: 3.5 }, '4', '(root): Must be less than or equal to 3.5'],
    [{ exclusiveMinimum: 3 }, '3', '(root): Must be greater than 3'],
    [{ exclusiveMaximum: 3 }, '3', '(root): Must be less than 3'],
    [{ multipleOf: 0.1 }, '0.3'],
    [{ multipleOf: 0.1 }, '0.35', '(root): Must be a multiple of 0.1'],
    [{ minItems: 1 }, '[]', '(root): Array must have at least 1 items'],
    [{ maxItems: 1 }, '[1,2]', '(root): Array must have at most 1 items'],
    [
      { uniqueItems: true },
      '[1,{"a":1},1.0,{"a":1}]',
      '(root): array items[0,2] must be unique',
      '(root): array items[1,3] must be unique',
    ],
    [{ minProperties: 1 }, '{}', '(root): Must have at least 1 properties'],
    [{ maxProperties: 0 }, '{"a":1}', '(root): Must have at most 0 properties'],
    [
      { anyOf: [{ type: 'string' }, { minimum: 5 }] },
      '3',
      '(root): Must validate at least one schema (anyOf)',
      '(root): Must be greater than or equal to 5',
    ],
    [{ oneOf: [{ type: 'integer' }, { minimum: 5 }] }, '7', '(root): Must validate one and only one schema (oneOf)'],
    [
      { allOf: [{ type: 'integer' }, { minimum: 5 }] },
      '3',
      '(root): Must be greater than or equal to 5',
      '(root): Must validate all the schemas (allOf)',
    ],
    [{ not: { type: 'integer' } }, '3', '(root): Must not validate the schema (not)'],
    [
      { contains: { type: 'string' } },
      '[1]',
      '(root): At least one of the items must match',
      '0: Invalid type. Expected: string, given: integer',
    ],
    [
      { if: { minimum: 5 }, then: { multipleOf: 2 } },
      '7',
      '(root): Must validate "then" as "if" was valid',
      '(root): Must be a multiple of 2',
    ],
    [
      { if: { minimum: 5 }, else: { multipleOf: 2 } },
      '3',
      '(root): Must validate "else" as "if" was not valid',
      '(root): Must be a multiple of 2',
    ],
    [
      { propertyNames: { maxLength: 1 } },
      '{"ab":1}',
      '(root): Property name of "ab" does not match',
      '(root): String length must be less than or equal to 1',
    ],
    [{ dependencies: { a: ['b'], c: { required: ['d'] } } }, '{"a":1,"c":1}', '(root): Has a dependency on b', '(root): d is required'],
    [{ properties: { a: false } }, '{"a":1}', 'a: False always fails validation'],
    [{ required: ['__proto__', 'constructor'] }, '{}', '(root): __proto__ is required', '(root): constructor is required'],
    [{ required: ['__proto__'] }, '{"__proto__":1}'],
  ])('of %j by %s', (schema, message, ...expected) => expect(violations(schema, message)).toEqual(expected));

  it.each([
    [{ maximum: 9007199254740992 }, '9007199254740993', 1],
    [{ minimum: 0.1 }, '0.09999999999999999999999', 1],
    [{ exclusiveMaximum: 1 }, '0.99999999999999999999999', 0],
    [{ type: 'integer' }, '1.0000000000000000000001', 1],
    [{ type: 'integer' }, '123456789012345678901234567890', 0],
    [{ const: 9007199254740992 }, '9007199254740993', 1],
    [{ multipleOf: 3 }, '1e400', 1],
    [{ maximum: 5 }, '1e400', 1],
    [{ uniqueItems: true }, '[9007199254740993,9007199254740992]', 0],
  ])('numbers are compared exactly: %j and %s', (schema, message, count) => expect(violations(schema, message)).toHaveLength(count));

  it.each<[JsonObject, string, boolean]>([
    [{ $schema: DRAFT_04, minimum: 3, exclusiveMinimum: true }, '3', false],
    [{ $schema: DRAFT_04, const: 1, contains: false, propertyNames: false, if: {}, then: { not: {} } }, '{"a":1}', true],
    [{ $schema: DRAFT_06, const: 1 }, '2', false],
    [{ $schema: DRAFT_06, if: {}, then: { not: {} } }, '2', true],
    [{ $schema: DRAFT_07, if: {}, then: { not: {} } }, '2', false],
    [{ minimum: 3, exclusiveMinimum: true }, '3', false],
    [{ minimum: 3, exclusiveMinimum: false }, '3', true],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', exclusiveMinimum: 3 }, '3', false],
    [{ prefixItems: [false], dependentRequired: { a: ['b'] }, unevaluatedProperties: false, minContains: 2 }, '{"a":1}', true],
    [{ if: { minimum: 3 } }, '1', true],
    [{ then: { not: {} } }, '1', true],
  ])('dialects: %j and %s', (schema, message, holds) => expect(violations(schema, message).length === 0).toBe(holds));
});

describe('JSON schema documents', () => {
  it.each<JsonObject>([
    {},
    { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    { $ref: '#/definitions/a', definitions: { a: { properties: { next: { $ref: '#' } } } } },
    { $defs: { a: { type: 'string' } }, items: { $ref: '#/$defs/a' } },
    { $id: 'https://example.org/root.json', definitions: { a: { $id: 'a.json' } }, items: { $ref: 'https://example.org/a.json' } },
    { definitions: { a: { $id: '#a', type: 'string' } }, items: { $ref: '#a' } },
    { $schema: DRAFT_04, id: 'urn:x', definitions: { a: {} }, items: { $ref: '#/definitions/a' } },
    { definitions: { 'a/b~c d': {} }, items: { $ref: '#/definitions/a~1b~0c%20d' } },
    { enum: [{ $ref: 'http://x', id: 'http://[' }] },
    { unknown: 5, title: 'T', description: 'D', default: 5 },
    { properties: { id: { type: 'string' }, $ref: { type: 'string' } } },
  ])('compile: %j', (schema) => expect(() => compileSchema({ type: 'json', document: schema })).not.toThrow());

  it.each<[JsonObject, RegExp]>([
    [
      { type: 'text' },
      /^has a primitive type that is NOT VALID -- given: \/text\/ Expected valid values are:\[array boolean integer number null object string\]$/,
    ],
    [{ properties: { a: { type: ['string', 'float'] } } }, /^has a primitive type that is NOT VALID -- given: \/float\//],
    [{ type: 'text', properties: { a: { type: 'other' } } }, /given: \/text\//],
    [{ type: 5 }, /type/],
    [{ minLength: -1 }, /minLength/],
    [{ minLength: '1' }, /minLength/],
    [{ maxItems: 1.5 }, /maxItems/],
    [{ minimum: '1' }, /minimum/],
    [{ multipleOf: 0 }, /multipleOf/],
    [{ required: 'a' }, /required/],
    [{ required: [1] }, /required/],
    [{ properties: [] }, /properties/],
    [{ properties: { a: 5 } }, /^properties\.a must be object,boolean$/],
    [{ definitions: { unused: { minLength: -1 } } }, /^minLength must be >= 0$/],
    [{ items: 'a' }, /items/],
    [{ enum: 'a' }, /enum/],
    [{ anyOf: {} }, /anyOf/],
    [{ not: 5 }, /not/],
    [{ uniqueItems: 1 }, /uniqueItems/],
    [{ pattern: '(' }, /^pattern must be a valid regex/],
    [{ pattern: '(?=a)' }, /^pattern must be a valid regex/],
    [{ patternProperties: { '[': {} } }, /^pattern must be a valid regex/],
    [{ $schema: 5 }, /\$schema/],
    [{ $schema: DRAFT_04, exclusiveMinimum: 5 }, /exclusiveMinimum/],
    [{ $schema: DRAFT_04, properties: { a: true } }, /^properties\.a must be object$/],
    [{ $schema: DRAFT_07, exclusiveMinimum: true }, /exclusiveMinimum/],
    [{ exclusiveMinimum: true }, /^exclusiveMinimum cannot be used without minimum$/],
    [{ $ref: 'http://example.org/schema.json' }, /reference/],
    [{ $ref: 'file:///etc/passwd' }, /reference/],
    [{ $ref: 'other.json' }, /reference/],
    [{ $ref: '#/definitions/none' }, /reference/],
    [{ $ref: '#none' }, /reference/],
    [{ $ref: '#/title', title: 'T' }, /reference/],
    [{ $ref: '#/x', x: { minLength: 'a' } }, /minLength/],
  ])('are refused: %j', (schema, message) => expect(() => compileSchema({ type: 'json', document: schema })).toThrow(message));

  it('of any depth are compiled or refused', () => {
    let schema: JsonObject = {};
    for (let level = 0; level < 20_000; level++) schema = { not: schema };
    expect(() => compileSchema({ type: 'json', document: schema })).toThrow('schema nests too deeply');
  });

  it('that would take for ever are refused', () => {
    const definitions: Record<string, JsonObject> = { a0: { type: 'string' } };
    for (let level = 1; level <= 60; level++) {
      const $ref = `#/definitions/a${level - 1}`;
      definitions[`a${level}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    expect(violations({ definitions, $ref: '#/definitions/a60' }, '5')).toEqual(['exhausted: json']);
  });

  it('have error texts of bounded length, however long the names in them are', () => {
    const long = 'x'.repeat(1_000_000);
    const message = JSON.stringify({ [long]: [long, long] });
    const texts = [
      ...violations({ additionalProperties: false }, message),
      ...violations({ propertyNames: { maxLength: 1 } }, message),
      ...violations({ required: [long] }, '{}'),
      ...violations({ additionalProperties: { items: { enum: [long] } } }, message.replaceAll('[', '[1,')),
      ...violations({ additionalProperties: { const: long } }, message),
    ];
    expect(texts.splice(2, 1)).toEqual(['(root): String length must be less than or equal to 1']);
    expect(texts.map(({ length }) => length)).toEqual(Array(5).fill(10_001));
    expect(texts.map((text) => text.slice(0, 40))).toEqual([
      '(root): Additional property xxxxxxxxxxxx',
      '(root): Property name of "xxxxxxxxxxxxxx',
      '(root): xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'x'.repeat(40),
      'x'.repeat(40),
    ]);
  });

  it('report up to 1,000 violations and 200,000 characters', () => {
    const many = JSON.stringify(Array(5_000).fill('no'));
    expect(violations({ items: { enum: ['yes'] } }, many)).toHaveLength(1_000);
    const long = violations({ items: { enum: Array.from({ length: 50_000 }, (_, index) => `value-${index}`) } }, many);
    expect(long.join('').length).toBeLessThan(220_000);
    expect(long).toHaveLength(20);
    expect(long[0]).toMatch(/^0: 0 must be one of the following: "value-0", "value-1", .*…$/);
  });

  it('count the work of schemas with many members', () => {
    const required = Array.from({ length: 50_000 }, (_, index) => `m${index}`);
    expect(violations({ items: { required } }, JSON.stringify(Array(1_000).fill({})))).toEqual(['exhausted: json']);
  });

  it('have a limited number of pattern states in all', () => {
    const properties = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`p${index}`, { pattern: '(a{1000}){19}' }]));
    expect(() => compileSchema({ type: 'json', document: { properties } })).toThrow('expression too large');
  });

  it('are compiled once', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const validator = new SchemaValidator(1_000);
    const textOf = (type: string): string => JSON.stringify({ type: 'avro', document: { type } });
    const kinds = ['string', 'string', 'bytes', 'string', 'text'].map((type) => validator.validate(textOf(type), [], 1).kind);
    expect(kinds).toEqual(['valid', 'valid', 'valid', 'valid', 'no-schema']);
    expect(parse.mock.calls.map(([text]) => text)).toEqual(['string', 'bytes', 'text'].map(textOf));
    parse.mockRestore();
  });
});

describe('messages that are not JSON', () => {
  it.each([
    ['', 'not-json: EOF'],
    ['{"id":', 'not-json: unexpected EOF'],
    ['{} {}', "not-json: invalid character '{' after top-level value"],
    [`[${'1,'.repeat(1_000_000)}1]`, 'not-json: exceeded max number of values'],
  ])('%j', (message, fault) => expect(violations({}, message)).toEqual([fault]));
});
