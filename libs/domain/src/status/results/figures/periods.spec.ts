import { describe, expect, it } from '@jest/globals';
import { figureTexts, summed } from '#test/support/results/plans.js';
import { sumOfFigures, sumOfMeans } from './periods.js';

describe('figures of periods (results contract 9)', () => {
  const day = (uptime: number, unknown: number, downtime: number) => ({ availability: 7, reliability: 7, uptime, unknown, downtime });

  it('are computed from the means of the rounded parts', () => {
    const { availability, reliability } = summed(sumOfFigures(), [day(0.5, 0.25, 0), day(0.25, 0.25, 0.5)]);
    expect([availability, reliability]).toEqual([(0.375 / (1.00000001 - 0.25)) * 100, (0.375 / (1.00000001 - 0.25 - 0.25)) * 100]);
  });

  it('are 0 if everything is unknown', () => expect(figureTexts(summed(sumOfFigures(), [day(0, 1, 0)]))).toBe('0 / 0 / 1 / 0 / 0'));

  it('are no figure if the divisor is zero', () => {
    const days = Array.from({ length: 1_000 }, (_, index) => day(0.5, 0.5, index === 0 ? 0.50001 : 0.5));
    const { availability, reliability } = summed(sumOfFigures(), days);
    expect([availability, reliability].map(Number.isFinite)).toEqual([true, true]);
    expect(summed(sumOfFigures(), [day(0.5, 0, 1.00000001)]).reliability).toBe(-1);
  });

  it.each([
    [[50, -1, 0], 25],
    [[-1], -1],
    [[], -1],
  ])('of groups of groups are means of the days with figures: of %j %j', (values, mean) => {
    const days = values.map((value) => ({ availability: value, reliability: 100 - value }));
    expect(summed(sumOfMeans(), days).availability).toBe(mean);
  });
});
