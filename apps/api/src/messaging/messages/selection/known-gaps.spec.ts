import { expect, it } from '@jest/globals';
import { KnownGaps } from './known-gaps.js';

it('Gaps are passed over, and nothing else', () => {
  const gaps = new KnownGaps();
  gaps.add(100, 200);
  gaps.add(300, 400);
  expect([0, 99, 100, 199, 200, 299, 300, 400].map((offset) => gaps.after(offset))).toEqual([0, 99, 200, 200, 200, 299, 400, 400]);
});

it('Of many gaps the short ones go, but not the last', () => {
  const gaps = new KnownGaps();
  gaps.add(0, 1_000_000);
  for (let offset = 1_000_001; offset < 1_010_000; offset += 2) gaps.add(offset, offset + 1);
  expect([gaps.after(0), gaps.after(1_000_001), gaps.after(1_009_999)]).toEqual([1_000_000, 1_000_001, 1_010_000]);
});

it('What comes before the next long gap is all that is worth reading', () => {
  const gaps = new KnownGaps();
  gaps.add(20, 30);
  gaps.add(40, 140);
  expect([0, 25, 35, 140].map((offset) => gaps.before(offset, 64))).toEqual([40, 15, 5, 64]);
  expect([gaps.before(0, 10), gaps.before(0, 128)]).toEqual([10, 128]);
});
