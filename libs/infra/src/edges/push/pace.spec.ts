import { describe, expect, it } from '@jest/globals';
import { type CycleOutcome, paceOf } from './pace.js';

describe('the pace of a linear policy', () => {
  const pace = paceOf({ type: 'linear', period: 3_000 });

  it('starts at once', () => expect(pace.first).toBe(0));

  it.each<[CycleOutcome, number, number]>([
    ['delivered', 0, 3_000],
    ['failed', 1_000, 2_000],
    ['idle', 10, 2_990],
    ['failed', 30_000, 0],
    ['delivered', -3_599_000, 3_000],
  ])('goes on by its period whatever happened: %s after %d ms', (outcome, took, wait) => expect(pace.after(outcome, took)).toBe(wait));

  it('has no period shorter than 100 ms', () => {
    const hasty = paceOf({ type: 'linear', period: 1 });
    expect([hasty.after('delivered', 5), hasty.after('failed', 0), hasty.after('idle', 200)]).toEqual([95, 100, 0]);
  });

  it('slows down to a minute if the subscription keeps failing, and recovers with the first success', () => {
    const failing = paceOf({ type: 'linear', period: 300 });
    const waits = Array.from({ length: 22 }, () => failing.after('failed', 0));
    expect(waits.slice(0, 11)).toEqual(Array(11).fill(300));
    expect(waits.slice(11)).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200, 60_000, 60_000, 60_000]);
    expect([failing.after('interrupted', 0), failing.after('idle', 0)]).toEqual([60_000, 60_000]);
    expect([failing.after('delivered', 0), failing.after('failed', 0)]).toEqual([300, 300]);
  });

  it('never slows down to less than its period', () => {
    const slow = paceOf({ type: 'linear', period: 90_000 });
    expect(Array.from({ length: 30 }, () => slow.after('failed', 0))).toEqual(Array(30).fill(90_000));
  });

  it('never waits longer than a timer can', () =>
    expect(paceOf({ type: 'linear', period: 9_000_000_000_000_000 }).after('idle', 0)).toBe(2_147_483_647));
});

describe('the pace of a slow start', () => {
  const waits = (...outcomes: readonly CycleOutcome[]): readonly number[] => {
    const pace = paceOf({ type: 'slowstart', period: 0 });
    return [pace.first, ...outcomes.map((outcome) => pace.after(outcome, 5))];
  };
  const times = (count: number, outcome: CycleOutcome): readonly CycleOutcome[] => Array.from({ length: count }, () => outcome);

  it('halves its interval with every success, down to 300 ms', () =>
    expect(waits('delivered', 'delivered', 'delivered')).toEqual([1_000, 500, 300, 300]));

  it('doubles it with every failure', () => expect(waits('failed', 'failed', 'failed')).toEqual([1_000, 2_000, 4_000, 8_000]));

  it('never waits longer than a day', () => expect(waits(...times(40, 'failed')).at(-1)).toBe(86_400_000));

  it('starts again with the first success after failures', () =>
    expect(waits('failed', 'failed', 'delivered', 'delivered', 'failed', 'delivered')).toEqual([
      1_000, 2_000, 4_000, 1_000, 500, 1_000, 1_000,
    ]));

  it('tries again within a minute after an interruption, which is no failure of the endpoint', () => {
    const interruption = times(12, 'interrupted');
    expect(waits('delivered', ...interruption, 'delivered')).toEqual([
      ...[1_000, 500],
      ...[1_000, 2_000, 4_000, 8_000, 16_000, 32_000, ...Array(6).fill(60_000)],
      300,
    ]);
    expect(waits(...times(10, 'failed'), ...interruption, 'failed', 'interrupted', 'delivered').slice(-4)).toEqual([
      60_000, 2_048_000, 1_000, 1_000,
    ]);
  });

  it('does not change when there is nothing to do', () =>
    expect(waits('failed', 'idle', 'delivered', 'idle')).toEqual([1_000, 2_000, 2_000, 1_000, 1_000]));
});
