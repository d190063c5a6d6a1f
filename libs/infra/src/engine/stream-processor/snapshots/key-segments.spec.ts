import { expect, it } from '@jest/globals';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { inTurns } from '#test/support/turns.js';
import { bodyDigest, countOf, fingerprintOf, isSameBody, isWhole, type KeyedUse, placeOf, segmentOf, useOf } from './key-segments.js';

const use = (n: number): KeyedUse => [
  `key ${n}`,
  { body: `body ${n}`, first: 2n ** 40n + BigInt(n), count: n % 7, time: 1_714_564_800_000 + n },
];
const uses = (from: number, to: number): readonly KeyedUse[] => Array.from({ length: to - from }, (_, n) => use(from + n));

it('every key of a segment is found with its use, and no other key', async () => {
  const segment = await segmentOf(uses(0, 3_000));
  expect([countOf(segment.keys), isWhole(segment)]).toEqual([3_000, true]);
  for (const [key, expected] of uses(0, 3_000)) {
    const found = useOf(segment, placeOf(segment.keys, fingerprintOf(key)));
    expect(found).toEqual({ ...expected, body: bodyDigest(expected.body) });
    expect(isSameBody(found, expected.body)).toBe(true);
    expect(isSameBody(found, 'another')).toBe(false);
  }
  for (const [key] of uses(3_000, 6_000)) expect(placeOf(segment.keys, fingerprintOf(key))).toBe(-1);
  expect(placeOf((await segmentOf([])).keys, fingerprintOf('key 1'))).toBe(-1);
});

it('a segment grows, and a newer use takes the place of an older one', async () => {
  const [key, later] = ['key 5', { ...use(5)[1], first: 9n }];
  const segment = await segmentOf([[key, later], ...uses(100, 110)], await segmentOf(uses(0, 100)));
  expect(countOf(segment.keys)).toBe(110);
  expect(useOf(segment, placeOf(segment.keys, fingerprintOf(key)))).toEqual({ ...later, body: bodyDigest(later.body) });
  expect(useOf(segment, placeOf(segment.keys, fingerprintOf('key 99'))).first).toBe(use(99)[1].first);
  expect(isWhole({ ...segment, uses: segment.uses.subarray(36) })).toBe(false);
});

it('a segment of many keys is made in turns', async () => {
  const pass = stopClock();
  const slow = uses(0, 100).map(([key, known]): KeyedUse => {
    const body = (): string => {
      pass(1);
      return known.body;
    };
    return [key, Object.defineProperty({ ...known }, 'body', { get: body })];
  });
  const { segment, turns } = await inTurns(async (turn) => ({ segment: await segmentOf(slow), turns: turn() }));
  expect(countOf(segment.keys)).toBe(100);
  expect(turns).toBeGreaterThan(10);
});
