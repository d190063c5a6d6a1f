import { describe, expect, it } from '@jest/globals';
import { objectText, wireText } from './layout.js';

describe('wire text (status contract 1.8)', () => {
  it('has one space per level, no space before the colon, no newline at the end', () =>
    expect(wireText({ a: 1, b: [], c: [{ d: 'x' }] })).toBe('{\n "a": 1,\n "b": [],\n "c": [\n  {\n   "d": "x"\n  }\n ]\n}'));
  it('escapes possible markup', () => expect(wireText('<a & b>\u2028')).toBe('"\\u003ca \\u0026 b\\u003e\\u2028"'));
  it('is indented for its depth', () => expect(wireText({ a: { b: 1 } }, 2)).toBe('{\n   "a": {\n    "b": 1\n   }\n  }'));
  it('is the same for an object with members that are already text', () => {
    const value = { a: 1, 'b<': { c: ['d'] } };
    for (const depth of [0, 2]) {
      const members = { a: wireText(value.a, depth + 1), 'b<': wireText(value['b<'], depth + 1) };
      expect(objectText(members, depth)).toBe(wireText(value, depth));
    }
  });
});
