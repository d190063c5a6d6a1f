import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { runs } from '#test/support/test-runs.js';
import { JsonScan } from './json-scan.js';

const NO_LIMITS = { values: Number.POSITIVE_INFINITY, levels: Number.POSITIVE_INFINITY, text: Number.POSITIVE_INFINITY };

/** Scans bytes in chunks of these lengths, and the rest in one. */
const scanned = (bytes: Buffer, lengths: readonly number[] = [], limits: Partial<typeof NO_LIMITS> = {}, lines = false) => {
  const scan = new JsonScan({ ...NO_LIMITS, ...limits }, lines);
  let start = 0;
  for (const length of lengths) {
    scan.add(bytes.subarray(start, start + length));
    start += length;
  }
  scan.add(bytes.subarray(start));
  return { ...scan.end(), values: scan.values, excess: scan.excess };
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1) : 1;

/** JSON in many spellings, then with a few bytes changed: much of that is invalid. */
const spelled = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' ', '\t', ' \r\n'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const damaged = fc
  .tuple(spelled, fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\/u0123eE.+-tfn \n\u0001é')), { maxLength: 3 }))
  .map(([text, changes]) => {
    const characters = [...text];
    for (const [place, character] of changes) characters.splice(place % (characters.length + 1), place % 2, character);
    return characters.join('');
  });
const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 });

describe('the scan of arriving JSON', () => {
  it('accepts what JSON.parse accepts, however it is cut into chunks', () =>
    forAny(runs(3_000), damaged, cuts, (text, lengths) => {
      expect([text, scanned(Buffer.from(text), lengths).isJson]).toEqual([text, isJson(text)]);
    }));

  it('accepts any bytes that decode to JSON', () =>
    forAny(runs(3_000), fc.uint8Array({ maxLength: 6 }), fc.constantFrom('["', ''), cuts, (middle, open, lengths) => {
      const bytes = Buffer.concat([Buffer.from(open), middle, Buffer.from(open && '"]')]);
      expect([bytes, scanned(bytes, lengths).isJson]).toEqual([bytes, isJson(bytes.toString('utf8'))]);
    }));

  it.each([
    '0',
    '-0',
    '01',
    '-',
    '1.',
    '.5',
    '1.5',
    '1e5',
    '1e',
    '1e+',
    '1E-07',
    '1.e3',
    '+1',
    '0x1',
    '-01',
    '1 2',
    '00',
    '0e0',
    '10',
    '1.50e+10',
    'true',
    'tru',
    'truex',
    'True',
    'null',
    'nul',
    'false',
    'NaN',
    'Infinity',
    'undefined',
    '""',
    '"',
    '"\\"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\u1234"',
    '"\\U1234"',
    '"\\x"',
    '"\\/"',
    '"\u007f"',
    '"\u2028"',
    '\u00a0""',
    '\ufeff1',
    "'a'",
    '[]',
    '[ ]',
    '[,]',
    '[1,]',
    '[1,,2]',
    '[1 2]',
    ']',
    '[}',
    '[',
    '[[]',
    '[]]',
    '{}',
    '{ }',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{a:1}',
    '{1:2}',
    '{"a":1,"a":2}',
    '{]',
    '{"a"::1}',
    '{[]:1}',
    '{"a":1]',
    '',
    ' ',
    '\n',
    '/**/1',
    '1//',
    '1;',
  ])('agrees with JSON.parse on %j', (text) => expect(scanned(Buffer.from(text)).isJson).toBe(isJson(text)));

  it('counts values, and finds the end of the first', () =>
    forAny(100, fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' x', '{}', ' 1', '\n"a"'), cuts, (value, rest, lengths) => {
      const text = JSON.stringify(value);
      fc.pre(!/[\d.eE+-]$/.test(text) || !/^\S/.test(rest));
      const { values, firstEnd } = scanned(Buffer.from(`${text}${rest}`), lengths);
      expect(firstEnd).toBe(Buffer.byteLength(text));
      if (rest === '') expect(values).toBe(valuesIn(JSON.parse(text)));
    }));

  it.each([
    ['nullx', undefined],
    ['null x', 4],
    ['null{}', 4],
    ['truefalse', undefined],
    ['[null]x', 6],
    ['{}x', 2],
    ['"a"b', 3],
    ['', undefined],
    ['{"a"', undefined],
  ])('ends the first value of %j at %s', (text, end) => {
    expect(scanned(Buffer.from(text)).firstEnd).toBe(end);
    expect(scanned(Buffer.from(text), [1, 1, 1, 1, 1]).firstEnd).toBe(end);
  });

  it.each<[limits: Partial<typeof NO_LIMITS>, within: string, beyond: string, excess: string]>([
    [{ values: 4 }, '[1,{"a":2}]', '[1,{"a":2},3]', 'values'],
    [{ values: 3 }, '{"a":{},"b":[]}', '{"a":{},"b":[""]}', 'values'],
    [{ levels: 2 }, '[[],{"a":1},[', '[[],{"a":1},[[', 'levels'],
    [{ levels: 0 }, '1', '[]', 'levels'],
    [{ text: 3 }, '["abc","éa",{"abc":1}]', '["abcd"]', 'text'],
    [{ text: 3 }, '{"abc":1}', '{"abcd":1}', 'text'],
    [{ text: 3 }, '["\\na"]', '["\\n\\n"]', 'text'],
    [{ text: 3 }, '[123,-12,1.5]', '[1234]', 'text'],
    [{ text: 3 }, '[   1   ,   ""   ]', '[    1]', 'text'],
  ])('stops beyond %j', (limits, within, beyond, excess) => {
    for (const lengths of [[], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]) {
      expect(scanned(Buffer.from(within), lengths, limits).excess).toBeUndefined();
      expect(scanned(Buffer.from(beyond), lengths, limits).excess).toBe(excess);
    }
  });

  it('stops at the first syntax error', () => {
    const { excess, values } = scanned(Buffer.from(`[1,}${'[1,2,'.repeat(1_000)}`), [], { values: 10, levels: 10 });
    expect([excess, values]).toEqual([undefined, 3]);
  });

  it('separates lines, and counts the values of all of them, even of lines with syntax errors', () => {
    const lines = Buffer.from('{"a":1}\nnonsense\n\n[1,2}]]\n{"a":"cut\n[[3]]\n4');
    for (const lengths of [[], [3, 3, 3, 3, 9, 1, 1, 1]]) {
      expect(scanned(lines, lengths, {}, true).values).toBe(2 + 1 + 3 + 2 + 3 + 1);
      expect(scanned(lines, lengths, { values: 11 }, true).excess).toBe('values');
      expect(scanned(lines, lengths, { levels: 1 }, true).excess).toBe('levels');
    }
    expect(scanned(Buffer.from('[[\n[[\n[['), [], { levels: 2 }, true).excess).toBeUndefined();
  });

  it('needs memory only for open brackets', () => {
    const scan = new JsonScan(NO_LIMITS);
    const deep = Buffer.alloc(1_000_000, '[');
    scan.add(deep);
    scan.add(Buffer.alloc(1_000_000, ']'));
    expect([scan.end(), scan.values]).toEqual([{ isJson: true, firstEnd: 2_000_000 }, 1_000_000]);
  });
});
