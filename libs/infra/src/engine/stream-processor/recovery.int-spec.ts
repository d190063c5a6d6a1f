import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Decider } from '#domain/shared/decider.js';
import { AppendOutcomeUnknown, EventStoreUnavailable, InvalidAppend } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import { FaultyEventStore } from '#test/support/event-stores/faulty-event-store.js';
import {
  contextAt,
  type GuestCommand,
  type GuestEvent,
  guestList,
  openTestLog,
  readAllOf,
  type TestLog,
} from '#test/support/projections/guest-list.js';
import { ConcurrencyExhausted } from './execution.js';
import { StreamProcessor } from './stream-processor.js';

const stream = 'test.guests-recovery';
const context = contextAt('2024-05-01T10:00:00.000Z');
let log: TestLog;
let store: FaultyEventStore;
let processor: StreamProcessor;

beforeEach(async () => {
  log = await openTestLog();
  store = new FaultyEventStore(log.store);
  processor = new StreamProcessor(store, log.codec, { recoveryMilliseconds: 150 });
});
afterEach(async () => {
  await processor.close();
  await log.close();
});

const send = (command: GuestCommand) => processor.execute({ stream, decider: guestList, command, context });
const invite = (name: string) => send({ type: 'Invite', name });
const names = async (): Promise<readonly unknown[]> => (await readAllOf(log.store, stream)).map(({ data }) => data.name);
const guest = (name: string): NewEvent => {
  const metadata = { ...context, schemaVersion: 1 };
  return { id: randomUUID(), type: 'GuestInvited', data: { name, by: 'rival', seats: [] }, metadata };
};
/** Another writer, which appends just before our next append. */
const rivalFirst = (name: string): void => {
  store.beforeAppend = async () => {
    store.beforeAppend = async () => {};
    await log.store.append(stream, [guest(name)], 'any');
  };
};

