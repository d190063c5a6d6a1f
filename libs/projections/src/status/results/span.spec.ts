import { describe, expect, it } from '@jest/globals';
import { daysOf, monthsOf } from './span.js';

describe('a span of days', () => {
  it('has every day, including the ends of February and of a year', () => {
    expect(daysOf({ from: '2024-02-28', to: '2024-03-01' })).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
    expect(daysOf({ from: '2023-12-31', to: '2024-01-01' })).toEqual(['2023-12-31', '2024-01-01']);
    expect(daysOf({ from: '2024-01-02', to: '2024-01-01' })).toEqual([]);
  });

  it.each([
    ['2024-01-30', '2024-03-02', ['2024-01-30 2024-01-31', '2024-02-01 2024-02-29', '2024-03-01 2024-03-02']],
    ['2023-12-31', '2024-01-01', ['2023-12-31 2023-12-31', '2024-01-01 2024-01-01']],
    ['2024-01-05', '2024-01-05', ['2024-01-05 2024-01-05']],
    ['2024-01-05', '2024-01-04', []],
    ['0050-12-01', '0051-01-01', ['0050-12-01 0050-12-31', '0051-01-01 0051-01-01']],
    ['9999-12-30', '9999-12-31', ['9999-12-30 9999-12-31']],
  ])('from %s to %s is split at the beginnings of months', (from, to, expected) =>
    expect([...monthsOf({ from, to })].map((month) => `${month.from} ${month.to}`)).toEqual(expected),
  );
});
