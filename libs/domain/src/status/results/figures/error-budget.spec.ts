import { describe, expect, it } from '@jest/globals';
import { PROFILE_V } from '#test/support/results/plans.js';
import { errorBudgetOf, NO_TIME, stretchBefore, sumOf, tallyOf, tallyOfDay } from './error-budget.js';

const { defaults } = PROFILE_V;
const TIMELINE = [
  { at: 0, status: 'OK' },
  { at: 100, status: 'CRITICAL' },
  { at: 200, status: 'DOWNTIME' },
  { at: 300, status: 'MISSING' },
  { at: 400, status: 'WARNING' },
];

describe('tallies', () => {
  it('count the seconds within a range', () => {
    expect(tallyOf(TIMELINE, { from: 50, to: 500 }, defaults)).toEqual({ total: 450, up: 150, down: 100, unknown: 100 });
    expect(tallyOf(TIMELINE, { from: 120, to: 130 }, defaults)).toEqual({ total: 10, up: 0, down: 0, unknown: 0 });
    expect(tallyOf(TIMELINE, { from: 86_000, to: 86_400 }, defaults)).toEqual({ total: 400, up: 400, down: 0, unknown: 0 });
  });

  it('count excluded time as unknown', () => {
    const exclude = [{ from: 150, to: 250, status: 'UNKNOWN' }];
    expect(tallyOf(TIMELINE, { from: 0, to: 300 }, defaults, exclude)).toEqual({ total: 300, up: 100, down: 50, unknown: 100 });
  });

  it('of days are added', () => {
    const day = tallyOfDay({ availability: 50, reliability: 100, uptime: 0.5, downtime: 0.25, unknown: 0.125 });
    expect(day).toEqual({ total: 86_400, up: 43_200, down: 21_600, unknown: 10_800 });
    expect(sumOf(sumOf(NO_TIME, day), { total: 10, up: 1, down: 2, unknown: 3 })).toEqual({
      total: 86_410,
      up: 43_201,
      down: 21_602,
      unknown: 10_803,
    });
  });
});

describe('the last hours', () => {
  const now = Date.parse('2024-05-02T01:00:00Z') / 1000;

  it.each([
    ['2024-05-02', 1_800, { from: 1_800, to: 3_600 }],
    ['2024-05-02', 7_200, { from: 0, to: 3_600 }],
    ['2024-05-01', 7_200, { from: 82_800, to: 86_400 }],
    ['2024-05-01', 3_600, undefined],
    ['2024-04-30', 259_200, { from: 0, to: 86_400 }],
    ['2024-05-03', 7_200, undefined],
  ])('overlap %s, with a length of %d seconds, in %j', (day, length, stretch) => expect(stretchBefore(now, length, day)).toEqual(stretch));
});

describe('error budgets', () => {
  const tally = { total: 1_000, up: 600, down: 100, unknown: 200 };

  it('burn at the ratio of failed time to the time that the objective allows', () => {
    // 200 of 800 known seconds failed, 50 % may
    expect(errorBudgetOf(tally, 'availability', 50)).toEqual({ burnRate: 0.5, remaining: 0.5 });
    // 100 of 700, because downtimes do not count
    expect(errorBudgetOf(tally, 'reliability', 50)).toEqual({ burnRate: 2 / 7, remaining: 1 - 2 / 7 });
  });

  it('may be overdrawn', () => {
    const { burnRate, remaining } = errorBudgetOf(tally, 'availability', 90)!;
    expect([burnRate, remaining].map((value) => value.toFixed(9))).toEqual(['2.500000000', '-1.500000000']);
  });

  it('are full as long as nothing fails, for any objective', () => {
    const up = { total: 100, up: 90, down: 0, unknown: 10 };
    expect(errorBudgetOf(up, 'availability', 100)).toEqual({ burnRate: 0, remaining: 1 });
    expect(errorBudgetOf(up, 'availability', 80)).toEqual({ burnRate: 0, remaining: 1 });
    const day = tallyOfDay({ availability: 100, reliability: 100, uptime: 0.7, downtime: 0, unknown: 0.3 });
    expect(errorBudgetOf(day, 'availability', 100)).toEqual({ burnRate: 0, remaining: 1 });
  });

  it('of an objective of 100 % burn infinitely fast', () => {
    expect(errorBudgetOf(tally, 'availability', 100)).toEqual({ burnRate: Infinity, remaining: -Infinity });
    expect(errorBudgetOf(tally, 'availability', 120)).toEqual({ burnRate: Infinity, remaining: -Infinity });
  });

  it('are undefined if all time is unknown', () => {
    expect(errorBudgetOf(NO_TIME, 'availability', 80)).toBeUndefined();
    expect(errorBudgetOf({ total: 10, up: 0, down: 4, unknown: 6 }, 'reliability', 80)).toBeUndefined();
  });
});
