import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import {
  dictionary,
  flag,
  integer,
  integer64,
  list,
  number,
  optional,
  type ReceivedBody,
  readBody,
  readFirst,
  readLargeBody,
  type Shape,
  scanned as scannedBody,
  struct,
  text,
  textUpTo,
  withoutEmpty,
} from './body-shape.js';

const shape = struct({
  name: text,
  port: integer,
  weight: number,
  on: flag,
  tags: list(text),
  nested: struct({ a: text, b: list(struct({ x: integer })) }),
  limit: optional(number),
});
/** The same shape, limited to reads of the text, without the result of `JSON.parse`. */
const walking = <T>({ take: _, ...walked }: Shape<T>): Shape<T> => walked;
const read = (json: string) => readBody(walking(shape), Buffer.from(json));
const zero = { name: '', port: 0, weight: 0, on: false, tags: [], nested: { a: '', b: [] }, limit: undefined };

const scanned = (json: string): ReceivedBody => scannedBody(Buffer.from(json));
/** Claims many values. */
const received = (json: string): ReceivedBody => ({ ...scanned(json), values: 1e6 });
const readLarge = <T>(of: Shape<T>, json: string): Promise<T> => readLargeBody(of, received(json));

describe('reading a request body', () => {
  it.each([
    ['{}', {}],
    ['null', {}],
    [' \n{ "name" : "a" , "port" : 8 }\t', { name: 'a', port: 8 }],
    ['{"name":null,"tags":null,"nested":null,"port":null}', {}],
    ['{"unknown":{"deep":[1,{"}":"]"},"\\"",true,null,-1.5e3]},"name":"after"}', { name: 'after' }],
    ['{"NAME":"upper","Port":1}', { name: 'upper', port: 1 }],
    ['{"name":"first","Name":"second","name":"last"}', { name: 'last' }],
    ['{"name":"last exact","NAME":"later in another case"}', { name: 'later in another case' }],
    ['{"name":"first","name":null}', { name: 'first' }],
    ['{"__proto__":{"name":"x"},"constructor":1,"toString":2}', {}],
    ['{"name":"a\\"b\\\\","tags":["\\\\\\"","\\u00e9",null]}', { name: 'a"b\\', tags: ['\\"', 'é', ''] }],
    ['{"name":"\\ud800x"}', { name: '\ufffdx' }],
    ['{"port":-0,"weight":1e2,"on":true}', { port: -0, weight: 100, on: true }],
    ['{"nested":{"b":[{"x":1},{},{"X":3}],"a":"z"}}', { nested: { a: 'z', b: [{ x: 1 }, { x: 0 }, { x: 3 }] } }],
    ['{"limit":0}', { limit: 0 }],
    ['{"tags":[ ],"nested":{ }}', {}],
  ])('reads %s, in slices too', async (json, expected) => {
    expect(read(json)).toEqual({ ...zero, ...expected });
    expect(readBody(shape, scanned(json))).toEqual({ ...zero, ...expected });
    expect(await readLarge(shape, json)).toEqual({ ...zero, ...expected });
  });

  it.each([
    '',
    ' ',
    '{',
    '{}}',
    '{} x',
    '{"name":"a",}',
    "{'name':'a'}",
    '[]',
    '"text"',
    '5',
    'true',
    '{"name":5}',
    '{"name":{}}',
    '{"port":"5"}',
    '{"port":5.0}',
    '{"port":5e0}',
    '{"port":1.5}',
    '{"port":9007199254740993}',
    '{"weight":"1"}',
    '{"weight":1e999}',
    '{"on":"true"}',
    '{"on":1}',
    '{"tags":"a"}',
    '{"tags":[1]}',
    '{"tags":{}}',
    '{"nested":[]}',
    '{"nested":{"b":[{"x":"1"}]}}',
    '{"limit":"x"}',
    '\ufeff{}',
    '{"name":"a\nb"}',
  ])('refuses %j, in slices too', async (json) => {
    expect(() => read(json)).toThrow(MalformedJson);
    expect(() => readBody(shape, scanned(json))).toThrow(MalformedJson);
    await expect(readLarge(shape, json)).rejects.toThrow(MalformedJson);
  });

  it('limits texts by their UTF-16 units', () => {
    const short = struct({ a: textUpTo(2) });
    for (const json of ['{"a":"😀"}', '{"a":"\\u0061b"}', '{"A":"ab","a":null}']) expect(readBody(short, scanned(json)).a).toHaveLength(2);
    for (const json of ['{"a":"abc"}', '{"a":"😀b"}', '{"a":2}', '{"A":"abc","a":"b"}'])
      expect(() => readBody(short, scanned(json))).toThrow(MalformedJson);
  });

  it('reads the same whether the text is parsed as a whole or walked, whatever it is', async () => {
    const parsable = struct({
      a: text,
      b: number,
      c: flag,
      d: list(text),
      e: dictionary(number),
      f: struct({ a: text, b: optional(flag) }),
      g: textUpTo(1),
    });
    const key = fc.constantFrom(...'abcdefg', 'A', 'D', 'other', '__proto__', '\\u0061', '\\ud800', '\ufffd', '1');
    const scalars = ['null', 'true', '1', '-0', '1e21', '1e999', '"x"', '"\\ud800\\u0000"', '"😀"', '""'];
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(...scalars),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((members) => `{${members.map(([k, v]) => `"${k}" : ${v}`).join()}}`),
      ),
    }));
    const typed = fc.oneof(
      value,
      fc
        .constantFrom(
          '"a":"x"',
          '"b":-0',
          '"c":true',
          '"d":["x",null]',
          '"e":{"1":1,"__proto__":2}',
          '"f":{"b":false}',
          '"f":{"a":"y"}',
          '"g":"x"',
          '"g":"xy"',
        )
        .chain((first) =>
          fc
            .array(fc.constantFrom('"a":null', '"b":1.50', '"c":false', '"d":[]', '"e":{"z":1,"z":null}', '"f":{}', '"F":null'), {
              maxLength: 4,
            })
            .map((rest) => `{${[first, ...rest].join()}}`),
        ),
    );
    const outcome = (by: () => unknown): unknown => {
      try {
        const value = by();
        return [value, JSON.stringify(value)]; // includes the order of the keys
      } catch (error) {
        return error instanceof MalformedJson ? error.message : error;
      }
    };
    await forAny(runs(2_000), typed, (json) => {
      expect(outcome(() => readBody(parsable, scanned(json)))).toEqual(outcome(() => readBody(walking(parsable), Buffer.from(json))));
    });
  });

  it('lets other work run while it reads a large body', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const items = Array.from({ length: 100_000 }, (_, x) => ({ x, unknown: [[], {}] }));
    const { nested, name } = await readLarge(shape, JSON.stringify({ nested: { b: items }, unknown: items, name: 'é\u2028' }));
    clearImmediate(timer);
    expect([nested.b.length, nested.b[99_999], name]).toEqual([100_000, { x: 99_999 }, 'é\u2028']);
    expect(turns).toBeGreaterThan(3);
  });

  it('leaves out empty texts if the shape says so', async () => {
    const trimmed = list(withoutEmpty(struct({ a: text, b: text, c: text }), 'a', 'b'));
    const json = '[{"a":"","b":"x","c":""},null]';
    for (const read of [readBody(trimmed, Buffer.from(json)), await readLarge(trimmed, json)])
      expect(read).toEqual([{ b: 'x', c: '' }, { c: '' }]);
  });

  it('keeps the order of the members of the shape, whatever their order in the body', () => {
    expect(Object.keys(read('{"tags":[],"name":"a"}'))).toEqual(['name', 'port', 'weight', 'on', 'tags', 'nested', 'limit']);
  });

  it('reads megabytes of text and deep unknown values in linear time', () => {
    const long = 'A'.repeat(10_000_000);
    expect(read(JSON.stringify({ name: long })).name.length).toBe(10_000_000);
    expect(read(`{"other":${'['.repeat(50_000)}${']'.repeat(50_000)},"name":"a"}`).name).toBe('a');
    expect(read(`{"name":"${'\\"'.repeat(500_000)}"}`).name.length).toBe(500_000);
    expect(read(`{"name":"${'\\\\'.repeat(500_000)}"}`).name.length).toBe(500_000);
  });
});

