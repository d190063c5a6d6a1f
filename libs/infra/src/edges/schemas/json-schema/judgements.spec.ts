import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { Budget, stepsFor, TooMuchWork } from '#infra/edges/schemas/budget.js';
import { parseJson } from '#infra/edges/schemas/json/json-text.js';
import { requireAcceptable } from '#infra/edges/schemas/validation/message-schemas.js';
import { compileJsonSchema } from './json-schema.js';

/** Schemas, values, verdicts and texts of messaging contract 5.1 to 5.3, in combinations. */

const violations = (schema: JsonObject, value: Json): readonly string[] => {
  const text = JSON.stringify(value);
  return compileJsonSchema(schema).violations(parseJson(text), new Budget(stepsFor(text.length)));
};

/** A path below another; `''` is the message itself. */
const under = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);
const place = (path: string): string => path || '(root)';

type Told = (path: string) => readonly string[];
/** A schema, a valid value, an invalid one, and the violations reported for it at a path. */
type Leaf = Readonly<{ schema: JsonObject; right: Json; wrong: Json; told: Told }>;

const MISSING: Told = (path) => [`${place(path)}: site is required`, `${place(path)}: host is required`];
const LEAVES: readonly Leaf[] = [
  { schema: { required: ['site', 'host'] }, right: { site: 1, host: 2 }, wrong: {}, told: MISSING },
  { schema: { type: 'array' }, right: [], wrong: {}, told: (path) => [`${place(path)}: Invalid type. Expected: array, given: object`] },
  { schema: { format: 'email' }, right: 'a@b', wrong: 5, told: (path) => [`${place(path)}: Does not match format 'email'`] },
  { schema: { format: 'uuid', type: 'integer' }, right: '', wrong: 5, told: (path) => [`${place(path)}: Does not match format 'uuid'`] },
  { schema: { const: { a: 1 } }, right: { a: 1 }, wrong: [], told: (path) => [`${place(path)}: ${place(path)} does not match: {"a":1}`] },
  { schema: { pattern: '^a' }, right: 'a', wrong: 'b', told: (path) => [`${place(path)}: Does not match pattern '^a'`] },
  {
    schema: { items: { minimum: 5 } },
    right: [5],
    wrong: [5, 4],
    told: (path) => [`${under(path, '1')}: Must be greater than or equal to 5`],
  },
  {
    schema: { required: ['b'], properties: { a: { enum: [1, 2] } } },
    right: { a: 2, b: 0 },
    wrong: { a: 3 },
    told: (path) => [`${place(path)}: b is required`, `${under(path, 'a')}: ${under(path, 'a')} must be one of the following: 1, 2`],
  },
];

/** A schema around another one, a value around one of that schema, and the violations reported if the inner schema reports `inner`. */
type Wrapper = Readonly<{
  schema(inner: JsonObject): JsonObject;
  value(inner: Json): Json;
  told(path: string, inner: Told): readonly string[];
}>;

const same = (value: Json): Json => value;
const inMember = (value: Json): Json => ({ p: value });
const ofMember = (path: string, inner: Told) => inner(under(path, 'p'));
/** Violations that follow the text of a keyword. */
const after =
  (text: string): Wrapper['told'] =>
  (path, inner) => [`${place(path)}: ${text}`, ...inner(path)];

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  properties: { schema: (inner) => ({ properties: { p: inner } }), value: inMember, told: ofMember },
  additionalProperties: { schema: (inner) => ({ additionalProperties: inner }), value: inMember, told: ofMember },
  patternProperties: { schema: (inner) => ({ patternProperties: { '^p$': inner } }), value: inMember, told: ofMember },
  dependencies: { schema: (inner) => ({ dependencies: { p: { properties: { p: inner } } } }), value: inMember, told: ofMember },
  items: { schema: (inner) => ({ items: inner }), value: (inner) => [inner], told: (path, inner) => inner(under(path, '0')) },
  contains: {
    schema: (inner) => ({ contains: inner }),
    value: (inner) => [inner],
    told: (path, inner) => [`${place(path)}: At least one of the items must match`, ...inner(under(path, '0'))],
  },
  allOf: {
    schema: (inner) => ({ allOf: [inner, {}, inner] }),
    value: same,
    told: (path, inner) => [...inner(path), ...inner(path), `${place(path)}: Must validate all the schemas (allOf)`],
  },
  anyOf: { schema: (inner) => ({ anyOf: [inner, inner] }), value: same, told: after('Must validate at least one schema (anyOf)') },
  oneOf: { schema: (inner) => ({ oneOf: [inner] }), value: same, told: after('Must validate one and only one schema (oneOf)') },
  then: {
    schema: (inner) => ({ if: {}, then: inner }),
    value: same,
    told: after('Must validate "then" as "if" was valid'),
  },
  else: { schema: (inner) => ({ if: { not: {} }, else: inner }), value: same, told: after('Must validate "else" as "if" was not valid') },
  not: {
    schema: (inner) => ({ not: { not: inner } }),
    value: same,
    told: (path) => [`${place(path)}: Must not validate the schema (not)`],
  },
};

