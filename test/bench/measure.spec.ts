import { describe, expect, it } from '@jest/globals';
import { alternate, isMet, median, ratioOf, requireReadable } from './measure.js';

const effort = { warmUps: 1, rounds: 3, sliceSeconds: 1, manyEvents: 1 };

describe('measuring', () => {
  it('alternates the sides, changes which begins, and leaves the warm-up out', async () => {
    const ran: string[] = [];
    const side = (name: string) => async () => ({ perSecond: ran.push(name) });
    const rounds = await alternate({ logbook: side('L'), reference: side('R') }, effort, new AbortController().signal);
    expect(ran.join('')).toBe('RLLRRLLR');
    expect(rounds.map(({ logbook, reference }) => [logbook.perSecond, reference.perSecond])).toEqual([
      [3, 4],
      [6, 5],
      [7, 8],
    ]);
  });

  it('ends when it is told to, before the next round', async () => {
    const told = new AbortController();
    let slices = 0;
    const side = async () => {
      told.abort();
      return { perSecond: ++slices };
    };
    await expect(alternate({ logbook: side, reference: side }, effort, told.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(slices).toBe(2);
  });

  it('does not compare writes that could not be read when they were answered', () => {
    const reference = { perSecond: 1 };
    const rounds = [{ logbook: { perSecond: 1, late: 0 }, reference }];
    expect(requireReadable(rounds)).toBe(rounds);
    expect(() => requireReadable([...rounds, { logbook: { perSecond: 1, late: 2 }, reference }])).toThrow('2 writes could not be read');
  });

  it('takes the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(() => median([])).toThrow('no values');
  });

  it('compares throughputs, or times where a time is the target', () => {
    const rounds = [
      { logbook: { perSecond: 80 }, reference: { perSecond: 100 } },
      { logbook: { perSecond: 50 }, reference: { perSecond: 100 } },
      { logbook: { perSecond: 100 }, reference: { perSecond: 100 } },
    ];
    expect(ratioOf(rounds, { atLeast: 0.75 })).toEqual({ median: 0.8, min: 0.5, max: 1 });
    expect(ratioOf(rounds, { atMost: 1.5 })).toEqual({ median: 1.25, min: 1, max: 2 });
    expect(isMet({ median: 0.75, min: 0, max: 1 }, { atLeast: 0.75 })).toBe(true);
    expect(isMet({ median: 1.51, min: 1, max: 2 }, { atMost: 1.5 })).toBe(false);
  });
});
