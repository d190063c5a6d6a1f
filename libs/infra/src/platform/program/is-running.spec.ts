import { describe, expect, it } from '@jest/globals';
import { isRunning } from './is-running.js';

describe('a process id', () => {
  it('stands for a process that is there, of any user', () => {
    expect([isRunning(process.pid), isRunning(1)]).toEqual([true, true]);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 53, JSON.parse('"1"')])('%p of a damaged record stands for none', (pid) => {
    expect(isRunning(pid)).toBe(false);
  });
});