const names = Object.keys(WRAPPERS);
const nestings = [...names.map((name) => [name]), ...names.flatMap((outer) => names.map((inner) => [outer, inner]))];

describe('violations inside of schemas are told', () => {
  it.each(nestings.map((nesting) => [nesting.join(' of '), nesting] as const))('in %s', (_name, nesting) => {
    for (const leaf of LEAVES) {
      const wrapped = nesting.reduceRight<Leaf>((inner, name) => {
        const { schema, value, told } = WRAPPERS[name] as Wrapper;
        return {
          schema: schema(inner.schema),
          right: value(inner.right),
          wrong: value(inner.wrong),
          told: (path) => told(path, inner.told),
        };
      }, leaf);
      expect([wrapped.schema, violations(wrapped.schema, wrapped.wrong)]).toEqual([wrapped.schema, wrapped.told('')]);
      if (leaf.schema.type !== 'integer') expect([wrapped.schema, violations(wrapped.schema, wrapped.right)]).toEqual([wrapped.schema, []]);
    }
  });

  it.each<[string, JsonObject, Json, ...string[]]>([
    [
      'a type that is allowed before one that is not',
      { anyOf: [{ type: 'string' }, { minimum: 5 }] },
      3,
      'Must be greater than or equal to 5',
    ],
    ['fewer violations', { anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] }, {}, 'c is required'],
    ['the first of equals', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, 'a is required'],
    [
      'more members that are right',
      { anyOf: [{ required: ['x'] }, { required: ['y', 'z'], properties: { a: {}, b: { type: 'integer' } } }] },
      { a: 1, b: 2 },
      'y is required',
      'z is required',
    ],
    ['all of wrong types', { oneOf: [{ type: 'string' }, { type: 'null' }] }, 3, 'Invalid type. Expected: string, given: integer'],
  ])('of the best match: %s', (_name, schema, value, ...told) =>
    expect(violations(schema, value).slice(1)).toEqual(told.map((text) => `(root): ${text}`)),
  );

  it('not where more than one schema of oneOf holds', () =>
    expect(violations({ oneOf: [{}, { type: 'integer' }, { type: 'null' }] }, 3)).toEqual([
      '(root): Must validate one and only one schema (oneOf)',
    ]));
});

/** Keywords of an object in the order in which their violations are reported for `{"x":1,"y":2}`. */
const OBJECT_KEYWORDS: readonly (readonly [JsonObject, ...string[]])[] = [
  [{ anyOf: [{ required: ['q'] }] }, '(root): Must validate at least one schema (anyOf)', '(root): q is required'],
  [{ allOf: [{ maxProperties: 0 }] }, '(root): Must have at most 0 properties', '(root): Must validate all the schemas (allOf)'],
  [{ minProperties: 3 }, '(root): Must have at least 3 properties'],
  [{ maxProperties: 1 }, '(root): Must have at most 1 properties'],
  [{ required: ['r', 'x', 's'] }, '(root): r is required', '(root): s is required'],
  [{ additionalProperties: false }, '(root): Additional property x is not allowed'],
  [{ propertyNames: { pattern: '^y' } }, '(root): Property name of "x" does not match', "(root): Does not match pattern '^y'"],
  [{ properties: { y: { type: 'null' } } }, 'y: Invalid type. Expected: null, given: integer'],
];

describe('violations of an object', () => {
  const subsets = Array.from({ length: 2 ** OBJECT_KEYWORDS.length }, (_, bits) => OBJECT_KEYWORDS.filter((_row, at) => (bits >> at) & 1));
  it.each(subsets.map((rows) => [rows.map(([schema]) => Object.keys(schema)).join(), rows] as const))(
    'are told in order: %s',
    (_name, rows) => {
      const schema = Object.assign({ properties: { y: {} } }, ...rows.map(([keyword]) => keyword));
      const backwards = Object.fromEntries(Object.entries<Json>(schema).reverse());
      expect(violations(backwards, { x: 1, y: 2 })).toEqual(rows.flatMap(([, ...told]) => told));
    },
  );
});

const TYPED: readonly Json[] = [7, 1.5, true, null, [], {}, ['a@b'], { a: 'a@b' }];
const FORMATS =
  'date time date-time hostname email idn-email ipv4 ipv6 uri uri-reference iri iri-reference uri-template uuid regex json-pointer relative-json-pointer';

describe('formats', () => {
  it.each(FORMATS.split(' ').flatMap((format) => TYPED.map((value) => [format, value] as const)))(
    '%s refuses what is no string: %j',
    (format, value) => {
      const told = `Does not match format '${format}'`;
      expect(violations({ format }, value)).toEqual([`(root): ${told}`]);
      expect(violations({ type: ['array', 'boolean', 'number', 'null', 'object'], format }, value)).toEqual([`(root): ${told}`]);
      expect(violations({ properties: { a: { format } } }, { a: value })).toEqual([`a: ${told}`]);
      expect(violations({ format: 'unknown' }, value)).toEqual([]);
    },
  );
});

