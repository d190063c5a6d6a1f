import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { addRange, covers, dropBefore, endOfRangeAt, gapsBetween, pairsOf, type Ranges, rangesOf, startAfter } from './ranges.js';

const offsetsIn = (ranges: readonly number[]): readonly number[] =>
  [...pairsOf(ranges)].flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index));

const pair = fc.tuple(fc.nat(60), fc.nat(8)).map(([from, length]) => [from, from + length] as const);

describe('ranges', () => {
  it('contain what was added, in order, with gaps in between', async () => {
    await forAny(100, fc.array(pair, { maxLength: 30 }), fc.nat(70), (added, cut) => {
      const ranges: Ranges = [];
      const expected = new Set<number>();
      for (const [from, to] of added) {
        addRange(ranges, from, to);
        for (let offset = from; offset < to; offset++) expected.add(offset);
      }
      const sorted = [...expected].sort((a, b) => a - b);
      expect(offsetsIn(ranges)).toEqual(sorted);
      expect(rangesOf(expected)).toEqual(ranges);
      ranges.reduce((before, bound) => {
        expect(bound).toBeGreaterThan(before);
        return bound;
      }, -1);
      for (let offset = 0; offset < 70; offset++) {
        expect(endOfRangeAt(ranges, offset) !== undefined).toBe(expected.has(offset));
        expect(covers(ranges, offset, offset + 2)).toBe(expected.has(offset) && expected.has(offset + 1));
        if (!expected.has(offset)) expect(startAfter(ranges, offset)).toBe(sorted.find((one) => one > offset) ?? Number.POSITIVE_INFINITY);
      }
      const others = Array.from({ length: 70 }, (_, offset) => offset).filter((offset) => offset >= cut && !expected.has(offset));
      expect(offsetsIn([...gapsBetween(ranges, cut, 70)].flat())).toEqual(others);
      dropBefore(ranges, cut);
      expect(offsetsIn(ranges)).toEqual(sorted.filter((offset) => offset >= cut));
    });
  });
});
