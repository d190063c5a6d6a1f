import { expect, it } from '@jest/globals';
import { KnownGaps } from './known-gaps.js';

it('Gaps are passed over, and nothing else', () => {
  const gaps = new KnownGaps();
  gaps.add(100, 200);
  gaps.add(300, 400);
  expect([0, 99, 100, 199, 200, 299, 300, 400].map((offset) => gaps.after(offset))).toEqual([0, 99, 200, 200, 200, 299, 400, 400]);
});

it('Gaps that touch are one', () => {
  const gaps = new KnownGaps();
  for (const [from, to] of [
    [100, 200],
    [400, 500],
    [200, 203],
    [390, 450],
    [150, 395],
  ] as const)
    gaps.add(from, to);
  expect([99, 100, 300, 499].map((offset) => gaps.after(offset))).toEqual([99, 500, 500, 500]);
});

it('Of many gaps the short ones go, but not the last', () => {
  const gaps = new KnownGaps();
  gaps.add(0, 1_000_000);
  for (let offset = 1_000_001; offset < 1_010_000; offset += 2) gaps.add(offset, offset + 1);
  expect([gaps.after(0), gaps.after(1_000_001), gaps.after(1_009_999)]).toEqual([1_000_000, 1_000_001, 1_010_000]);
});

it('Whatever is added in whatever order, what lies outside is never passed over', () => {
  let seed = 42;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 200; round++) {
    const gaps = new KnownGaps();
    const covered = new Set<number>();
    for (let index = 0; index < 10; index++) {
      const from = random(300);
      const to = from + random(60);
      gaps.add(from, to);
      for (let offset = from; offset < to; offset++) covered.add(offset);
    }
    const offsets = Array.from({ length: 400 }, (_, offset) => offset);
    const missed = offsets.filter((offset) => gaps.after(offset) > offset && !covered.has(offset));
    const ends = offsets.filter((offset) => gaps.after(gaps.after(offset)) !== gaps.after(offset));
    expect([missed, ends]).toEqual([[], []]);
  }
});

it('A stretch without offsets is left out', () => {
  const gaps = new KnownGaps();
  gaps.add(20, 10);
  gaps.add(5, 5);
  gaps.add(12, 13);
  expect([5, 12, 15, 20].map((offset) => gaps.after(offset))).toEqual([5, 13, 15, 20]);
});

it('What comes before the next long gap is all that is worth reading', () => {
  const gaps = new KnownGaps();
  gaps.add(20, 30);
  gaps.add(40, 140);
  expect([0, 35, 140].map((offset) => gaps.before(offset, 64))).toEqual([40, 5, 64]);
  expect([gaps.before(0, 10), gaps.before(0, 128)]).toEqual([10, 128]);
});
