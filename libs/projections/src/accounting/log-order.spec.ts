import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { placeOf } from './log-order.js';

describe('The place of an event in the log', () => {
  it('sorts like its position', () =>
    forAny(100, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (one, other) => {
      const [place, next] = [placeOf({ position: one }), placeOf({ position: other })];
      expect(place < next).toBe(one < other);
      expect(place === next).toBe(one === other);
    }));
});
