import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TimeLimits } from './time-limits.js';

const LIMIT_MS = 200;
const standStill = (milliseconds: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

describe('time limits of calls', () => {
  it('end a call that is not answered, and no other', async () => {
    const limits = new TimeLimits(LIMIT_MS);
    const ended: string[] = [];
    const answered = limits.start(() => ended.push('answered'));
    const over = new Promise<void>((resolve) => {
      limits.start(() => {
        ended.push('silent');
        resolve();
      });
    });
    answered();
    await over;
    expect([ended, limits.size]).toEqual([['silent'], 0]);
  });

  it('do not count time during which this process stood still', async () => {
    const limits = new TimeLimits(LIMIT_MS);
    const ended: string[] = [];
    const answered = limits.start(() => ended.push('while nobody could read an answer'));
    standStill(5 * LIMIT_MS);
    await sleep(0); // after the timer that looks, which is overdue
    answered();
    expect(ended).toEqual([]);
  });
});
