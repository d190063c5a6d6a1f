import { describe, expect, it } from '@jest/globals';
import { TimeSlice } from './time-slice.js';

/** Uses up what is left of a slice. */
const spend = (slice: TimeSlice): void => {
  while (!slice.isOver);
};

describe('a time slice', () => {
  it('is over after its time, and not before', () => {
    const start = performance.now();
    spend(new TimeSlice(5));
    expect(performance.now() - start).toBeGreaterThanOrEqual(5);
    expect(new TimeSlice(60_000).isOver).toBe(false);
  });

  it('starts again with the next turn', async () => {
    const slice = new TimeSlice(5);
    spend(slice);
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
