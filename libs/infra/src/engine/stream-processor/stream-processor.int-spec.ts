import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Decider } from '#domain/shared/decider.js';
import type { NewEvent } from '#domain/shared/events.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { FaultyEventStore } from '#test/support/event-stores/faulty-event-store.js';
import { forAny } from '#test/support/for-any.js';
import {
  contextAt,
  type GuestCommand,
  type GuestEvent,
  guestList,
  openTestLog,
  readAllOf,
  type TestLog,
} from '#test/support/projections/guest-list.js';
import { runs } from '#test/support/test-runs.js';
import { Overloaded, ProcessorClosed } from './execution.js';
import { StreamProcessor, type StreamProcessorOptions } from './stream-processor.js';

const context = contextAt('2024-05-01T10:00:00.000Z');
let log: TestLog;
let streams = 0;

const newStream = (): string => `test.guests-${++streams}`;
const processorOn = ({ store, codec }: Pick<TestLog, 'store' | 'codec'>, options?: StreamProcessorOptions): StreamProcessor =>
  new StreamProcessor(store, codec, options);
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

beforeAll(async () => {
  log = await openTestLog();
});
afterAll(() => log.close());

/** Outcome of each command: the revisions of its events, or the code of its rejection. */
const outcomes = async (executions: readonly Promise<{ events: readonly { revision: bigint }[] }>[]): Promise<readonly unknown[]> =>
  (await Promise.allSettled(executions)).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value.events.map(({ revision }) => Number(revision)) : codeOf(outcome.reason),
  );

