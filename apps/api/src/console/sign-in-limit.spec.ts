import { describe, expect, it } from '@jest/globals';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { SignInLimit } from './sign-in-limit.js';

describe('wrong sign-ins', () => {
  const begun = (limit: SignInLimit, times: number, address = 'a') => Array.from({ length: times }, () => limit.begin(address));

  it('are refused after ten in a minute from an address, until the minute is over, whatever the clock shows', () => {
    const pass = stopClock();
    const limit = new SignInLimit();
    expect(begun(limit, 12)).toEqual([...Array(10).fill(0), 60, 60]);
    pass(58_500);
    expect([limit.begin('a'), limit.begin('b')]).toEqual([2, 0]);
    pass(1_500);
    expect(begun(limit, 11)).toEqual([...Array(10).fill(0), 60]);
  });

  it('count together for the addresses of an IPv6 network, and apart for others', () => {
    const limit = new SignInLimit();
    begun(limit, 10, '2001:db8:1:2::1');
    const waits = ['2001:db8:1:2:3:4:5:6', '2001:db8:1:3::1', '::ffff:192.0.2.1', '192.0.2.1'].map((address) => limit.begin(address));
    expect(waits).toEqual([60, 0, 0, 0]);
  });

  it('are not those with a right key', () => {
    const limit = new SignInLimit();
    for (let time = 0; time < 100; time++) {
      expect(limit.begin('a')).toBe(0);
      limit.takeBack('a');
    }
    expect(begun(limit, 11)).toEqual([...Array(10).fill(0), 60]);
  });
});
