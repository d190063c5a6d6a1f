import { afterEach, expect, it, jest } from '@jest/globals';
import { noteDate, serverNow } from './server-time.js';

const NOW = Date.parse('2026-03-10T12:00:00.700Z');
afterEach(() => {
  jest.useRealTimers();
});

it('the time of the page is that of the server, not of a browser whose clock is wrong', () => {
  jest.useFakeTimers({ now: NOW });
  const after = (date: string | null): string => {
    noteDate(date);
    return new Date(serverNow()).toISOString();
  };
  expect(after('Tue, 10 Mar 2026 10:00:00 GMT')).toBe('2026-03-10T10:00:00.000Z');
  jest.advanceTimersByTime(5_000);
  expect(after(null)).toBe('2026-03-10T10:00:05.000Z');
  expect(after('Tue, 10 Mar 2026 12:00:05 GMT')).toBe('2026-03-10T12:00:05.700Z');
});
