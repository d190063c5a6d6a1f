import { describe, expect, it } from '@jest/globals';
import { Quota, QuotaExceeded, type QuotaLimits } from './quota.js';

const HOUR_MS = 3_600_000;
const done = async () => 'done';
const lab = (limits: QuotaLimits) => {
  const clock = { now: 10 * HOUR_MS };
  const refused = { count: 0 };
  const quota = new Quota(limits, { word: 'results', now: () => clock.now, onRefused: () => refused.count++ });
  const take = (messages: number, bytes = 0, owner = 'p', work = done) => quota.within(owner, { messages, bytes }, work);
  return { clock, take, refused };
};

describe('A quota', () => {
  it('is not there unless it is set', async () => expect(await lab({}).take(1e9, 1e12)).toBe('done'));

  it('refuses what would exceed it, by owner and kind, and says what is left', async () => {
    const { clock, take, refused } = lab({ messages: 10, bytes: 1_000 });
    await take(8, 900);
    await expect(take(3)).rejects.toMatchObject({ kind: 'results', limit: 10, left: 2, retryAfter: 3_600 });
    clock.now += HOUR_MS - 1;
    await expect(take(1, 101)).rejects.toMatchObject({ kind: 'bytes', limit: 1_000, left: 100, retryAfter: 1 });
    expect([await take(2, 100), await take(10, 1_000, 'q')]).toEqual(['done', 'done']);
    expect(refused.count).toBe(2);
  });

  it('begins anew with each hour', async () => {
    const { clock, take } = lab({ messages: 10 });
    await take(10);
    clock.now += HOUR_MS;
    expect(await take(10)).toBe('done');
  });

  it('does not count what fails, but counts what is under way', async () => {
    const { clock, take } = lab({ messages: 10 });
    let fail = (_error: Error): void => undefined;
    const failing = take(10, 0, 'p', () => new Promise<string>((_, reject) => (fail = reject)));
    await expect(take(1)).rejects.toThrow(QuotaExceeded);
    fail(new Error('refused'));
    await expect(failing).rejects.toThrow('refused');
    const late = take(10, 0, 'p', () => new Promise<string>((_, reject) => (fail = reject)));
    clock.now += HOUR_MS;
    await take(9);
    fail(new Error('refused'));
    await expect(late).rejects.toThrow('refused');
    await expect(take(2)).rejects.toMatchObject({ left: 1 });
  });
});