const RANGES = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;
const COUNTS = [0, 1, 2, 7];
const PAIRS = COUNTS.flatMap((least) => COUNTS.map((most) => [least, most] as const));
/** Places of schemas that are compiled even if nothing refers to them. */
const PLACES: readonly ((schema: JsonObject) => JsonObject)[] = [
  (schema) => schema,
  (schema) => ({ properties: { a: { items: [schema] } } }),
  (schema) => ({ definitions: { a: { not: schema } } }),
  (schema) => ({ items: { additionalProperties: { anyOf: [schema] } } }),
];
const EQUALS: readonly (readonly Json[])[] = [
  [1, 1.0],
  ['1'],
  [true],
  [null],
  [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
  ],
  [{ a: 1 }],
  [
    [1, 2],
    [1, 2],
  ],
  [[2, 1]],
];

describe('documents', () => {
  const accept = (document: JsonObject) => () => requireAcceptable({ type: 'json', document });

  it.each(RANGES.flatMap((range) => PAIRS.map((pair) => [...range, ...pair] as const)))(
    'with %s, %s of %d, %d',
    (low, high, least, most) => {
      for (const within of PLACES) {
        const document = within({ [low]: least, [high]: most });
        if (least <= most) expect(accept(document)).not.toThrow();
        else expect(accept(document)).toThrow(new RegExp(`^${low} cannot be greater than ${high}$`));
      }
    },
  );

  it('with values of an enum that are equal or not', () => {
    const values = EQUALS.flatMap((equal, group) => equal.map((value) => ({ value, group })));
    for (const [index, one] of values.entries()) {
      for (const other of values.slice(index + 1)) {
        const document = { enum: [0, one.value, other.value] };
        if (one.group === other.group) expect(accept(document)).toThrow(/^enum items must be unique$/);
        else expect(accept(document)).not.toThrow();
      }
    }
  });

  it('that contradict themselves judge as well as they can, because there are stored ones', () => {
    expect(violations({ minLength: 3, maxLength: 1 }, 'ab')).toEqual([
      '(root): String length must be greater than or equal to 3',
      '(root): String length must be less than or equal to 1',
    ]);
    expect(violations({ enum: [1, 1] }, 1)).toEqual([]);
    expect(violations({ enum: [1, 1] }, 2)).toEqual(['(root): (root) must be one of the following: 1, 1']);
  });

  const ENDLESS: readonly JsonObject[] = [
    { $ref: '#' },
    { allOf: [{ anyOf: [{ $ref: '#' }] }] },
    { $ref: '#/definitions/a', definitions: { a: { $ref: '#/definitions/b' }, b: { oneOf: [{ $ref: '#/definitions/a' }] } } },
    { if: { $ref: '#' }, else: { not: {} } },
    { dependencies: { a: { $ref: '#' } } },
  ];
  const VAGUE: readonly JsonObject[] = [{ enum: [] }, { anyOf: [] }, { oneOf: [] }, { allOf: [] }, { type: [] }, ...ENDLESS];
  it.each(VAGUE.flatMap((schema) => ['a', ...TYPED].map((value) => [schema, value] as const)))('%j allow %j', (schema, value) => {
    expect(accept(schema)).not.toThrow();
    expect(violations(schema, value)).toEqual([]);
  });

  it('that come back to themselves still judge what is inside of a value', () => {
    const list: JsonObject = { allOf: [{ $ref: '#' }, { properties: { next: { $ref: '#' }, id: { type: 'integer' } } }] };
    expect(violations(list, { id: 1, next: { id: 2, next: { id: 3 } } })).toEqual([]);
    expect(violations(list, { id: 1, next: { id: '2' } })[0]).toBe('next.id: Invalid type. Expected: integer, given: string');
    expect(violations({ not: { $ref: '#' } }, 5)).toEqual(['(root): Must not validate the schema (not)']);
  });
});

describe('work', () => {
  const nested = (keyword: string, levels: number): JsonObject => {
    const definitions: Record<string, JsonObject> = { a0: { required: Array.from({ length: 10 }, (_, at) => `m${at}`) } };
    for (let level = 1; level <= levels; level++) {
      const $ref = `#/definitions/a${level - 1}`;
      definitions[`a${level}`] = { [keyword]: [{ $ref }, { $ref }] };
    }
    return { definitions, $ref: `#/definitions/a${levels}` };
  };

  it.each(['anyOf', 'oneOf', 'allOf'])('of nested %s is limited, and so are the violations', (keyword) => {
    expect(() => violations(nested(keyword, 40), {})).toThrow(TooMuchWork);
    const told = violations(nested(keyword, 12), {});
    expect(told.length).toBeLessThanOrEqual(1_000);
    expect(told.length).toBe(keyword === 'allOf' ? 1_000 : 22);
  });

  it('of carrying violations through many levels is counted', () => {
    let schema: JsonObject = { required: Array.from({ length: 1_000 }, (_, at) => `m${at}`) };
    for (let level = 0; level < 400; level++) schema = { anyOf: [schema] };
    const budget = new Budget(1_000_000);
    expect(compileJsonSchema(schema).violations(new Map(), budget)).toHaveLength(1_000);
    expect(budget.left).toBeLessThan(1_000_000 - 399 * 600);
  });
});