describe('commands for one stream', () => {
  it('are all written, in the order they came, in few appends; a rejected one does not disturb the others', async () => {
    const store = new FaultyEventStore(log.store);
    const processor = processorOn({ store, codec: log.codec });
    const stream = newStream();
    const commands = Array.from({ length: 600 }, (_, n): GuestCommand => ({ type: 'Invite', name: n % 3 === 2 ? 'again' : `guest ${n}` }));
    const results = await outcomes(commands.map((command) => processor.execute({ stream, decider: guestList, command, context })));

    const names = commands.flatMap((command, n) => (command.type === 'Invite' && (n % 3 !== 2 || n === 2) ? [command.name] : []));
    const events = await readAllOf(log.store, stream);
    expect(events.map(({ data }) => data.name)).toEqual(names);
    let revision = 0;
    expect(results).toEqual(commands.map((_, n) => (n % 3 === 2 && n !== 2 ? 'NAME_TAKEN' : [revision++])));
    expect(store.appends).toHaveLength(3);
    await nextTurn();
    expect(processor.metrics()).toEqual({
      commands: 600,
      batches: 3,
      conflicts: 0,
      unknownOutcomes: 0,
      waiting: 0,
      cachedStreams: 1,
      stateSize: 441,
    });
  });

  it('return the events as stored, and the position to wait for', async () => {
    const processor = processorOn(log);
    const stream = newStream();
    const told = { ...context, onExecuted: () => undefined }; // irrelevant to the log
    const invited = await processor.execute({ stream, decider: guestList, command: { type: 'Invite', name: 'Ada' }, context: told });
    const [stored] = await readAllOf(log.store, stream);
    expect(invited).toEqual({
      events: [
        {
          id: stored?.id,
          stream,
          revision: 0n,
          type: 'GuestInvited',
          data: { name: 'Ada', by: 'host', seats: [0] },
          metadata: { ...context, schemaVersion: 1 },
        },
      ],
      position: stored?.position,
      repeated: false,
    });
    expect(stored?.metadata).toEqual({ ...context, schemaVersion: 1 });
    const nothing = await processor.execute({ stream, decider: guestList, command: { type: 'Count', times: 0 }, context });
    expect(nothing).toEqual({ events: [], position: stored?.position, repeated: false });
    const empty = { stream: newStream(), decider: guestList, command: { type: 'Count', times: 0 }, context } as const;
    expect(await processor.execute(empty)).toEqual({ events: [], position: 0n, repeated: false });
  });

  it('keep events separate from a state that is changed in place', async () => {
    const processor = processorOn(log);
    const stream = newStream();
    const commands = ['a', 'b', 'c'].map((name): GuestCommand => ({ type: 'Invite', name }));
    const executions = await Promise.all(commands.map((command) => processor.execute({ stream, decider: guestList, command, context })));
    const later = await processor.execute({ stream, decider: guestList, command: { type: 'Invite', name: 'd' }, context });
    const stored = await readAllOf(log.store, stream);
    expect(stored.map(({ data }) => data.seats)).toEqual([[0], [0], [0], [0]]);
    expect([...executions, later].flatMap(({ events }) => events.map(({ data }) => data))).toEqual(stored.map(({ data }) => data));
  });

  it('fill an append up to the limits on events and bytes, which only a single command exceeds', async () => {
    const store = new FaultyEventStore(log.store);
    const processor = processorOn({ store, codec: log.codec }, { maxBatchEvents: 10, maxBatchBytes: 6_000 });
    const stream = newStream();
    const counts = [4, 4, 4, 25, 1, 1].map((times): GuestCommand => ({ type: 'Count', times }));
    const padded = [2_000, 1_500, 1_000, 15_000].map((n): GuestCommand => ({ type: 'Count', times: 1, padding: 'x'.repeat(n) }));
    const commands = [...counts, ...padded];
    await Promise.all(commands.map((command) => processor.execute({ stream, decider: guestList, command, context })));
    expect(store.appends.map((events: readonly NewEvent[]) => events.length)).toEqual([8, 4, 25, 4, 1, 1]);
    expect((await readAllOf(log.store, stream)).map(({ data }) => data.total)).toEqual(Array.from({ length: 43 }, (_, n) => n + 1));
  });

  it('are refused beyond the limit of the queue and after close, which waits for the accepted ones', async () => {
    const processor = processorOn(log, { maxWaiting: 3 });
    const stream = newStream();
    const send = (name: string) => processor.execute({ stream, decider: guestList, command: { type: 'Invite', name }, context });
    const taken = ['a', 'b', 'c'].map(send);
    await expect(send('d')).rejects.toThrow(Overloaded);
    let closed = false;
    const closing = processor.close().then(() => {
      closed = true;
    });
    await expect(send('e')).rejects.toThrow(ProcessorClosed);
    expect(closed).toBe(false);
    await closing;
    expect(await outcomes(taken)).toEqual([[0], [1], [2]]);
    expect(processor.metrics().waiting).toBe(0);
  });

  it('may have different deciders, each of which folds the stream for itself', async () => {
    const processor = processorOn(log);
    const stream = newStream();
    const other = { ...guestList };
    const send = (decider: typeof guestList, name: string) =>
      processor.execute({ stream, decider, command: { type: 'Invite', name }, context });
    expect(await outcomes([send(guestList, 'a'), send(other, 'a'), send(other, 'b'), send(guestList, 'b')])).toEqual([
      [0],
      'NAME_TAKEN',
      [1],
      'NAME_TAKEN',
    ]);
  });

  it('are rejected alone if they cannot be stored', async () => {
    const processor = processorOn(log);
    const stream = newStream();
    const unknown: Decider<null, number, GuestEvent | { type: 'Unheard'; data: object }> = {
      initialState: () => null,
      decide: (n) => [n < 0 ? { type: 'Unheard', data: {} } : { type: 'Counted', data: { total: n } }],
      evolve: () => null,
    };
    const send = (command: number) => processor.execute({ stream, decider: unknown, command, context });
    const [one, type, number, two] = await Promise.allSettled([send(1), send(-1), send(Number.NaN), send(2)]);
    expect([one, two]).toMatchObject([{ value: { events: [{ revision: 0n }] } }, { value: { events: [{ revision: 1n }] } }]);
    expect(type).toMatchObject({ reason: { name: 'UnknownEventType', category: 'test.guests', type: 'Unheard' } });
    expect(number).toMatchObject({ reason: { name: 'TypeError', message: 'event data is not JSON at total' } });
  });
});

