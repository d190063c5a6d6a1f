import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Problem } from '#api/ops-kit/problem.js';
import { NoParameters, readBody, readQuery } from '#api/ops-kit/strict-input.js';
import {
  flag,
  instant,
  isInstant,
  listOf,
  membersOf,
  millisecondsOf,
  oneOf,
  optional,
  position,
  repeatable,
  text,
  whole,
} from '#api/ops-kit/strict-members.js';

class Filter extends membersOf({
  after: optional(position()),
  from: optional(instant()),
  limit: optional(whole(1, 100)),
  order: optional(oneOf(['asc', 'desc'])),
  personal: optional(flag()),
  type: optional(repeatable(3, 10)),
}) {}

class Kept extends membersOf({ size: whole(0, 100) }) {}

class Wish extends membersOf({
  reason: text(5),
  anchors: optional(listOf(Kept, 2)),
}) {}

/** The wrong members, or the value that was read. */
const outcome = (read: () => object): unknown => {
  try {
    return { ...read() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error.status).toBe(400);
    return error.errors?.map(({ member }) => member) ?? error.detail;
  }
};

describe('query parameters', () => {
  it.each<[Record<string, unknown>, unknown]>([
    [{}, { limit: 20 }],
    [
      { after: '7', from: '2024-02-29T12:00:00.5Z', limit: '3', order: 'asc', personal: 'true', type: 'a' },
      { after: '7', from: '2024-02-29T12:00:00.5Z', limit: 3, order: 'asc', personal: true, type: ['a'] },
    ],
    [{ type: ['a', 'b'] }, { limit: 20, type: ['a', 'b'] }],
    [{ type: ['a', 'b', 'c', 'd'] }, ['type']],
    [{ type: '' }, ['type']],
    [{ limit: ['1', '2'] }, ['limit']],
    [{ limit: '0', order: 'up', personal: '1', nonsense: '' }, ['nonsense', 'limit', 'order', 'personal']],
    [{ constructor: 'x', toString: 'x', hasOwnProperty: 'x' }, ['constructor', 'toString', 'hasOwnProperty']],
    [JSON.parse('{"__proto__": "x"}') as Record<string, unknown>, ['__proto__']],
  ])('%j are read as %j', (query, expected) => {
    expect(outcome(() => ({ limit: 20, ...readQuery(Filter, query) }))).toEqual(expected);
  });

  it.each(['', '01', '+1', '1e3', '1.0', ' 1', '101', '-0', 'NaN', '9'.repeat(400)])('limit=%s is refused', (limit) => {
    expect(outcome(() => readQuery(Filter, { limit }))).toEqual(['limit']);
  });

  it.each(['', '-1', '01', '1.5', '0x1', 'head', '9223372036854775808'])('after=%s is refused', (after) => {
    expect(outcome(() => readQuery(Filter, { after }))).toEqual(['after']);
  });

  it('of a call that has none are refused', () => {
    expect(outcome(() => readQuery(NoParameters, { date: '' }))).toEqual(['date']);
    expect(outcome(() => readQuery(NoParameters, { constructor: '' }))).toEqual(['constructor']);
  });
});

