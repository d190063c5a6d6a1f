import { describe, expect, it } from '@jest/globals';
import { SharedTurn } from './shared-turn.js';

/** A turn by a clock that only the work moves, and how often work took a turn of its own. */
const counted = () => {
  let [time, turns] = [0, 0];
  const next = async (): Promise<void> => {
    turns++;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const turn = new SharedTurn(next, () => time);
  const work = (milliseconds: number, fails = false) =>
    turn.do(async () => {
      time += milliseconds;
      if (fails) throw new Error('no');
    });
  return { work, turns: () => turns };
};

describe('a shared turn', () => {
  it('has room for any amount of short work', async () => {
    const { work, turns } = counted();
    for (let count = 0; count < 1_000; count++) await work(0.5);
    expect(turns()).toBe(0);
  });

  it('has room for some long work; more of it gets turns of its own', async () => {
    const { work, turns } = counted();
    for (let count = 0; count < 5; count++) await work(6);
    expect(turns()).toBe(2);
  });

  it('starts again with the next turn of the event loop', async () => {
    const { work, turns } = counted();
    await work(20);
    await new Promise((resolve) => setImmediate(resolve));
    await work(20);
    expect(turns()).toBe(0);
  });

  it('counts failing work', async () => {
    const { work, turns } = counted();
    await expect(work(20, true)).rejects.toThrow('no');
    await work(1);
    expect(turns()).toBe(1);
  });
});
