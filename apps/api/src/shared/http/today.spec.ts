import { expect, it } from '@jest/globals';
import { todayBy } from './today.js';

it('Today is the UTC day of the clock, whichever way that goes', () => {
  let now = Date.parse('2024-02-29T23:59:59.999Z');
  const today = todayBy(() => now);
  expect(today()).toBe('2024-02-29');
  now += 1;
  expect(today()).toBe('2024-03-01');
  now -= 86_400_000;
  expect(today()).toBe('2024-02-29');
});
