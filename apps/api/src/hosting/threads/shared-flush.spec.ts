import { beforeEach, describe, expect, it } from '@jest/globals';
import { SharedFlush } from './shared-flush.js';

describe('what the main process has shown', () => {
  let ends: ((error?: Error) => void)[];
  const store = {
    isFlushed: true,
    flush: () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
  };
  const untilBegun = async (writes: number): Promise<void> => {
    while (ends.length < writes) await new Promise((resolve) => setImmediate(resolve));
  };
  beforeEach(() => {
    ends = [];
    store.isFlushed = true;
  });

  it('keeps no answer waiting where all of it is written', () => expect(new SharedFlush(store).wait()).toBeUndefined());

  it('is written once for all answers that come before the write begins, and again for those after it', async () => {
    const shown = new SharedFlush(store);
    store.isFlushed = false;
    const [one, two] = [shown.wait(), shown.wait()];
    await untilBegun(1);
    const three = shown.wait();
    let isOver = false;
    void three?.then(() => {
      isOver = true;
    });
    ends[0]?.();
    expect(await Promise.all([one, two])).toEqual([true, true]);
    await untilBegun(2);
    expect(isOver).toBe(false);
    ends[1]?.();
    expect([await three, ends.length]).toEqual([true, 2]);
  });

  it('says so where it cannot be written', async () => {
    const shown = new SharedFlush(store);
    store.isFlushed = false;
    const told = shown.wait();
    await untilBegun(1);
    ends[0]?.(new Error('the disk is full'));
    expect(await told).toBe(false);
  });
});