describe('an append whose outcome is unknown', () => {
  it.each([
    // The faults, met once by an empty stream and once by one with events, and the number of sends of the batch.
    [['written'], 1],
    [['lost'], 2],
    [['late'], 2],
    [['lost', 'written'], 2],
    [['lost', 'late', 'lost'], 3],
  ] as const)('%j: every command is in the log once, and every caller is told so', async (faults, sends) => {
    for (const round of [0, 1]) {
      store.appends.length = 0;
      store.appendFaults.push(...faults);
      const sent = await Promise.allSettled([`a${round}`, `b${round}`, `a${round}`, `c${round}`].map(invite));
      const first = BigInt(round * 3);
      expect(sent).toMatchObject([
        { value: { events: [{ revision: first }] } },
        { value: { events: [{ revision: first + 1n }] } },
        { reason: { code: 'NAME_TAKEN' } },
        { value: { events: [{ revision: first + 2n }] } },
      ]);
      const stored = await readAllOf(log.store, stream);
      expect(sent[3]).toMatchObject({ value: { position: stored.at(-1)?.position, events: [{ id: stored.at(-1)?.id }] } });
      expect(store.appends).toHaveLength(sends);
    }
    expect(await names()).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1']);
  });

  it('is decided again if others have written instead', async () => {
    await invite('Ada');
    store.appendFaults.push('lost');
    rivalFirst('Bo');
    expect(await Promise.allSettled([invite('Bo'), invite('Cy')])).toMatchObject([
      { reason: { code: 'NAME_TAKEN' } },
      { value: { events: [{ revision: 2n }] } },
    ]);
    expect(await names()).toEqual(['Ada', 'Bo', 'Cy']);
  });

  it('gets its outcome as soon as the log can be read again', async () => {
    store.appendFaults.push('written', 'lost');
    await invite('Ada');
    store.failingReads = 2;
    expect(await invite('Bo')).toMatchObject({ events: [{ revision: 1n }] });
    expect(await names()).toEqual(['Ada', 'Bo']);
    expect(processor.metrics()).toMatchObject({ unknownOutcomes: 2, batches: 2 });
  });

  it('stays unknown if the log cannot be read in time; the next command starts with what the log holds', async () => {
    store.appendFaults.push('written');
    await invite('Ada');
    store.appendFaults.push('written');
    store.failingReads = 1_000;
    await expect(invite('Bo')).rejects.toThrow(AppendOutcomeUnknown);
    store.failingReads = 0;
    await expect(invite('Bo')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect(await names()).toEqual(['Ada', 'Bo']);
  });

  it('stays unknown if it is lost again and again', async () => {
    store.appendFaults.push(...Array<'lost'>(1_000).fill('lost'));
    await expect(invite('Ada')).rejects.toThrow(AppendOutcomeUnknown);
    expect(store.appends.length).toBeGreaterThan(2);
    expect(new Set(store.appends.map(([event]) => event?.id)).size).toBe(1);
    store.appendFaults.length = 0;
    expect(await invite('Ada')).toMatchObject({ events: [{ revision: 0n }] });
  });

  it('does not count as a failure if a later send is refused', async () => {
    store.appendFaults.push('lost', ...Array<'unavailable'>(1_000).fill('unavailable'));
    await expect(invite('Ada')).rejects.toThrow(AppendOutcomeUnknown);
    store.appendFaults.length = 0;
    store.appendFaults.push('late', 'unavailable');
    expect(await invite('Ada')).toMatchObject({ events: [{ revision: 0n }] });
    expect(await names()).toEqual(['Ada']);
  });

  it('stays unknown if the events that would prove it have been truncated', async () => {
    await invite('Ada');
    rivalFirst('Bo');
    const rival = store.beforeAppend;
    store.beforeAppend = async (events) => {
      await log.store.append(stream, events, 0n);
      await rival(events);
      await log.store.truncate(stream, 2n);
    };
    store.appendFaults.push('lost');
    await expect(invite('Cy')).rejects.toThrow(AppendOutcomeUnknown);
    expect(store.appends).toHaveLength(2);
    expect(await names()).toEqual(['Bo']);
  });
});

describe('an append of facts whose outcome is unknown', () => {
  const facts: Decider<null, readonly string[], GuestEvent> = {
    window: 0,
    expects: 'any',
    initialState: () => null,
    decide: (all) => all.map((name) => ({ type: 'GuestInvited', data: { name, by: 'host', seats: [] } })),
    evolve: (state) => state,
  };
  const record = (...command: readonly string[]) => processor.execute({ stream, decider: facts, command, context });

  it.each([
    [['written'], 1],
    [['lost'], 2],
    [['late'], 2],
    [['lost', 'written'], 2],
    [['lost', 'late', 'lost'], 3],
  ] as const)('%j: is in the log once, after what others have appended meanwhile', async (faults, sends) => {
    for (const round of [0, 1]) {
      store.appends.length = 0;
      store.appendFaults.push(...faults);
      rivalFirst(`rival${round}`);
      const first = BigInt(round * 4);
      const [one, other] = await Promise.all([record(`a${round}`, `b${round}`), record(`c${round}`)]);
      expect(one.events).toMatchObject([{ revision: first + 1n }, { revision: first + 2n }]);
      expect(other.events).toMatchObject([{ revision: first + 3n }]);
      const stored = await readAllOf(log.store, stream);
      expect(other).toMatchObject({ position: stored.at(-1)?.position, events: [{ id: stored.at(-1)?.id }] });
      expect(store.appends).toHaveLength(sends);
    }
    expect(await names()).toEqual(['rival0', 'a0', 'b0', 'c0', 'rival1', 'a1', 'b1', 'c1']);
    expect(processor.metrics()).toMatchObject({ conflicts: 0, batches: 2 });
  });

  it('is found behind many later ones, which are read once', async () => {
    await record('first');
    store.beforeAppend = async (events) => {
      store.beforeAppend = async () => {};
      await log.store.append(stream, events, 'any');
      await log.store.append(
        stream,
        Array.from({ length: 600 }, (_, n) => guest(`later${n}`)),
        'any',
      );
    };
    store.appendFaults.push('lost');
    store.failingReads = 1;
    expect(await record('Ada')).toMatchObject({ events: [{ revision: 1n }] });
    store.reads.length = 0;
    expect(await record('Bo')).toMatchObject({ events: [{ revision: 602n }] });
    expect(store.reads).toEqual([]);
  });

  it('never reads the stream when nothing is recorded', async () => {
    await record('Ada');
    store.reads.length = 0;
    expect(await record()).toMatchObject({ events: [] });
    expect(store.reads).toEqual([]);
  });
});

describe('an append that is refused', () => {
  it('is decided again on what a faster writer wrote', async () => {
    await invite('Ada');
    rivalFirst('Bo');
    expect(await Promise.allSettled([invite('Bo'), invite('Cy'), send({ type: 'Leave', name: 'Bo' })])).toMatchObject([
      { reason: { code: 'NAME_TAKEN' } },
      { value: { events: [{ revision: 2n }] } },
      { value: { events: [{ revision: 3n }] } },
    ]);
    expect(processor.metrics()).toMatchObject({ conflicts: 1, batches: 2 });
  });

  it('does not make a single command fold the stream again', async () => {
    await send({ type: 'Count', times: 10 });
    rivalFirst('Bo');
    store.reads.length = 0;
    await invite('Cy');
    expect(store.reads.map(({ from }) => from)).toEqual([10n, 11n]);
  });

  it('continues from the revision that the store reports if all events of the stream have been truncated', async () => {
    await send({ type: 'Count', times: 3 });
    await log.store.truncate(stream, 3n);
    const cold = new StreamProcessor(store, log.codec);
    const execution = await cold.execute({ stream, decider: guestList, command: { type: 'Count', times: 1 }, context });
    expect(execution.events).toMatchObject([{ revision: 3n, data: { total: 1 } }]);
    // The first one still knows the state; the missing events are appended and truncated without its knowledge.
    await log.store.truncate(stream, 4n);
    expect(await send({ type: 'Count', times: 1 })).toMatchObject({ events: [{ revision: 4n, data: { total: 4 } }] });
  });

  it('is given up after a number of attempts', async () => {
    let rivals = 0;
    store.beforeAppend = async () => {
      const metadata = { ...context, schemaVersion: 1 };
      await log.store.append(stream, [{ id: randomUUID(), type: 'Counted', data: { total: ++rivals }, metadata }], 'any');
    };
    await expect(invite('Ada')).rejects.toThrow(ConcurrencyExhausted);
    store.beforeAppend = async () => {};
    expect(await invite('Ada')).toMatchObject({ events: [{ revision: 20n, data: { seats: [20] } }] });
  });

  it('is an error for the whole batch if the store is unavailable, and leaves no trace in the state', async () => {
    await invite('Ada');
    store.appendFaults.push('unavailable');
    const sent = await Promise.allSettled([invite('Bo'), invite('Cy')]);
    for (const outcome of sent) expect(outcome).toMatchObject({ reason: expect.any(EventStoreUnavailable) });
    expect(await invite('Bo')).toMatchObject({ events: [{ revision: 1n }] });
    store.failingReads = 1;
    await expect(send({ type: 'Leave', name: 'nobody' })).rejects.toThrow(EventStoreUnavailable);
  });

  it('is an error for the malformed command only', async () => {
    store.beforeAppend = async (events) => {
      if (events.some(({ data }) => data.total === 13)) throw new InvalidAppend('thirteen');
    };
    const totals: Decider<null, number, GuestEvent> = {
      initialState: () => null,
      decide: (total) => [{ type: 'Counted', data: { total } }],
      evolve: () => null,
    };
    const sent = await Promise.allSettled([1, 13, 2].map((command) => processor.execute({ stream, decider: totals, command, context })));
    expect(sent).toMatchObject([
      { value: { events: [{ revision: 0n }] } },
      { reason: { name: 'InvalidAppend' } },
      { value: { events: [{ revision: 1n }] } },
    ]);
  });
});

it('a written command succeeds even if its event cannot be folded, and so does the next one', async () => {
  const broken: Decider<number, number, Extract<GuestEvent, { type: 'Counted' }>> = {
    initialState: () => 0,
    decide: (total) => [{ type: 'Counted', data: { total } }],
    evolve: (_, { data }) => {
      if (data.total === 13) throw new RangeError('thirteen');
      return data.total;
    },
  };
  const count = (command: number) => processor.execute({ stream, decider: broken, command, context });
  expect(await count(13)).toMatchObject({ events: [{ revision: 0n }] });
  expect(await count(14)).toMatchObject({ events: [{ revision: 1n }] });
});