describe('another process on the same log', () => {
  it('races for the same names: each has exactly one winner', async () => {
    const other = await openTestLog(log);
    const rivals = [processorOn(log), processorOn(other)];
    const stream = newStream();
    const results = await Promise.all(
      rivals.map((processor, by) =>
        outcomes(
          Array.from({ length: 200 }, (_, n) =>
            processor.execute({ stream, decider: guestList, command: { type: 'Invite', name: `guest ${n}`, by: `node ${by}` }, context }),
          ),
        ),
      ),
    );
    for (let n = 0; n < 200; n++) expect(results.filter((rival) => rival[n] === 'NAME_TAKEN')).toHaveLength(1);
    const events = await readAllOf(log.store, stream);
    expect(new Set(events.map(({ data }) => data.name)).size).toBe(200);
    expect(events).toHaveLength(200);
    expect(rivals.reduce((sum, processor) => sum + processor.metrics().conflicts, 0)).toBeGreaterThan(0);
    await other.close();
  });

  it('is noticed even if there is nothing to write: no answer rests on a stale state', async () => {
    const other = await openTestLog(log);
    const [here, there] = [processorOn(log), processorOn(other)];
    const stream = newStream();
    const send = (processor: StreamProcessor, command: GuestCommand) => processor.execute({ stream, decider: guestList, command, context });
    await send(here, { type: 'Invite', name: 'Ada' });
    await send(there, { type: 'Invite', name: 'Bo' });
    const left = await send(here, { type: 'Leave', name: 'Bo' });
    expect(left.events.map(({ revision }) => revision)).toEqual([2n]);
    const count = await send(there, { type: 'Count', times: 0 });
    expect(count.position).toBe(left.position);
    await other.close();
  });
});

