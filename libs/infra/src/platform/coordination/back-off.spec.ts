import { describe, expect, it } from '@jest/globals';
import { backOff, isLogged } from './back-off.js';

describe('back-off', () => {
  it('doubles the pause with every failure, up to the longest one', () => {
    const pauseMs = backOff(50, 300);
    expect([1, 2, 3, 4, 5, 2_000].map(pauseMs)).toEqual([50, 100, 200, 300, 300, 300]);
  });

  it('takes up to the given share off each pause at random', () => {
    const pauseMs = backOff(100, 1_000, 0.5);
    const pauses = Array.from({ length: 200 }, () => pauseMs(1));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(100);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });
});

it('Failures are logged ever more rarely', () => {
  const failures = Array.from({ length: 20 }, (_, index) => index + 1);
  expect(failures.filter(isLogged)).toEqual([1, 2, 4, 8, 16]);
});
