import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { at, DAY } from '#test/support/results/plans.js';
import { runs } from '#test/support/test-runs.js';
import { downtimeOn, isInRanges, mergedRanges, rangeAround, recomputationOn, timeOfDay } from './windows.js';

describe('windows of recomputations on a day (results contract 7)', () => {
  it.each([
    ['inside, to the second before noon', '2024-05-02T10:00:00Z', '2024-05-02T11:59:59Z', at('10:00'), at('12:00')],
    ['from the day before', '2024-05-01T10:00:00Z', '2024-05-02T12:00:00Z', 0, at('12:00:01')],
    ['to midnight of the day after', '2024-05-02T10:00:00Z', '2024-05-03T00:00:00Z', at('10:00'), 86_400],
    ['around', '2023-05-01T10:00:00Z', '2025-05-02T12:00:00Z', 0, 86_400],
    ['to the last second', '2024-05-02T10:00:00Z', '2024-05-02T23:59:59Z', at('10:00'), 86_400],
    ['from the last second', '2024-05-02T23:59:59Z', '2024-05-02T23:59:59Z', 86_399, 86_400],
    ['to the first second', '2024-05-01T10:00:00Z', '2024-05-02T00:00:00Z', 0, 1],
    ['of one second', '2024-05-02T10:00:00Z', '2024-05-02T10:00:00Z', at('10:00'), at('10:00:01')],
    ['with fractions', '2024-05-02T10:00:00.9Z', '2024-05-02T12:00:00.9Z', at('10:00'), at('12:00:01')],
  ])('%s', (_, start, end, from, to) => expect(recomputationOn(DAY, start, end)).toEqual({ from, to }));

  it.each([
    ['that ends in the last second of the day before', '2024-05-01T00:00:00Z', '2024-05-01T23:59:59Z'],
    ['that begins after it', '2024-05-03T00:00:00Z', '2024-05-04T00:00:00Z'],
    ['that ends before it begins', '2024-05-02T12:00:00Z', '2024-05-02T10:00:00Z'],
  ])('are empty: one %s', (_, start, end) => {
    const { from, to } = recomputationOn(DAY, start, end)!;
    expect(from).toBeGreaterThanOrEqual(to);
  });

  it('are undefined if a time is invalid', () => {
    expect(recomputationOn(DAY, '2024-05-02', '2024-05-02T12:00:00Z')).toBeUndefined();
    expect(recomputationOn(DAY, '2024-05-02T10:00:00Z', '2024-02-30T12:00:00Z')).toBeUndefined();
    expect(rangeAround(DAY, 'x', '2024-05-02T12:00:00Z')).toBeUndefined();
  });
});

/** Seconds around the day, mostly from a few values, so that ends often coincide with midnights and with each other. */
const seconds = fc.oneof(
  fc.constantFrom(-86_400, -60, -59, -1, 0, 1, 43_200, 43_230, 86_280, 86_339, 86_340, 86_341, 86_399, 86_400, 172_740),
  fc.integer({ min: -86_400, max: 172_799 }),
);
const instantOf = (second: number): string => new Date(Date.parse(DAY) + second * 1_000).toISOString().replace('.000', '');

/** Whether a downtime is in force at a second of the day: from its start until 60 seconds after its end, but on no later day than its end. */
const isDown = (start: number, end: number, second: number): boolean =>
  start <= second && second < end + 60 && Math.floor(second / 86_400) <= Math.floor(end / 86_400);

describe('windows of downtimes on a day (results contract 6)', () => {
  it.each([
    ['to noon', '2024-05-02T10:00:00Z', '2024-05-02T12:00:00Z', at('10:00'), at('12:01')],
    ['to the last minute, where downtimes are split by day', '2024-05-02T12:00:00Z', '2024-05-02T23:59:00Z', at('12:00'), 86_400],
    ['to the last second', '2024-05-02T12:00:00Z', '2024-05-02T23:59:59Z', at('12:00'), 86_400],
    ['to the second-to-last minute', '2024-05-02T12:00:00Z', '2024-05-02T23:58:00Z', at('12:00'), at('23:59')],
    ['to a second of a minute', '2024-05-02T12:00:00Z', '2024-05-02T12:00:30Z', at('12:00'), at('12:01:30')],
    ['to its first minute', '2024-05-01T12:00:00Z', '2024-05-02T00:00:00Z', 0, 60],
    ['of one minute', '2024-05-02T12:00:00Z', '2024-05-02T12:00:00Z', at('12:00'), at('12:01')],
  ])('%s', (_, start, end, from, to) => expect(downtimeOn(DAY, start, end)).toEqual({ from, to }));

  it('equal the seconds that a naive computation finds one by one', () =>
    forAny(runs(40), seconds, seconds, (start, end) => {
      const { from, to } = downtimeOn(DAY, instantOf(start), instantOf(end))!;
      for (let second = 0; second < 86_400; second++) {
        if ((from <= second && second < to) !== isDown(start, end, second)) throw new Error(`second ${second}: ${from} to ${to}`);
      }
    }));
});

describe('ranges around a day', () => {
  it('count from its midnight', () => {
    expect(rangeAround(DAY, '2024-05-01T23:59:00Z', '2024-05-02T00:00:01Z')).toEqual({ from: -60, to: 1 });
  });
  it('are unbounded if their ends are more than a day away', () => {
    expect(rangeAround(DAY, '2024-04-30T23:59:00Z', '2024-05-03T00:00:00Z')).toEqual({ from: -Infinity, to: Infinity });
  });
});

it('ranges of seconds contain the same seconds after they are merged', () =>
  forAny(runs(100), fc.array(fc.record({ from: fc.integer({ min: -9, max: 30 }), to: fc.integer({ min: -9, max: 30 }) })), (ranges) => {
    const merged = mergedRanges([...ranges, { from: 40, to: Infinity }, { from: -Infinity, to: -20 }]);
    for (let second = -25; second < 45; second++) {
      const isIn = second <= -20 || second >= 40 || ranges.some(({ from, to }) => from <= second && second <= to);
      expect([second, isInRanges(merged, second)]).toEqual([second, isIn]);
    }
  }));

it('a second of the day is formatted as a time', () =>
  expect([0, 3661, 86_399].map(timeOfDay)).toEqual(['00:00:00', '01:01:01', '23:59:59']));
