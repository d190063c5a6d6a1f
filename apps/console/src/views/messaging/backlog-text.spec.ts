import { describe, expect, it } from '@jest/globals';
import { backlogText } from './backlog-text.js';

describe('What waits in a subscription', () => {
  it('is said as exactly as it is known', () => {
    const one = { ackMode: 'cursor', backlog: 3, exact: true, outstanding: null } as const;
    expect(backlogText(one)).toBe('3');
    expect(backlogText({ ...one, exact: false })).toBe('≤ 3');
    expect(backlogText({ ...one, ackMode: 'message', exact: false })).toBe('≤ 3, leases are held by another node');
    expect(backlogText({ ...one, ackMode: 'message', exact: false, outstanding: 2 })).toBe('≤ 3, 2 leased');
    expect(backlogText({ ...one, ackMode: 'message', outstanding: 0 })).toBe('3');
  });
});
