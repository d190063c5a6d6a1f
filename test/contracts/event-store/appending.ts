import { expect } from '@jest/globals';
import { type EventStore, type ExpectedRevision, InvalidAppend, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import {
  givenPartOf,
  idsOf,
  isIncreasing,
  newEvent,
  newEvents,
  type OpenEventStore,
  readLog,
  readWhole,
  revisionsOf,
  storeTests,
} from './fixture.js';

const conflictOf = async (append: Promise<unknown>): Promise<unknown> => {
  const error = await append.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WrongExpectedRevision);
  if (!(error instanceof WrongExpectedRevision)) return undefined;
  const { stream, expected, actual } = error;
  return { stream, expected, actual };
};

/** Appends one event after another at the head, deciding again after each conflict. Returns the ids acknowledged. */
const appendInTurns = async (store: EventStore, stream: string, count: number): Promise<readonly string[]> => {
  const acknowledged: string[] = [];
  while (acknowledged.length < count) {
    const [head] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    const event = newEvent();
    try {
      await store.append(stream, [event], head?.revision ?? 'no-stream');
      acknowledged.push(event.id);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
  return acknowledged;
};

export const appendingContract = (open: OpenEventStore): void => {
  const test = storeTests(open);

  test('returns the place of the last event and records each as it was given', async ({ store, stream }) => {
    const name = stream();
    const started = Date.now();
    const events = newEvents(3);
    const result = await store.append(name, events, 'no-stream');
    const recorded = await readWhole(store, name);
    expect(givenPartOf(recorded)).toEqual(events);
    expect(recorded.map((event) => event.stream)).toEqual([name, name, name]);
    expect(revisionsOf(recorded)).toEqual([0, 1, 2]);
    expect(isIncreasing(recorded.map(({ position }) => position))).toBe(true);
    expect(result).toEqual({ revision: 2n, position: recorded[2]?.position });
    const slack = 60_000; // the server may have another clock
    for (const { recordedAt } of recorded) {
      expect(recordedAt).toBeGreaterThan(started - slack);
      expect(recordedAt).toBeLessThan(Date.now() + slack);
    }
  });

  test('accepts each expectation that holds', async ({ store, stream }) => {
    const name = stream();
    const expectations: readonly ExpectedRevision[] = ['no-stream', 0n, 'any', 2n];
    for (const [index, expected] of expectations.entries()) {
      expect((await store.append(name, [newEvent()], expected)).revision).toBe(BigInt(index));
    }
    expect((await store.append(stream(), newEvents(2), 'any')).revision).toBe(1n);
    expect(revisionsOf(await readWhole(store, name))).toEqual([0, 1, 2, 3]);
  });

  test('appends from a known revision after whatever others have appended', async ({ store, secondProcess, stream }) => {
    const name = stream();
    const second = await secondProcess();
    const froms = ['no-stream', 'no-stream', 0n, 'no-stream', 3n] as const;
    for (const [index, from] of froms.entries())
      expect((await (index % 2 ? store : second).append(name, newEvents(2), { from })).revision).toBe(BigInt(2 * index + 1));
    const crowd = Array.from({ length: 20 }, (_, index) => (index % 2 ? store : second).append(name, newEvents(3), { from: 9n }));
    const revisions = (await Promise.all(crowd)).map(({ revision }) => Number(revision));
    expect(revisions.sort((one, other) => one - other)).toEqual(crowd.map((_, index) => 12 + 3 * index));
    const recorded = await readWhole(store, name);
    expect(revisionsOf(recorded)).toEqual(Array.from({ length: 70 }, (_, index) => index));
    expect(new Set(idsOf(recorded)).size).toBe(70);
  });

  test('refuses each expectation that does not hold, says what it found, and writes nothing', async ({ store, stream }) => {
    const existing = stream();
    const missing = stream();
    const events = newEvents(3);
    await store.append(existing, events, 'no-stream');
    const cases: readonly [string, ExpectedRevision, bigint | 'no-stream'][] = [
      [existing, 1n, 2n],
      [existing, 0n, 2n],
      [existing, 3n, 2n],
      [existing, 'no-stream', 2n],
      [missing, 0n, 'no-stream'],
      [missing, 7n, 'no-stream'],
    ];
    for (const [name, expected, actual] of cases) {
      expect(await conflictOf(store.append(name, newEvents(2), expected))).toEqual({ stream: name, expected, actual });
    }
    expect(idsOf(await readWhole(store, existing))).toEqual(idsOf(events));
    expect(await readWhole(store, missing)).toEqual([]);
  });

  test('appends many events at once, in order and without gaps', async ({ store, stream, all }) => {
    const name = stream();
    const events = newEvents(400);
    expect((await store.append(name, events, 'no-stream')).revision).toBe(399n);
    const recorded = await readWhole(store, name);
    expect(recorded.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
    expect(revisionsOf(recorded)).toEqual(events.map((_, index) => index));
    expect(idsOf(await readLog(store, all))).toEqual(idsOf(events));
  });

  test('keeps every kind of text and number', async ({ store, stream, service }) => {
    const name = stream('orders', 'größe-名前-🦉-a b/c%2F?');
    const data = {
      'kéy "quoted" \\ \n': 'line\u2028separator\u0000nul\u007f',
      astral: '🦉𝒳',
      lone: '\ud800 and \udfff',
      numbers: [0, -1.5, 1e21, 5e-324, Number.MAX_SAFE_INTEGER],
      nested: { list: [[], {}, null, true, ''], __proto__x: { deep: [{ deeper: false }] } },
    };
    const event = newEvent(data, 'Größe🦉Changed');
    await store.append(name, [event], 'no-stream');
    expect(givenPartOf(await readWhole(store, name))).toEqual([event]);
    expect(givenPartOf(await readLog(store, [`${service}.orders`]))).toEqual([event]);
  });

  test('keeps a payload of 10 MiB, also from one page of the log to the next', async ({ store, stream, all }) => {
    const name = stream();
    const body = Array.from({ length: 10 * 2 ** 16 }, (_, index) => `${index}`.padStart(16, 'é0123456789abcd'))
      .join('')
      .slice(0, 10 * 2 ** 20);
    const large = newEvent({ body });
    const events = [newEvent({ n: 0 }), large, newEvent({ n: 2 })];
    await store.append(name, events.slice(0, 1), 'no-stream');
    await store.append(name, [large], 0n);
    await store.append(name, events.slice(2), 1n);
    for (const read of [await readWhole(store, name), await readLog(store, all)]) {
      expect(idsOf(read)).toEqual(idsOf(events));
      expect(read[1]?.data.body === body).toBe(true);
    }
  });

  test('loses nothing when two processes race for one stream', async ({ store, secondProcess, stream }) => {
    const name = stream();
    const second = await secondProcess();
    const acknowledged = await Promise.all([appendInTurns(store, name, 15), appendInTurns(second, name, 15)]);
    const recorded = await readWhole(store, name);
    expect([...idsOf(recorded)].sort()).toEqual(acknowledged.flat().sort());
    expect(revisionsOf(recorded)).toEqual(recorded.map((_, index) => index));
  });

  test('lets exactly one of many appends with the same expectation through', async ({ store, stream }) => {
    const name = stream();
    const attempts = Array.from({ length: 10 }, () => newEvents(2));
    const results = await Promise.allSettled(attempts.map((events) => store.append(name, events, 'no-stream')));
    const winner = results.findIndex(({ status }) => status === 'fulfilled');
    for (const [index, result] of results.entries()) {
      if (index !== winner) expect(result).toMatchObject({ status: 'rejected', reason: { name: 'WrongExpectedRevision', actual: 1n } });
    }
    expect(idsOf(await readWhole(store, name))).toEqual(idsOf(attempts[winner] ?? []));
  });

  test('refuses the later of two processes only when it can read what came before it', async ({ store, secondProcess, stream }) => {
    const stores = [store, await secondProcess()];
    const race = async (): Promise<void> => {
      const name = stream();
      for (let turn = 0; turn < 5; turn++) {
        const expected = turn === 0 ? 'no-stream' : BigInt(turn - 1);
        const appends = stores.map(async (each) => {
          const event = newEvent();
          const refusal = await each.append(name, [event], expected).then(
            () => undefined,
            (error: unknown) => error,
          );
          return { event, refusal, found: await readWhole(each, name) };
        });
        const both = await Promise.all(appends);
        const winners = both.filter(({ refusal }) => !refusal);
        expect(winners).toHaveLength(1);
        for (const { refusal, found } of both) {
          if (refusal) expect(refusal).toMatchObject({ name: 'WrongExpectedRevision', actual: BigInt(turn) });
          expect(found.at(-1)?.id).toBe(winners[0]?.event.id);
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, race));
  });

  test('shows a reader of the log every event while writers are at work', async ({ store, secondProcess, stream, all }) => {
    const streams = [stream('orders'), stream('orders'), stream('carts'), stream('carts')];
    const second = await secondProcess();
    let writing = true;
    const seen: RecordedEvent[] = [];
    const read = async (): Promise<void> => {
      for (let after = 0n, last = false; !last; ) {
        last = !writing;
        const batch = await store.readAll({ after, categories: all, limit: 50 });
        seen.push(...batch.events);
        after = batch.position;
        last &&= batch.caughtUp;
      }
    };
    const reader = read();
    const appends = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? store : second).append(streams[index % streams.length] ?? '', newEvents(1 + (index % 3)), 'any'),
    );
    await Promise.all(appends).finally(() => {
      writing = false;
    });
    await reader;
    expect(seen).toHaveLength(120);
    expect(isIncreasing(seen.map(({ position }) => position))).toBe(true);
    expect(seen).toEqual(await readLog(store, all));
  });

  test('refuses what is malformed, and goes on working', async ({ store, stream, all }) => {
    const name = stream();
    const nil = '00000000-0000-0000-0000-000000000000';
    const malformed = (part: object): readonly NewEvent[] => [newEvent(), Object.assign(newEvent(), part)];
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const twice = newEvent();
    const cases: readonly [string, readonly NewEvent[]][] = [
      ['', newEvents(1)],
      ['$all', newEvents(1)],
      ['$system-1', newEvents(1)],
      [`$$${name}`, newEvents(1)],
      [name, []],
      [name, malformed({ id: 'not-a-uuid' })],
      [name, malformed({ id: '' })],
      [name, malformed({ id: nil })],
      [name, malformed({ type: '' })],
      [name, [twice, twice]],
      ...[undefined, null, [], 'text', circular].map((data): [string, readonly NewEvent[]] => [name, malformed({ data })]),
      [name, malformed({ data: { amount: 1n } })],
      [name, malformed({ data: { deep: [{ amount: 1n }] } })],
    ];
    for (const [target, events] of cases) {
      await expect(store.append(target, events, 'any')).rejects.toThrow(InvalidAppend);
    }
    expect(await readLog(store, all)).toEqual([]);
    expect((await store.append(name, newEvents(1), 'no-stream')).revision).toBe(0n);
  });
};
