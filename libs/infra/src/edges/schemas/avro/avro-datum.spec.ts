import { describe, expect, it } from '@jest/globals';
import avro from 'avsc';
import fc from 'fast-check';
import type { JsonObject } from '#domain/shared/events.js';
import { Budget, stepsFor, TooMuchWork } from '#infra/edges/schemas/budget.js';
import { forAny } from '#test/support/for-any.js';
import { compileAvroSchema } from './avro-datum.js';

const record = (type: JsonObject[string], more: JsonObject = {}): JsonObject => ({
  type: 'record',
  name: 'Sample',
  namespace: 'demo',
  fields: [{ name: 'f', type }],
  ...more,
});

const fault = (schema: JsonObject, bytes: readonly number[] | Buffer): string | undefined => {
  try {
    compileAvroSchema(schema)(Buffer.from(bytes), new Budget(stepsFor(bytes.length)));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const A: JsonObject = {
  type: 'record',
  name: 'Sample',
  namespace: 'demo',
  fields: [
    { name: 'site', type: 'string' },
    { name: 'count', type: 'int' },
  ],
};
const LINKS = record(['null', 'Sample']);

describe('avro data', () => {
  it.each<[JsonObject, readonly number[]]>([
    [A, [6, 0x61, 0x62, 0x63, 2]],
    [record('null'), []],
    [record('boolean'), [1]],
    [record('long'), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
    [record('long'), [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    [record('int'), [0xff, 0xff, 0xff, 0xff, 0x0f]],
    [record('float'), [0, 0, 0, 0]],
    [record('double'), [0, 0, 0, 0, 0, 0, 0, 0]],
    [record('string'), [2, 0xff]],
    [record({ type: 'enum', name: 'E', symbols: ['A', 'B'] }), [2]],
    [record({ type: 'fixed', name: 'F', size: 2 }), [1, 2]],
    [record({ type: 'array', items: 'int' }), [4, 2, 4, 0]],
    [record({ type: 'array', items: 'int' }), [3, 4, 2, 4, 2, 6, 0]],
    [record({ type: 'array', items: 'null' }), [2, 0]],
    [record({ type: 'map', values: 'long' }), [2, 2, 0x61, 4, 0]],
    [record(['null', 'string']), [0]],
    [record(['null', 'string']), [2, 2, 0x61]],
    [LINKS, [2, 2, 0]],
    [{ type: 'string' }, [2, 0x61]],
    [{ type: 'array', items: { type: 'map', values: 'int' } }, [2, 0, 0]],
  ])('of %j are valid: %j', (schema, bytes) => expect(fault(schema, bytes)).toBeUndefined());

  const F = 'cannot decode binary record "demo.Sample" field "f": cannot decode binary';
  it.each<[JsonObject, readonly number[], string]>([
    [
      A,
      [],
      'cannot decode binary record "demo.Sample" field "site": cannot decode binary string: cannot decode binary bytes: short buffer',
    ],
    [
      A,
      [1],
      'cannot decode binary record "demo.Sample" field "site": cannot decode binary string: cannot decode binary bytes: negative size: -1',
    ],
    [A, [6, 0x61, 0x62, 0x63, 2, 9], '1 bytes left over after the datum'],
    [record('boolean'), [7], `${F} boolean: expected: Go byte(0) or byte(1); received: byte(7)`],
    [record('int'), [0xff, 0xff, 0xff, 0xff, 0x1f], `${F} int: value out of range: -4294967296`],
    [record('long'), Array(10).fill(0xff), `${F} long: integer overflow`],
    [record('double'), [0], `${F} double: short buffer`],
    [record({ type: 'enum', name: 'E', symbols: ['A'] }), [2], `${F} enum "demo.E": index must be between 0 and 0; read index: 1`],
    [record({ type: 'fixed', name: 'F', size: 2 }), [1], `${F} fixed "demo.F": short buffer`],
    [record({ type: 'array', items: 'int' }), [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f], `${F} array: short buffer`],
    [record({ type: 'array', items: 'int' }), [2, 2], `${F} array: short buffer`],
    [record({ type: 'map', values: 'int' }), [0xfe, 0xff, 0xff, 0xff, 0x0f], `${F} map: short buffer`],
    [record({ type: 'array', items: 'int' }), [1, 8, 2, 0], `${F} array: short buffer`],
    [record(['null']), [1], `${F} union: index must be between 0 and 0; read index: -1`],
  ])('of %j are refused: %j', (schema, bytes, message) => expect(fault(schema, bytes)).toBe(message));

  it('with endless nesting are refused', () => {
    const bytes = Buffer.alloc(1_000_000, 2);
    expect(() => compileAvroSchema(LINKS)(bytes, new Budget(stepsFor(bytes.length)))).toThrow('nests too deeply');
    expect(fault(record('Sample'), [])).toContain('nests too deeply');
  });

  const nulls: JsonObject = { type: 'array', items: 'null' };
  const nothing: JsonObject = { type: 'record', name: 'Nothing', fields: [{ name: 'n', type: 'null' }] };
  const twice = (inner: JsonObject, level: number): JsonObject => ({
    type: 'record',
    name: `Twice${level}`,
    fields: [
      { name: 'a', type: inner },
      { name: 'b', type: level === 1 ? 'Nothing' : `Twice${level - 1}` },
    ],
  });
  const POWER_62 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1];
  const MINUS_POWER_62 = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];

  it.each<[string, JsonObject, readonly number[]]>([
    ['nulls', nulls, [...POWER_62, 0]],
    ['nulls, with the size of the block', nulls, [...MINUS_POWER_62, 0, 0]],
    ['nulls, one more than bytes follow', nulls, [4, 0]],
    ['records of nulls', { type: 'array', items: nothing }, [...POWER_62, 0]],
    ['empty data of fixed size', { type: 'array', items: { type: 'fixed', name: 'F', size: 0 } }, [...POWER_62, 0]],
    ['arrays of nulls', { type: 'array', items: nulls }, [2, ...POWER_62, 0, 0]],
    ['maps', { type: 'map', values: 'null' }, [...POWER_62, 0]],
    ['maps with such arrays', { type: 'map', values: nulls }, [2, 2, 0x61, ...POWER_62, 0, 0]],
  ])('with more items in a block than there are bytes are refused: %s', (_case, schema, bytes) =>
    expect(fault(record(schema), bytes)).toMatch(/^cannot decode binary record "demo.Sample" field "f": .*short buffer$/),
  );

  it('that stand for far more items than they have bytes take too much work', () => {
    const blocks = Buffer.concat([...Array.from({ length: 3_000 }, () => Buffer.from([0x90, 0x4e])), Buffer.alloc(5_001)]); // each 5,000
    expect(() => compileAvroSchema(record(nulls))(blocks, new Budget(stepsFor(blocks.length)))).toThrow(TooMuchWork);
    const doubled = Array.from({ length: 40 }, (_, index) => index + 1).reduce<JsonObject>((inner, level) => twice(inner, level), nothing);
    expect(() => compileAvroSchema(doubled)(Buffer.alloc(0), new Budget(stepsFor(0)))).toThrow(TooMuchWork);
  });

  it('are valid as avsc writes them, and invalid when cut short', async () => {
    const type = avro.Type.forSchema(A as Parameters<typeof avro.Type.forSchema>[0]);
    await forAny(100, fc.string(), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (site, count) => {
      const bytes = type.toBuffer({ site, count });
      expect([fault(A, bytes), fault(A, bytes.subarray(1)) === undefined && site.length > 0]).toEqual([undefined, expect.any(Boolean)]);
      expect(fault(A, bytes.subarray(0, -1))).toBeDefined();
    });
  });
});

describe('avro schemas', () => {
  it.each<JsonObject>([
    record({ type: 'record', name: 'Inner', fields: [{ name: 'x', type: ['null', 'Sample'] }] }),
    record('int', { doc: 'D', aliases: ['Old'] }),
    { type: 'record', name: 'a.b.C', fields: [{ name: 'x', type: ['null', 'C'], default: null }] },
    record({ type: 'bytes', logicalType: 'decimal', precision: 4 }),
    record({ type: { type: 'string' } }),
    record({ type: ['null', 'int'] }),
    record(['int', 'long', 'string']),
    record('constructor', {
      fields: [
        { name: 'f', type: { type: 'fixed', name: 'constructor', size: 1 } },
        { name: 'g', type: 'constructor' },
      ],
    }),
    { type: 'record', name: 'R', fields: [{ name: 'f', type: 'int', default: 5 }] },
    { type: 'null' },
  ])('compile: %j', (schema) => expect(() => compileAvroSchema(schema)).not.toThrow());

  it.each<[JsonObject, RegExp]>([
    [{ type: 'text' }, /^unknown type name: "text"$/],
    [record('Other'), /^unknown type name: "Other"$/],
    [record('toString'), /^unknown type name: "toString"$/],
    [{}, /^missing type: /],
    [{ name: 'R', fields: [] }, /^missing type: /],
    [{ type: null }, /^missing type: /],
    [{ type: 'array' }, /^missing array items/],
    [{ type: 'record', name: 'R', fields: [{ name: 'a' }] }, /^missing type: /],
    [{ type: 'record', name: 'R', fields: [] }, /fields/],
    [{ type: 'record', name: 'R' }, /fields/],
    [{ type: 'record', name: 'R', fields: [null] }, /fields/],
    [{ type: 'record', fields: [{ name: 'a', type: 'int' }] }, /name/],
    [{ type: 'record', name: 5, fields: [{ name: 'a', type: 'int' }] }, /name/],
    [record('int', { namespace: 5 }), /namespace/],
    [record('int', { aliases: 'a' }), /aliases/],
    [record('int', { fields: [{ name: 'a b', type: 'int' }] }), /invalid field name/],
    [record('int', { fields: [{ name: 'a', type: 'int', default: 'x' }] }), /default/],
    [record(['int', 'int']), /duplicate/],
    [record([['int']]), /nested/],
    [record([]), /empty/],
    [record({ type: 'enum', name: 'E', symbols: [] }), /symbols/],
    [record({ type: 'enum', name: 'E', symbols: 'A' }), /symbols/],
    [record({ type: 'enum', name: 'E', symbols: ['A', 'A'] }), /duplicate/],
    [record({ type: 'fixed', name: 'F', size: -1 }), /size/],
    [record({ type: 'fixed', name: 'int', size: 1 }), /primitive/],
    [record({ type: 'fixed', name: 'Sample', size: 1 }), /duplicate/],
    [record(5), /missing type/],
  ])('are refused: %j', (schema, message) => expect(() => compileAvroSchema(schema)).toThrow(message));

  // As Avro Java 1.8.2 accepts, refuses and reads them; Avro specification 1.8, section Names.
  const E: JsonObject = { type: 'enum', name: 'E', symbols: ['A'] };
  const fields = (...types: readonly JsonObject[string][]): JsonObject => ({
    fields: types.map((type, index) => ({ name: `f${index}`, type })),
  });
  const named = (name: string, ...types: readonly JsonObject[string][]): JsonObject => ({ type: 'record', name, ...fields(...types) });
  const sized = (name: string, size: number): JsonObject => ({ type: 'fixed', name, size });
  it.each<[string, JsonObject, readonly number[]]>([
    [
      'of the null namespace',
      { ...named('MOVIE', ['null', { ...named('row', 'long'), namespace: '' }], ['null', 'row']), namespace: 'o' },
      [0, 2, 2],
    ],
    [
      'of the null namespace, given by the record around',
      named('Outer', ['null', { ...named('In', ['null', 'Outer']), namespace: 'x' }]),
      [2, 0],
    ],
    ['of the null namespace, from a full name', named('Outer', E, named('x.y.Inner', 'E')), [0, 0]],
    ['of the full name, whatever the namespace beside it', { ...named('a.b.r', E, 'a.b.E', 'E'), namespace: 'zzz' }, [0, 0, 0]],
    [
      'of an enum with a full name and a namespace',
      { ...named('r', { ...E, name: 'c.F', namespace: 'zzz' }, 'c.F'), namespace: 'a' },
      [0, 0],
    ],
    [
      'of the enclosing namespace before the null namespace',
      named('top', sized('E', 1), sized('a.b.E', 2), { ...named('a.b.r', 'E'), namespace: 'zzz' }),
      [1, 2, 2, 3, 3],
    ],
  ])('resolve names %s', (_case, schema, bytes) =>
    expect([fault(schema, bytes), fault(schema, bytes.slice(0, -1))]).toEqual([undefined, expect.any(String)]),
  );

  it.each<[JsonObject, string]>([
    [{ ...named('a.b.r', E, 'zzz.E'), namespace: 'zzz' }, 'zzz.E'],
    [{ ...named('r', { ...named('c.q', { ...E, name: 'F' }, 'a.F'), namespace: 'a' }), namespace: 'a' }, 'a.F'],
    [{ ...named('r', { ...E, namespace: 'c' }, 'E'), namespace: 'a.b' }, 'E'],
  ])('do not resolve %j: %s', (schema, name) => expect(() => compileAvroSchema(schema)).toThrow(`unknown type name: "${name}"`));
});
