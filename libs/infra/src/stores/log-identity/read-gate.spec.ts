import { describe, expect, it } from '@jest/globals';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { GatedReadStore } from './gated-read-store.js';
import { ReadGate } from './read-gate.js';

const NAME = 'test.tally';

const newReader = (secondsLeft?: () => number) => {
  const gate = new ReadGate(NAME);
  const store = { view: () => memoryView({ totals: { a: '1' } }), onCommit: () => () => undefined } as Partial<ReadStore> as ReadStore;
  const gated = new GatedReadStore(store, () => gate, undefined, secondsLeft);
  const dropped: bigint[] = [];
  gated.onCommit(NAME, (checkpoint) => dropped.push(checkpoint));
  const get = async () => String(await gated.view(NAME).get('totals', 'a'));
  return { gate, get, dropped };
};

describe('a read gate that is closed', () => {
  it('refuses with the name of the read model, and the time until it is there if that is known', async () => {
    const { gate, get } = newReader(() => 12.5);
    await expect(get()).rejects.toMatchObject({ name: 'ReadModelsUnavailable', projection: NAME, secondsLeft: 12.5 });
    expect(gate.refusal()).toMatchObject({ projection: NAME, secondsLeft: null });
  });
});

describe('a read gate that is held', () => {
  it('lets readers wait, and read once it is resumed', async () => {
    const { gate, get, dropped } = newReader();
    gate.open();
    expect(await get()).toBe('1');
    gate.hold('it is being examined');
    expect([gate.isOpen, dropped]).toEqual([false, [0n]]);
    const reads = [get(), get()];
    gate.resume();
    expect(await Promise.all(reads)).toEqual(['1', '1']);
    expect(gate.refusal()).toBeUndefined();
  });

  it('refuses those who wait when it is closed, with the reason, and is not resumed then', async () => {
    const { gate, get } = newReader();
    gate.open();
    gate.hold('it is being examined');
    const read = get();
    gate.close('another log');
    gate.resume();
    await expect(read).rejects.toThrow('the documents of test.tally are withheld: another log');
    expect(gate.isOpen).toBe(false);
  });

  it('refuses those who have waited for a second, and later ones at once', async () => {
    const { gate, get } = newReader();
    gate.open();
    gate.hold('it is being examined');
    await expect(get()).rejects.toBeInstanceOf(ReadModelsUnavailable);
    await expect(get()).rejects.toThrow('it is being examined');
    gate.resume();
    expect(await get()).toBe('1');
  });

  it('stays closed with its first reason if it was closed before', async () => {
    const { gate, get } = newReader();
    gate.close('another log');
    gate.hold('it is being examined');
    gate.resume();
    await expect(get()).rejects.toThrow('another log');
  });
});
