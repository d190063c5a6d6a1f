import type { Decider } from '#domain/shared/decider.js';

type CounterState = Readonly<{ total: number; last: Set<number> }>;
type Counted = Readonly<{ type: 'Counted'; data: Readonly<{ total: number }> }>;

export const COUNTER = 'test.counter-1';
export const counterKey = Buffer.alloc(32, 7);
export const counterEvents = { Counted: {} };

/** Counts, and remembers the last hundred totals. */
export const counter: Decider<CounterState, object, Counted> = {
  snapshots: { name: 'counter', version: 1, every: 40 },
  initialState: () => ({ total: 0, last: new Set() }),
  decide: (_command, { total }) => [{ type: 'Counted', data: { total: total + 1 } }],
  evolve: ({ last }, { data: { total } }) => {
    last.add(total);
    last.delete(total - 100);
    return { total, last };
  },
};
