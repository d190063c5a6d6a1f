import { describe, expect, it } from '@jest/globals';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { TimeSlice } from './time-slice.js';

describe('a time slice', () => {
  it('is over after its time, and not before', () => {
    const pass = stopClock();
    const slice = new TimeSlice(5);
    pass(4.99);
    expect(slice.isOver).toBe(false);
    pass(0.01);
    expect(slice.isOver).toBe(true);
  });

  it('starts again with the next turn', async () => {
    const pass = stopClock();
    const slice = new TimeSlice(5);
    pass(5);
    await slice.next();
    expect(slice.isOver).toBe(false);
  });

  it('lets the event loop serve other work between any two slices', async () => {
    const log: string[] = [];
    let working = 3;
    const work = async (name: string): Promise<void> => {
      const slice = new TimeSlice(0);
      for (let step = 0; step < 4; step++) {
        log.push(name);
        await slice.next();
      }
      working--;
    };
    const others = (): void => {
      log.push('-');
      if (working > 0) setImmediate(others);
    };
    const all = ['a', 'b', 'c'].map(work); // their first steps are taken at once
    setImmediate(others);
    await Promise.all(all);
    expect(log.join('')).toMatch(/^abc-?(?:[abc]-)+/);
    expect(log.join('').slice(3)).not.toMatch(/[abc]{2}/);
    expect(log.filter((name) => name !== '-').join('')).toBe('abcabcabcabc');
  });

  it('goes on with other work when one never returns', async () => {
    const slice = new TimeSlice(0);
    void new TimeSlice(0).next().then(() => new Promise(() => {}));
    await slice.next();
    expect(slice.isOver).toBe(true);
  });
});
