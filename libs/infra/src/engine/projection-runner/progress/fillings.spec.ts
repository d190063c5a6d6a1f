import { describe, expect, it } from '@jest/globals';
import { Fillings } from './fillings.js';

/** A log that ends at 1,000, a clock, and projections that are filled. */
const fillingsAt = () => {
  const world = { now: 0, end: async (): Promise<bigint> => 1_000n, filled: [{ name: 'a', position: 100n }] };
  const fillings = new Fillings(
    { end: () => world.end() },
    () => world.filled,
    () => world.now,
  );
  const leftAt = async (now: number, ...positions: readonly bigint[]): Promise<number | null> => {
    Object.assign(world, { now, filled: positions.map((position) => ({ name: 'a', position })) });
    fillings.secondsLeft('a');
    await new Promise(setImmediate);
    return fillings.secondsLeft('a');
  };
  return { world, leftAt };
};

describe('The time until a read model is filled', () => {
  it('follows from its pace and its way to the end of the log', async () => {
    const { leftAt } = fillingsAt();
    expect(await leftAt(0, 100n)).toBeNull();
    expect(await leftAt(1_000, 200n)).toBe(8);
    expect(await leftAt(1_500, 900n)).toBe(8); // at most one look a second
    expect(await leftAt(2_000, 500n)).toBe(2.5);
  });

  it('begins anew with the documents, and is not known before they move, nor once they are filled', async () => {
    const { leftAt } = fillingsAt();
    await leftAt(0, 100n);
    expect(await leftAt(1_000, 600n)).toBe(0.8);
    expect(await leftAt(2_000, 0n)).toBeNull();
    expect(await leftAt(3_000, 500n)).toBe(1);
    expect(await leftAt(4_000)).toBeNull();
    expect(await leftAt(5_000, 900n)).toBeNull();
  });

  it('is not that of an earlier filling', async () => {
    const { leftAt } = fillingsAt();
    await leftAt(0, 100n);
    expect(await leftAt(1_000, 200n)).toBe(8);
    expect(await leftAt(3_600_000, 300n)).toBeNull();
    expect(await leftAt(3_601_000, 800n)).toBe(0.4);
  });

  it('is the last one known while the log does not answer', async () => {
    const { world, leftAt } = fillingsAt();
    await leftAt(0, 100n);
    world.end = async () => Promise.reject(new Error('away'));
    expect(await leftAt(1_000, 200n)).toBeNull();
    world.end = async () => 1_000n;
    expect(await leftAt(2_000, 600n)).toBe(1.6);
    world.end = async () => Promise.reject(new Error('away'));
    expect(await leftAt(3_000, 700n)).toBe(1.6);
  });
});
