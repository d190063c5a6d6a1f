import { describe, expect, it } from '@jest/globals';
import { SignInLimit } from './sign-in-limit.js';

describe('wrong sign-ins', () => {
  const begun = (limit: SignInLimit, times: number, address = 'a') => Array.from({ length: times }, () => limit.begin(address));

  it('are refused after ten in a minute from an address, until the minute is over', () => {
    let now = 5_000;
    const limit = new SignInLimit(() => now);
    expect(begun(limit, 12)).toEqual([...Array(10).fill(0), 60, 60]);
    now += 58_500;
    expect([limit.begin('a'), limit.begin('b')]).toEqual([2, 0]);
    now += 1_500;
    expect(begun(limit, 11)).toEqual([...Array(10).fill(0), 60]);
  });

  it('are not those with a right key', () => {
    const limit = new SignInLimit(() => 0);
    for (let time = 0; time < 100; time++) {
      expect(limit.begin('a')).toBe(0);
      limit.takeBack('a');
    }
    expect(begun(limit, 11)).toEqual([...Array(10).fill(0), 60]);
  });
});
