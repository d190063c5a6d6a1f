import { describe, expect, it } from '@jest/globals';
import { byBytes } from '#domain/shared/text/text-order.js';
import { byMembers } from './text-order.js';

describe('the order of texts', () => {
  it('is byte order', () => {
    const texts = ['', 'A', 'Z', 'a', 'aa', 'ab', 'b', 'é', '日', '\ud7ff', '\ue000', '\uffee', '\u{10000}', '🎉', '🎉a', '🎊'];
    const sorted = [...texts].reverse().sort(byBytes);
    expect(sorted).toEqual(texts.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))));
    expect(byBytes('a', 'a')).toBe(0);
  });
  it('is, for records, that of the first member that differs', () => {
    const records = [
      { a: 'x', b: '2' },
      { a: 'w', b: '3' },
      { a: 'x', b: '1' },
    ];
    expect([...records].sort(byMembers('a', 'b'))).toEqual([records[1], records[2], records[0]]);
    expect(byMembers('a')(records[0] ?? { a: '' }, records[2] ?? { a: '' })).toBe(0);
  });
});
