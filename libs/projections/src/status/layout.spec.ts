import { describe, expect, it } from '@jest/globals';
import { memberLine, wireText } from './layout.js';

describe('wire text (status contract 1.8)', () => {
  it('has one space per level, no space before the colon, no newline at the end', () =>
    expect(wireText({ a: 1, b: [], c: [{ d: 'x' }] })).toBe('{\n "a": 1,\n "b": [],\n "c": [\n  {\n   "d": "x"\n  }\n ]\n}'));
  it('escapes what could be markup', () => expect(wireText('<a & b>\u2028')).toBe('"\\u003ca \\u0026 b\\u003e\\u2028"'));
  it('is indented for its place', () => expect(wireText({ a: { b: 1 } }, 2)).toBe('{\n   "a": {\n    "b": 1\n   }\n  }'));
  it('can be searched for a member of a record, not for one of its parts', () => {
    const text = wireText({ id: '1', name: 'a"<', groups: [{ name: 'b' }] }, 2);
    expect(text).toContain(memberLine('name', 'a"<'));
    expect(text).not.toContain(memberLine('name', 'b'));
    expect(text).not.toContain(memberLine('name', 'a'));
  });
});
