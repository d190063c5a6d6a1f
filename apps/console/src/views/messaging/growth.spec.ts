import { describe, expect, it } from '@jest/globals';
import { backlogText, baseOf, type Counts, grown, HOUR, withCounts } from './growth.js';

const at = (minute: number): Counts => ({ at: minute * 60_000, published: new Map(), delivered: new Map() });
const minutesOf = (counts: readonly Counts[]) => counts.map((one) => one.at / 60_000);

describe('Rates of the last hour', () => {
  it('are since an hour before the view was opened, and then since an hour ago', () => {
    let counts: readonly Counts[] = [at(0)];
    const bases: (number | undefined)[] = [];
    for (let minute = 60; minute <= 180; minute += 0.25) {
      counts = withCounts(counts, at(minute));
      if (minute % 30 === 0) bases.push(baseOf(counts, minute * 60_000)?.at);
      expect(counts.length).toBeLessThanOrEqual(62);
    }
    expect(bases).toEqual([0, 0, HOUR, 1.5 * HOUR, 2 * HOUR]);
    expect(minutesOf(counts).slice(0, 2)).toEqual([120, 121]);
  });

  it('count what was created anew from its beginning', () => expect([grown(5, 7), grown(5, 3)]).toEqual([2, 3]));
});

describe('What waits in a subscription', () => {
  it('is said as exactly as it is known', () => {
    const one = { ackMode: 'cursor', backlog: 3, exact: true, outstanding: null } as const;
    expect(backlogText(one)).toBe('3');
    expect(backlogText({ ...one, exact: false })).toBe('≤ 3');
    expect(backlogText({ ...one, ackMode: 'message', exact: false })).toBe('≤ 3, leases not known here');
    expect(backlogText({ ...one, ackMode: 'message', exact: false, outstanding: 2 })).toBe('≤ 3, 2 leased');
    expect(backlogText({ ...one, ackMode: 'message', outstanding: 0 })).toBe('3');
  });
});
