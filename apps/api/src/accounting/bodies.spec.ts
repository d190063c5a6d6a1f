import { describe, expect, it } from '@jest/globals';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { changed, decimal, members, present, required, text } from './bodies.js';
import { AccountingError } from './errors.js';

const shape = members({ text, number: decimal, inner: members({ text }) });
const read = (body: string) => readBody(shape, Buffer.from(body));
const NOTHING = { text: null, number: null, inner: { text: null } };

describe('a body of the accounting service', () => {
  it.each<[body: string, values: object]>([
    ['{}', {}],
    ['{"text":null,"number":null,"inner":null}', {}],
    ['{"text":""}', { text: '' }],
    ['{"text":1.50}', { text: '1.50' }],
    ['{"text":-0}', { text: '-0' }],
    ['{"text":false}', { text: 'false' }],
    ['{"TEXT":"x","other":{"text":["y"]}}', {}],
    ['{"text":"x","text":null}', {}],
    ['{"text":"x","text":"y"}', { text: 'y' }],
    ['{"inner":{"text":7,"more":[]}}', { inner: { text: '7' } }],
    ['{"constructor":1,"__proto__":{"text":"x"}}', {}],
  ])('%s', (body, values) => expect(read(body)).toEqual({ ...NOTHING, ...values }));

  it.each<[given: string, number: string | null]>([
    ['0', '0'],
    ['12.500', '12.500'],
    ['-3.0', '-3.0'],
    ['1e5', '1e5'],
    ['1E+5', '1e+5'],
    ['0.1e-7', '0.1e-7'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
    ['"12.50"', '12.50'],
    ['" 7 "', '7'],
    ['"+5"', '5'],
    ['".5"', '0.5'],
    ['"5."', '5'],
    ['"007"', '7'],
    ['"000"', '0'],
    ['"-0.0"', '-0.0'],
    ['"1e400"', '1e400'],
    ['""', null],
    ['"  "', null],
  ])('the number %s is %s', (given, number) => {
    const found = read(`{"number":${given}}`).number;
    expect(found).toBe(number);
    if (number !== null) expect(Number(JSON.parse(number))).toBe(Number(given.replaceAll('"', '')));
  });

  it.each([
    '[]',
    '"x"',
    '1',
    '{"text":{}}',
    '{"text":[]}',
    '{"inner":[]}',
    '{"inner":"x"}',
    '{"number":true}',
    '{"number":"abc"}',
    '{"number":"1,5"}',
    '{"number":"0x10"}',
    '{"number":"NaN"}',
    '{"number":"Infinity"}',
    '{"number":"."}',
    '{"number":"e5"}',
    '{"number":".e5"}',
    '{"number":"--1"}',
    '{"number":"1 2"}',
    '{"number":{}}',
    '{',
  ])('%s is malformed', (body) => expect(() => read(body)).toThrow(MalformedJson));

  it.each(['1e401', '1e-401', '1e99999', '9'.repeat(401), `"${'9'.repeat(401)}"`])(
    'names the limit that the number %.20s exceeds',
    (number) =>
      expect(() => read(`{"number":${number}}`)).toThrow(
        new AccountingError(400, 'A number may have at most 400 characters, and an exponent of 400.'),
      ),
  );

  it('reads numbers in a time that grows with their length only', () => {
    for (const digits of ['0'.repeat(300_000), `${'0'.repeat(300_000)}x`, '9'.repeat(300_000)])
      expect(() => read(`{"number":"${digits}"}`)).toThrow(Error);
  });

  it('says what is missing, and leaves what is not given', () => {
    expect(() => present(undefined)).toThrow(new AccountingError(400, 'The request body is empty.'));
    for (const value of [null, '']) expect(() => required(value, 'field')).toThrow(new AccountingError(400, 'field may not be empty.'));
    expect([required(' ', 'field'), changed('new', 'old'), changed('', 'old'), changed(null, null)]).toEqual([' ', 'new', 'old', null]);
  });
});
