import { expect, it } from '@jest/globals';
import { countValues } from './count-values.js';

it.each([
  [null, 1],
  [7, 1],
  ['text', 1],
  ['x'.repeat(640), 11],
  [[1, [2]], 4],
  [{ a: 1, b: undefined }, 3],
  [new Set([1, 2]), 3],
  [new Map([['a', { b: 1 }]]), 4],
])('%j counts as %i', (state, count) => expect(countValues(state)).toBe(count));

it('a deep state is counted without deep recursion', () => {
  let state: unknown = 0;
  for (let depth = 0; depth < 100_000; depth++) state = [state];
  expect(countValues(state)).toBe(100_001);
});