describe('bodies', () => {
  it.each<[string, unknown]>([
    ['{"reason":"why"}', { reason: 'why' }],
    ['{"reason":"why","anchors":[{"size":1}]}', { reason: 'why', anchors: [{ size: 1 }] }],
    ['', ['reason']],
    ['{}', ['reason']],
    ['{"reason":null}', ['reason']],
    ['{"reason":""}', ['reason']],
    ['{"reason":"longer"}', ['reason']],
    ['{"reason":"\\ud800"}', ['reason']],
    ['{"reason":"😀😀😀😀😀"}', { reason: '😀😀😀😀😀' }],
    ['{"reason":["why"]}', ['reason']],
    ['{"reason":"why","reason":"why"}', ['reason']],
    ['{"reason":"why","more":1}', ['more']],
    ['{"reason":"why","__proto__":{"x":1},"constructor":1}', ['__proto__', 'constructor']],
    ['{"reason":{"constructor":1}}', ['reason.constructor']],
    ['{"reason":"why","anchors":[{"constructor":{"name":1}},{"__proto__":null}]}', ['anchors[0].constructor', 'anchors[1].__proto__']],
    [
      '{"reason":"why","more":{"toString":{"valueOf":[{"hasOwnProperty":1}]}}}',
      ['more.toString', 'more.toString.valueOf', 'more.toString.valueOf[0].hasOwnProperty'],
    ],
    ['{"reason":"why","anchors":null}', ['anchors']],
    ['{"reason":"why","anchors":{}}', ['anchors']],
    ['{"reason":"why","anchors":[1]}', ['anchors[0]']],
    ['{"reason":"why","anchors":[null]}', ['anchors[0]']],
    ['{"reason":"why","anchors":[[]]}', ['anchors']],
    ['{"reason":"why","anchors":[[{"size":1}]]}', ['anchors']],
    ['{"reason":"why","anchors":[{"size":1},{"size":"1"}]}', ['anchors[1].size']],
    ['{"reason":"why","anchors":[{"size":1,"size":1,"more":2}]}', ['anchors[0].size', 'anchors[0].more']],
    ['{"reason":"why","anchors":[{"size":1},{"size":1},{"size":1}]}', ['anchors']],
    ['[]', ['body']],
    ['null', ['body']],
    ['{"reason":', ['body']],
    ['{} {}', ['body']],
  ])('%s is read as %j', (text, expected) => {
    expect(outcome(() => readBody(Wish, Buffer.from(text)))).toEqual(expected);
  });

  it('of a call that has none are refused, an empty object excepted', () => {
    expect(outcome(() => readBody(NoParameters, undefined))).toEqual({});
    expect(outcome(() => readBody(NoParameters, Buffer.from(' { } ')))).toEqual({});
    expect(outcome(() => readBody(NoParameters, Buffer.from('{"a":{"b":1}}')))).toEqual(['a']);
    expect(outcome(() => readBody(NoParameters, Buffer.from([0x22, 0xff, 0x22])))).toEqual(['body']);
  });
});

describe('names of wrong members', () => {
  it('are shortened, and no more are collected than are shown', () => {
    const [name, repeated] = ['a'.repeat(100_000), (count: number, member: string) => `${`"${member}":1,`.repeat(count)}"${member}":1`];
    const deep = `{"${name}":{${repeated(20_000, 'b')},${repeated(1, name)}}}`;
    expect(outcome(() => readBody(NoParameters, Buffer.from(deep)))).toEqual([
      `${'a'.repeat(200)}….b`,
      `${'a'.repeat(200)}….${'a'.repeat(200)}…`,
      `${'a'.repeat(200)}…`,
    ]);
    const nested = `${`{"${'c'.repeat(300)}":`.repeat(100)}{${repeated(1, 'd')}}${'}'.repeat(100)}`;
    const [deepest, ...others] = outcome(() => readBody(NoParameters, Buffer.from(nested))) as readonly string[];
    expect([deepest?.length, others.length]).toEqual([5 * 202 - 1, 1]);
    const many = Array.from({ length: 1_000 }, (_, index) => repeated(1, `m${index}`));
    expect(outcome(() => readBody(NoParameters, Buffer.from(`{${many.join()}}`)))).toHaveLength(20);
  });
});

describe('instants', () => {
  it('have a zone and exist', () => {
    const wrong = [
      '2024-01-01',
      '2024-01-01T00:00:00',
      '2024-01-01T00:00:00+00:00',
      '2023-02-29T00:00:00Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01t00:00:00z',
    ];
    expect(wrong.filter(isInstant)).toEqual([]);
    expect(['2024-01-01T00:00:00Z', '0001-01-01T23:59:59.123456789Z'].every(isInstant)).toBe(true);
  });

  it('finer than a millisecond lie between two', () => {
    const [before, at, after] = ['2024-01-01T00:00:00.123Z', '2024-01-01T00:00:00.1235Z', '2024-01-01T00:00:00.124Z'].map(millisecondsOf);
    expect(at).toBeGreaterThan(before as number);
    expect(at).toBeLessThan(after as number);
    expect(before).toBe(Date.UTC(2024, 0, 1, 0, 0, 0, 123));
  });
});