describe('reading the first value of a body', () => {
  it.each(['{"name":"a"}', ' {"name":"a"} {"name":"b"}', '{"name":"a"}x', '{"name":"a"}]', '{"name":"\\u0061"}\n1'])('reads %j', (json) =>
    expect(readFirst(shape, received(json)).name).toBe('a'),
  );

  it.each(['', ' ', 'x{"name":"a"}', '{"name":"a"', '{"name":"a",}', '1 {}', '"a" {}'])('refuses %j', (json) =>
    expect(() => readFirst(shape, received(json))).toThrow(MalformedJson),
  );

  it('refuses a missing body', () => expect(() => readFirst(shape, undefined)).toThrow(MalformedJson));
});

describe('reading a 64-bit integer', () => {
  const count = struct({ n: integer64 });
  it.each([
    ['{}', '0'],
    ['{"n":null}', '0'],
    ['{"n":-0}', '0'],
    ['{"n":9007199254740993}', '9007199254740993'],
    ['{"n":9223372036854775807}', '9223372036854775807'],
    ['{"n":-9223372036854775808}', '-9223372036854775808'],
  ])('reads %s', (json, n) => expect(readBody(count, Buffer.from(json))).toEqual({ n }));

  it.each(['9223372036854775808', '-9223372036854775809', `1${'0'.repeat(1_000_000)}`, '1.0', '1e3', '"1"', 'true', '{}'])(
    'refuses no. %#',
    (n) => expect(() => readBody(count, Buffer.from(`{"n":${n}}`))).toThrow(MalformedJson),
  );
});

describe('reading an object with free keys', () => {
  const flags = struct({ by: dictionary(dictionary(flag)) });
  const read = (json: string) => JSON.stringify(readBody(flags, Buffer.from(json)).by);
  it.each([
    ['{}', '{}'],
    ['{"by":null}', '{}'],
    ['{"by":{"b":{"y":true,"Y":false},"a":{},"none":null}}', '{"b":{"y":true,"Y":false},"a":{},"none":{}}'],
    ['{"by":{"a":{"x":true},"a":{"x":false,"y":null}}}', '{"a":{"x":false,"y":false}}'],
    ['{"by":{"__proto__":{"__proto__":true},"constructor":{}}}', '{"__proto__":{"__proto__":true},"constructor":{}}'],
  ])('reads %s, in slices too', async (json, expected) => {
    expect(read(json)).toBe(expected);
    expect(JSON.stringify((await readLarge(flags, json)).by)).toBe(expected);
  });

  it.each(['[]', '{"a":true}', '{"a":[]}', '{"a":{"x":1}}', '{"a":{"x":"true"}}', '""'])('refuses %s', (by) =>
    expect(() => read(`{"by":${by}}`)).toThrow(MalformedJson),
  );
});
