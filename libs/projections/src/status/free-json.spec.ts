import { describe, expect, it } from '@jest/globals';
import { laidOut } from './free-json.js';
import { wireText } from './layout.js';

describe('JSON text in the layout of answers', () => {
  it.each([
    {},
    [],
    { a: {} },
    { a: [], b: [[], {}] },
    { group: { type: 'PROJECT', group: { type: 'SITES' } } },
    ['{', '[', '}', ']', ',', ':', '"', '\\', '\\"', '{}', '<&>', '\u2028', 'a\nb'],
    { '<k>:,{': [true, false, null, -1.5, 'x'] },
  ])('%j is laid out like any other value', (value) => {
    for (const depth of [0, 3]) expect(laidOut(JSON.stringify(value), depth)).toBe(wireText(value, depth));
  });

  it('keeps the order of keys and the spelling of numbers', () =>
    expect(laidOut('{"2":1.0,"1":1e5}', 0)).toBe('{\n "2": 1.0,\n "1": 1e5\n}'));

  it('rejects output of hundreds of mebibytes as soon as it is too long', () => {
    const deep = `${'['.repeat(1_000)}${'1,'.repeat(600_000)}1${']'.repeat(1_000)}`;
    expect(() => laidOut(deep, 3)).toThrow(RangeError);
  });

  it('terminates for text that is not JSON', () => expect(laidOut('{"a', 0)).toBe('{\n "a'));
});
