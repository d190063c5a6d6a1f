import { expect, it } from '@jest/globals';
import type { DatedState } from '#domain/status/dated-records/dated-records.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { inTurns } from '#test/support/turns.js';
import { countValues } from './count-values.js';

it.each([
  [null, 1],
  [7, 1],
  ['text', 1],
  ['x'.repeat(640), 11],
  [[1, [2]], 4],
  [{ a: 1, b: undefined }, 3],
  [new Set([1, 2]), 3],
  [new Map([['a', { b: 1 }]]), 4],
])('%j counts as %i', async (state, count) => expect(await countValues(state)).toBe(count));

it('a dated record of one day counts as 8 values, so that 100,000 of them stay in memory', async () => {
  const { initialState, evolve } = weights.decider;
  const record = { weight_type: 'h', group_type: 'S', groups: [] };
  const holding = (count: number): unknown =>
    Array.from({ length: count }).reduce<DatedState>(
      (state, _, n) =>
        evolve(state, {
          type: 'WeightsSnapshotDated',
          data: { id: `${n}`, date: '2026-01-01', change: 'created', record: { ...record, name: `n${n}` } },
        }),
      initialState(),
    );
  expect((await countValues(holding(1_000))) - (await countValues(holding(0)))).toBe(8_000);
});

it('a deep state is counted without deep recursion', async () => {
  let state: unknown = 0;
  for (let depth = 0; depth < 100_000; depth++) state = [state];
  expect(await countValues(state)).toBe(100_001);
});

it('a large state is counted in turns', async () => {
  const pass = stopClock();
  const state = Array.from({ length: 1_000 }, () => ({
    get value() {
      pass(1);
      return 1;
    },
  }));
  const { count, turns } = await inTurns(async (turn) => ({ count: await countValues(state), turns: turn() }));
  expect(count).toBe(2_001);
  expect(turns).toBeGreaterThan(10);
});
