import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import type { DomainEvent } from '#domain/shared/events.js';
import { contextAt, openTestLog, type TestLog } from '#test/support/projections/guest-list.js';
import { inTurns } from '#test/support/turns.js';
import { FoldedStream } from './folded-stream.js';
import { StreamProcessor } from './stream-processor.js';

let log: TestLog;
beforeAll(async () => {
  log = await openTestLog();
});
afterAll(() => log.close());

type Counted = Readonly<{ type: 'Counted'; data: Readonly<{ total: number }> }>;

const takeTime = (): void => {
  for (const end = performance.now() + 0.1; performance.now() < end; );
};

const context = contextAt('2024-05-01T10:00:00.000Z');

/** Many events, each of which takes a tenth of a millisecond to read. */
const slow = (read: () => void): Decider<null, number, Counted> => ({
  initialState: () => null,
  decide: (count) =>
    Array.from({ length: count }, (_, total) => ({
      type: 'Counted',
      data: {
        get total() {
          takeTime();
          read();
          return total;
        },
      },
    })),
  evolve: () => null,
});

it('A command with thousands of events gives way to others while it is decided, and is written by one append', async () => {
  const processor = new StreamProcessor(log.store, log.codec);
  const turns = new Set<number>();
  const { events } = await inTurns((turn) => {
    const decider = slow(() => turns.add(turn()));
    return processor.execute({ stream: 'test.guests-slow', decider, command: 2_000, context });
  });
  expect(turns.size).toBeGreaterThan(5);
  expect(events.map(({ data }) => data.total)).toEqual(Array.from({ length: 2_000 }, (_, total) => total));
  expect(processor.metrics().batches).toBe(1);
});

const counter: Decider<number, number, Counted> = {
  initialState: () => 0,
  decide: (count, total) => Array.from({ length: count }, (_, n) => ({ type: 'Counted', data: { total: total + n + 1 } })),
  evolve: (_, { data }) => data.total,
};

it('The first command on a long stream gives way to others while the stream is folded', async () => {
  const stream = 'test.guests-long';
  await new StreamProcessor(log.store, log.codec).execute({ stream, decider: counter, command: 2_000, context });
  const folded = new Map<number, number>();
  const { events } = await inTurns((turn) => {
    const evolve: typeof counter.evolve = (_, { data }) => {
      takeTime();
      folded.set(turn(), (folded.get(turn()) ?? 0) + 1);
      return data.total;
    };
    const decider = { ...counter, evolve };
    return new StreamProcessor(log.store, log.codec).execute({ stream, decider, command: 1, context });
  });
  expect(events.map(({ data }) => data.total)).toEqual([2_001]);
  expect([...folded.values()].reduce((sum, count) => sum + count, 0)).toBe(2_001);
  expect(Math.max(...folded.values())).toBeLessThanOrEqual(100);
});

it('Idempotency keys are not stored up to the middle of a command whose events are being folded', async () => {
  const stream = 'test.guests-keyed';
  const keyed = contextAt(context.time, { key: 'k', body: 'b' });
  await new StreamProcessor(log.store, log.codec).execute({ stream, decider: counter, command: 1_000, context: keyed });
  const now = Date.parse(context.time);
  let during: ReturnType<FoldedStream['unsavedKeys']> | undefined;
  const evolve: Decider<unknown, unknown, Counted>['evolve'] = (_, { data }) => {
    if (data.total === 300) during = folded.unsavedKeys(now);
    return data.total;
  };
  const decider = { ...counter, evolve } as Decider<unknown, unknown, DomainEvent>;
  const folded = new FoldedStream(stream, decider, { ...log, interruptions: () => 0 });
  await folded.load();
  expect(await during).toMatchObject({ place: undefined });
  expect(await folded.unsavedKeys(now)).toMatchObject({ place: { revision: 999n }, uses: [['k', { first: 0n, count: 1_000 }]] });
});