describe('folded states in memory', () => {
  it('are bounded; the least recently used go first, the longest stays alone', async () => {
    const store = new FaultyEventStore(log.store);
    const processor = processorOn({ store, codec: log.codec }, { maxStateSize: 89 });
    const send = async (stream: string, command: GuestCommand) => {
      const execution = await processor.execute({ stream, decider: guestList, command, context });
      await nextTurn(); // the state is put away after the answer, in the same turn
      return execution;
    };
    const [a, b, c] = [newStream(), newStream(), newStream()];
    for (const stream of [a, b, c, c]) await send(stream, { type: 'Count', times: 20 });
    expect(processor.metrics()).toMatchObject({ cachedStreams: 1, stateSize: 80 });
    await send(a, { type: 'Count', times: 1 });
    expect(processor.metrics()).toMatchObject({ cachedStreams: 1, stateSize: 43 }); // counted, because it was read again
    await send(b, { type: 'Invite', name: 'n'.repeat(6_400) });
    expect(processor.metrics()).toMatchObject({ cachedStreams: 1, stateSize: 89 });
    store.reads.length = 0;
    const warm = await send(b, { type: 'Count', times: 1 });
    expect(store.reads).toEqual([]);
    expect(warm.events[0]?.data).toEqual({ total: 21 });
    expect(processor.metrics()).toMatchObject({ cachedStreams: 1, stateSize: 89 });
  });

  it('are weighed by what they hold, however many events made them', async () => {
    const processor = processorOn(log, { maxStateSize: 1_500 });
    const [long, short] = [newStream(), newStream()];
    for (const times of [900, 900, 900, 1]) {
      await processor.execute({ stream: long, decider: guestList, command: { type: 'Count', times }, context });
      await processor.execute({ stream: short, decider: guestList, command: { type: 'Count', times: 1 }, context });
      await nextTurn();
    }
    expect(processor.metrics().cachedStreams).toBe(2);
  });

  it('are weighed by long texts of a few events, written or read again', async () => {
    const processor = processorOn(log, { maxStateSize: 2_500 });
    const streams = [newStream(), newStream(), newStream()];
    for (const command of [{ type: 'Invite', name: 'n'.repeat(64_000) } as const, { type: 'Count', times: 1 } as const]) {
      for (const stream of streams) await processor.execute({ stream, decider: guestList, command, context });
      await nextTurn();
      expect(processor.metrics().cachedStreams).toBe(2);
    }
  });

  it('are weighed by long texts that other processes have written', async () => {
    const [processor, other] = [processorOn(log, { maxStateSize: 2_500 }), processorOn(log)];
    const streams = [newStream(), newStream(), newStream()];
    const count = { decider: guestList, command: { type: 'Count', times: 1 }, context } as const;
    for (const stream of streams) await processor.execute({ stream, ...count });
    await nextTurn();
    expect(processor.metrics().cachedStreams).toBe(3);
    for (const stream of streams) {
      await other.execute({ stream, decider: guestList, command: { type: 'Invite', name: 'n'.repeat(64_000) }, context });
      await processor.execute({ stream, ...count });
    }
    await nextTurn();
    expect(processor.metrics().cachedStreams).toBe(2);
  });

  it('give the same events and rejections warm, cold and in one fold', async () => {
    const command = fc.oneof(
      fc.record({ type: fc.constant('Invite' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ type: fc.constant('Leave' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ type: fc.constant('Count' as const), times: fc.integer({ min: 0, max: 3 }) }),
    );
    // One step: commands sent at once, then possibly an eviction.
    const steps = fc.array(fc.record({ commands: fc.array(command, { minLength: 1, maxLength: 6 }), evict: fc.boolean() }), {
      maxLength: 8,
    });
    await forAny(runs(40), steps, async (sequence) => {
      const processor = processorOn(log, { maxStateSize: 99 });
      const stream = newStream();
      const expected = oneFold(sequence.flatMap(({ commands }) => commands));
      const actual: unknown[] = [];
      for (const { commands, evict } of sequence) {
        const sent = commands.map((command) => processor.execute({ stream, decider: guestList, command, context }));
        actual.push(...(await outcomes(sent)));
        if (evict) await processor.execute({ stream: newStream(), decider: guestList, command: { type: 'Count', times: 60 }, context });
      }
      expect(actual).toEqual(expected.outcomes);
      expect((await readAllOf(log.store, stream)).map(({ type, data }) => ({ type, data }))).toEqual(expected.events);
    });
  });

  it('may have more events than a call can pass as arguments', async () => {
    const [stream, times] = [newStream(), 150_000];
    const { events } = await processorOn(log).execute({ stream, decider: guestList, command: { type: 'Count', times }, context });
    expect([events.length, events.at(-1)?.revision, events.at(-1)?.data]).toEqual([times, BigInt(times - 1), { total: times }]);
    const next = await processorOn(log).execute({ stream, decider: guestList, command: { type: 'Count', times: 1 }, context });
    expect(next.events[0]).toMatchObject({ revision: BigInt(times), data: { total: times + 1 } });
  });

  it('are read from the end of the stream if the decider has a window', async () => {
    const stream = newStream();
    const counter: Decider<number, number, Extract<GuestEvent, { type: 'Counted' }>> = {
      window: 1,
      initialState: () => 0,
      decide: (by, total) => [{ type: 'Counted', data: { total: total + by } }],
      evolve: (_, { data }) => data.total,
    };
    const key = (name: string) => contextAt('2024-05-03T10:00:00.000Z', { key: name, body: 'b' });
    const before = processorOn(log);
    await before.execute({ stream, decider: guestList, command: { type: 'Count', times: 1_200 }, context });
    await before.execute({ stream, decider: counter, command: 1, context: key('k') });
    const store = new FaultyEventStore(log.store);
    const after = processorOn({ store, codec: log.codec });
    const next = await after.execute({ stream, decider: counter, command: 1, context });
    expect(next.events[0]).toMatchObject({ revision: 1_201n, data: { total: 1_202 } });
    expect(store.reads.map(({ direction, from, limit }) => ({ direction, from, limit }))).toEqual([{ direction: 'backwards', limit: 1 }]);
    expect(await after.execute({ stream, decider: counter, command: 1, context: key('k') })).toMatchObject({
      repeated: true,
      events: [{ revision: 1_200n, data: { total: 1_201 } }],
    });
    expect(after.metrics().stateSize).toBe(42);
  });
});

/** Expected result of the processor, computed with the decider alone. */
const oneFold = (commands: readonly GuestCommand[]): Readonly<{ outcomes: unknown[]; events: GuestEvent[] }> => {
  let state = guestList.initialState();
  const events: GuestEvent[] = [];
  const outcomes = commands.map((command) => {
    try {
      const decided = asStored(guestList.decide(command, state));
      for (const event of asStored(decided)) state = guestList.evolve(state, event);
      events.push(...decided);
      return decided.map((_, n) => events.length - decided.length + n);
    } catch (error) {
      return codeOf(error);
    }
  });
  return { outcomes, events };
};

const asStored = (events: readonly GuestEvent[]): GuestEvent[] => JSON.parse(JSON.stringify(events));
