import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { contextAt, openTestLog, type TestLog } from '#test/support/projections/guest-list.js';
import { StreamProcessor } from './stream-processor.js';

let log: TestLog;
beforeAll(async () => {
  log = await openTestLog();
});
afterAll(() => log.close());

type Counted = Readonly<{ type: 'Counted'; data: Readonly<{ total: number }> }>;

/** Many events, each of which takes a tenth of a millisecond to read. */
const slow = (read: () => void): Decider<null, number, Counted> => ({
  initialState: () => null,
  decide: (count) =>
    Array.from({ length: count }, (_, total) => ({
      type: 'Counted',
      data: {
        get total() {
          for (const end = performance.now() + 0.1; performance.now() < end; );
          read();
          return total;
        },
      },
    })),
  evolve: () => null,
});

it('A command with thousands of events gives way to others while it is decided, and is written by one append', async () => {
  const processor = new StreamProcessor(log.store, log.codec);
  let turn = 0;
  let isOver = false;
  const turns = new Set<number>();
  const counting = (async () => {
    for (; !isOver; turn++) await nextTurn();
  })();
  const decider = slow(() => turns.add(turn));
  const context = contextAt('2024-05-01T10:00:00.000Z');
  const { events } = await processor.execute({ stream: 'test.guests-slow', decider, command: 2_000, context });
  isOver = true;
  await counting;
  expect(turns.size).toBeGreaterThan(5);
  expect(events.map(({ data }) => data.total)).toEqual(Array.from({ length: 2_000 }, (_, total) => total));
  expect(processor.metrics().batches).toBe(1);
});
