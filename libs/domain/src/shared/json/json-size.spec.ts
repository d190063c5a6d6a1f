import { describe, expect, it } from '@jest/globals';
import { laidOut } from '#projections/status/free-json.js';
import { wireText } from '#projections/status/layout.js';
import { exceededBound, jsonSize, jsonTextSize } from './json-size.js';

/** The next of a fixed series of numbers below a limit, which looks random. */
const series = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
};

const TEXTS = [
  '',
  'a',
  'OK',
  '<&>',
  '"\\/',
  '\n\t\u0000\u001f\u007f',
  'é',
  '\u2028\u2029',
  '\ud800',
  'x\udc00',
  '😀',
  '漢字',
  '__proto__',
  '1',
];
const NUMBERS = [0, -0, 1, -1.5, 1e21, 1e-7, 123_456_789_012, 5e-324];

/** JSON of any shape, at most some levels deep. */
const anyJson = (random: (below: number) => number, levels: number): unknown => {
  const text = (): string => TEXTS[random(TEXTS.length)] ?? '';
  const count = random(4);
  switch (random(levels > 0 ? 6 : 4)) {
    case 0:
      return text();
    case 1:
      return NUMBERS[random(NUMBERS.length)];
    case 2:
      return random(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from({ length: count }, () => anyJson(random, levels - 1));
    default:
      return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${text()}${index}`, anyJson(random, levels - 1)]));
  }
};

const valuesIn = (value: unknown): number =>
  1 + (typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, one) => sum + valuesIn(one), 0) : 0);
const levelsIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsIn)) : 0;

describe('the size of JSON', () => {
  it('is that of its compact text and of its layout at any depth, whatever the value', () => {
    for (let seed = 1; seed <= 2_000; seed++) {
      const value = anyJson(series(seed), seed % 7);
      const compact = JSON.stringify(value);
      for (const depth of [0, 2, 5]) {
        const expected = {
          values: valuesIn(value),
          levels: levelsIn(value),
          bytes: Buffer.byteLength(compact),
          laidOut: Buffer.byteLength(wireText(value, depth)),
        };
        expect([compact, jsonSize(value, depth)]).toEqual([compact, expected]);
        expect([compact, jsonTextSize(compact, depth)]).toEqual([compact, expected]);
        expect(Buffer.byteLength(laidOut(compact, depth))).toBe(expected.laidOut);
      }
    }
  });

  it('counts numbers and escapes as they are written in a text', () => {
    const json = '{"2":1.0,"1":[1e5,12345678901234567890,-0,null,true],"\\u0041\\"":"\\u003c<\\n"}';
    expect(jsonTextSize(json, 3)).toMatchObject({ bytes: json.length, laidOut: laidOut(json, 3).length });
  });

  it('leaves out members that are undefined, as JSON does', () => {
    const value = { a: undefined, b: { c: undefined } };
    expect(jsonSize(value)).toMatchObject({ values: 2, bytes: JSON.stringify(value).length, laidOut: wireText(value).length });
  });

  it('needs no recursion, however deep a value is', () => {
    const levels = 100_000;
    let value: unknown = {};
    for (let level = 1; level < levels; level++) value = { a: value };
    expect(jsonSize(value)).toMatchObject({ levels, values: levels, bytes: levels * 6 - 4 });
    const json = `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
    expect(jsonTextSize(json)).toEqual(jsonSize(value));
  });

  it('ends at the first bound that is exceeded, and says which', () => {
    const wide = Array.from({ length: 1_000_000 }, () => null);
    const json = JSON.stringify(wide);
    for (const [bounds, exceeded] of [
      [{ values: 10 }, 'values'],
      [{ bytes: 100 }, 'bytes'],
      [{ laidOut: 100 }, 'laidOut'],
      [{ levels: 0 }, 'levels'],
      [{ levels: 1, values: 1_000_001, bytes: 6_000_000, laidOut: 20_000_000 }, undefined],
    ] as const) {
      for (const size of [jsonSize(wide, 0, bounds), jsonTextSize(json, 0, bounds)]) expect(exceededBound(size, bounds)).toBe(exceeded);
    }
    let walked = 0;
    const watched = wide.slice(0, 1_000).map(() => ({
      get seen() {
        walked += 1;
        return 1;
      },
    }));
    expect(jsonSize(watched, 0, { values: 100 }).values).toBe(101);
    expect(walked).toBeLessThan(101);
  });
});
