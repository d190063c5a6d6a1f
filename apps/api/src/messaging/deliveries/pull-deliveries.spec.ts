import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { DeliveryAction } from '#domain/messaging/deliveries/deliveries.js';
import { DomainError } from '#domain/shared/decider.js';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { stopClock } from '#test/support/clocks/stopped-clock.js';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { until } from '#test/support/eventually.js';
import {
  SOME_CONTEXT as CONTEXT,
  messageSample as message,
  noDeliveries,
  subscriptionSample,
  unwanted,
} from '#test/support/messaging/delivery-samples.js';
import { turns } from '#test/support/turns.js';
import type { RecordedProgress, SubscriptionServer } from './delivery-gateway.js';
import { HeldMessages } from './held-messages.js';
import type { Candidate } from './leased-messages.js';
import { type DeliveryOptions, PullDeliveries } from './pull-deliveries.js';
import type { ScatteredSource } from './pulled-messages.js';
import { ServedSubscription } from './served-subscription.js';

const FOUND = subscriptionSample({}, { ackDeadlineSeconds: 0 });
const FIRST = { offset: 0, attempt: 1 };

/** A served subscription, and a record of the requests to it. `mayCome`: set if the topic exists. `attempts`: recorded so far. */
const servedWith = (options: ServedSubscription['options'] = {}, mayCome = true, attempts: readonly number[] = []) => {
  const records: { action: DeliveryAction; resolve(before?: readonly number[]): void; reject(error: unknown): void }[] = [];
  const gateway = {
    now: () => '2026-01-01T00:00:00.000Z',
    ownContext: () => CONTEXT,
    record: (_by: SubscriptionServer, action: DeliveryAction) =>
      new Promise<RecordedProgress>((resolve, reject) => {
        records.push({ action, resolve: (before) => resolve({ before: before ?? null, shown: Promise.resolve(true) }), reject });
      }),
  };
  const arrivals = { wait: async () => (mayCome ? 1 : undefined) };
  const warnings: string[] = [];
  const log = { warn: (_fields: object, text: string) => void warnings.push(text) };
  const dependencies = { gateway, arrivals, held: new HeldMessages(() => undefined), sendToDeadLetter: unwanted, log };
  const whole = { ...noDeliveries(), attempts };
  const served = new ServedSubscription({ subscription: FOUND.ref, server: 'here' }, whole, options, dependencies);
  return { served, records, warnings, end: () => void served.stop() };
};

const lease = (served: ServedSubscription, count = 1, milliseconds = 60_000) => {
  const { leases } = served;
  const coming = Array.from({ length: count }, (_, index) => ({ offset: leases.next + index }));
  leases.comeUp(coming, leases.next + count);
  return leases.lease(count, performance.now(), milliseconds);
};

/** A pull that does not wait, from a log of `head` messages. */
const pulling = (
  served: ServedSubscription,
  source: ScatteredSource<Candidate>,
  more: Partial<DeliveryOptions<Candidate>> = {},
  head = 3,
) => {
  const { signal } = new AbortController();
  return new PullDeliveries({ endAfter: async () => head }, { isEnd: async () => false }, new Telemetry()).pull(served, FOUND, {
    source,
    limit: 10,
    wait: false,
    signal,
    ...more,
  });
};

const whole: ScatteredSource<Candidate> = {
  page: async (_topicId, from, limit) => [0, 1, 2].slice(from, from + limit).map((offset) => message(offset)),
};

describe('Ended leases that cannot be recorded', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are tried and logged more and more rarely, and soon again once a call is recorded', async () => {
    jest.useFakeTimers();
    const { served, records, warnings, end } = servedWith();
    lease(served, 2, 10_000);
    served.changed();
    const tries: number[] = [];
    for (let second = 1; second <= 130; second++) {
      await jest.advanceTimersByTimeAsync(1_000);
      for (const { reject } of records.splice(0)) {
        tries.push(second);
        reject(new EventStoreUnavailable('no log'));
      }
    }
    await jest.advanceTimersByTimeAsync(0);
    expect(tries).toEqual([10, 12, 16, 24, 40, 70, 100, 130]);
    expect(warnings).toHaveLength(4);
    const recorded = served.record({}, CONTEXT);
    records[0]?.resolve();
    await recorded;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(records.map(({ action }) => action)).toMatchObject([{ returned: [] }, { returned: [0, 1, 1, 1] }]);
    end();
  });
});

describe('Acknowledging twice', () => {
  it('is answered when the first acknowledgement is durable, and recorded again if it is not', async () => {
    const { served, records, end } = servedWith();
    lease(served);
    const first = served.acknowledge([FIRST], CONTEXT);
    const answered: string[] = [];
    const again = [1, 2].map((call) => served.acknowledge([FIRST], CONTEXT).then(() => answered.push(`${call}`)));
    await turns();
    expect([answered, records.length]).toEqual([[], 1]);
    records[0]?.reject(new Error('no disk'));
    await expect(first).rejects.toThrow('no disk');
    await turns();
    expect([answered, records.length]).toEqual([[], 2]);
    records[1]?.resolve();
    await Promise.all(again);
    expect(served.leases.size).toBe(0);
    end();
  });

  it('under one key names as late what the first call did not acknowledge, whatever became of the leases', async () => {
    const { served, records, end } = servedWith();
    const again = served.acknowledge([FIRST, { offset: 1, attempt: 1 }], { ...CONTEXT, idempotency: { key: 'k', body: 'b' } });
    await until(() => records.length > 0);
    records[0]?.resolve([0, 1]);
    expect((await again).late).toEqual([{ offset: 1, attempt: 1 }]);
    end();
  });

  it('under one key loses nothing that was passed over meanwhile', async () => {
    const { served, records, end } = servedWith();
    served.pass([3, 5]);
    const again = served.acknowledge([FIRST], { ...CONTEXT, idempotency: { key: 'k', body: 'b' } });
    records[0]?.resolve([0, 1]);
    await again;
    void served.record({}, CONTEXT);
    expect(records.map(({ action }) => action)).toMatchObject([{ settled: [3, 5] }, { settled: [3, 5] }]);
    end();
  });

  it('is refused where nobody knows whether the first acknowledgement was recorded', async () => {
    const { served, records } = servedWith();
    lease(served);
    const first = served.acknowledge([FIRST], CONTEXT);
    const again = served.acknowledge([FIRST], CONTEXT);
    records[0]?.reject(new DomainError('NOT_SERVED'));
    await expect(first).rejects.toThrow('NOT_SERVED');
    await expect(again).rejects.toThrow('NOT_SERVED');
  });
});

describe('A subscription that is served', () => {
  it('keeps nothing of its earlier records', async () => {
    const { served, records, end } = servedWith();
    const record = async (): Promise<WeakRef<RecordedProgress>> => {
      const recorded = served.record({}, CONTEXT);
      records.shift()?.resolve();
      return new WeakRef(await recorded);
    };
    const earlier = await record();
    for (let count = 0; count < 3; count++) await record();
    await turns();
    collectGarbage();
    expect(earlier.deref()).toBeUndefined();
    end();
  });

  it('is not idle as long as messages wait for their back-off', async () => {
    const { served, records, end } = servedWith({ retryPolicy: { minimumSeconds: 600, maximumSeconds: 600 } });
    lease(served);
    const given = served.giveBack([FIRST], CONTEXT);
    await until(() => records.length > 0);
    records[0]?.resolve();
    await given;
    expect(served.isIdle).toBe(false);
    end();
  });

  it.each([
    [new AppendOutcomeUnknown('s'), true],
    [new DomainError('NOT_SERVED'), true],
    [new DomainError('OFFSET_OUT_OF_BOUNDS'), false],
  ])('ends if it may have been moved, or is served elsewhere: %s', async (error, isOver) => {
    const { served, records, end } = servedWith();
    const moving = served.seek(0, { min: 0, max: 1 }, CONTEXT);
    records[0]?.reject(error);
    await expect(moving).rejects.toBe(error);
    expect(served.ended.aborted).toBe(isOver);
    end();
  });

  it('delivers a message without a back-off again, however often it was returned', async () => {
    const { served, records, end } = servedWith({ retryPolicy: { minimumSeconds: 0, maximumSeconds: 600 } }, true, [0, 1_024]);
    const given = served.giveBack(lease(served), CONTEXT);
    records[0]?.resolve();
    await given;
    expect([served.leases.isReady(performance.now()), served.leases.againAt]).toEqual([true, undefined]);
    end();
  });
});

describe('A pull', () => {
  it('keeps no memory when it delivers nothing', async () => {
    const { served, end } = servedWith();
    let returned = 0;
    const dropped = () => {
      returned += 1;
    };
    expect(await pulling(served, { page: async () => [], dropped }, {}, 0)).toEqual([]);
    await expect(pulling(served, { page: () => Promise.reject(new Error('no log')), dropped })).rejects.toThrow('no log');
    expect(returned).toBe(2);
    end();
  });

  it('passes over no message that nobody looked at', async () => {
    const { served, end } = servedWith();
    let looks = 0;
    const source: ScatteredSource<Candidate> = {
      page: async () => {
        looks += 1;
        return [];
      },
      passed: (_topicId, offset) => (looks > 0 ? Math.max(offset, 10) : offset),
    };
    expect(await pulling(served, source, {}, 12)).toEqual([]);
    expect(served.leases.next).toBe(10);
    end();
  });

  it('delivers what it found, however slow the log is', async () => {
    const pass = stopClock();
    const { served, end } = servedWith();
    const page = async (...asked: Parameters<typeof whole.page>) => {
      pass(550);
      return whole.page(...asked);
    };
    expect(await pulling(served, { page }, { limit: 3 })).toHaveLength(3);
    end();
  });

  it('leases for a second at least', async () => {
    stopClock();
    const { served, end } = servedWith();
    expect(await pulling(served, whole)).toHaveLength(3);
    expect((served.leases.endsAt ?? 0) - performance.now()).toBe(1_000);
    end();
  });

  it('leases from its answer on, however long it reads', async () => {
    const pass = stopClock();
    const { served, end } = servedWith();
    served.takeBack(lease(served, 3)); // to be read from the log
    const page = async (...asked: Parameters<typeof whole.page>) => {
      pass(900);
      return whole.page(...asked);
    };
    expect(await pulling(served, { page }, { limit: 3 })).toHaveLength(3);
    expect((served.leases.endsAt ?? 0) - performance.now()).toBe(1_000);
    end();
  });

  it('does not deliver messages whose lease ended while it read', async () => {
    const pass = stopClock();
    const { served, end } = servedWith();
    served.takeBack(lease(served, 3)); // to be read from the log
    const page = async (...asked: Parameters<typeof whole.page>) => {
      pass(1_000);
      return whole.page(...asked);
    };
    expect(await pulling(served, { page }, { limit: 3 })).toEqual([]);
    expect(served.delivered).toBe(0);
    expect((await pulling(served, whole))?.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    end();
  });

  it('gives back what it leased when it cannot be read', async () => {
    const { served, end } = servedWith();
    served.takeBack(lease(served, 3)); // to be read from the log
    const source = { page: () => Promise.reject(new Error('no log')) };
    await expect(pulling(served, source)).rejects.toThrow('no log');
    expect([served.leases.outstanding, served.leases.isReady(performance.now())]).toEqual([0, true]);
    end();
  });

  it('reads what came back near each other together, also from a source that passes over messages', async () => {
    const { served, end } = servedWith();
    const { leases } = served;
    const matching = [0, 3, 6, 500, 503];
    leases.comeUp(
      matching.map((offset) => ({ offset })),
      504,
    );
    const asked: string[] = [];
    const source: ScatteredSource<Candidate> = {
      page: async (_topicId, from, limit) => {
        asked.push(`${from} ${limit}`);
        return matching
          .filter((offset) => offset >= from)
          .slice(0, limit)
          .map((offset) => message(offset));
      },
      passed: (_topicId, offset) => matching.find((one) => one >= offset) ?? 504,
    };
    const delivered = await pulling(served, source);
    expect(delivered?.map(({ message: { offset } }) => offset)).toEqual(matching);
    expect(asked).toEqual(['0 5', '504 5']);
    end();
  });

  it('delivers in the order of long keys, and holds digests of them', async () => {
    const { served, end } = servedWith({ enableMessageOrdering: true });
    const long = 'k'.repeat(1_023);
    const keys = [`${long}1`, `${long}2`, `${long}1`, 'short'];
    const source: ScatteredSource<Candidate> = {
      page: async (_topicId, from, limit) => keys.map((orderingKey, offset) => message(offset, { orderingKey })).slice(from, from + limit),
    };
    const pulled = await pulling(served, source, {}, keys.length);
    expect(pulled?.map(({ message: { offset } }) => offset)).toEqual([0, 1, 3]);
    expect([...served.leases['byKey'].keys()].map(({ length }) => length)).toEqual([64, 64, 5]);
    end();
  });

  it('settles what has expired, as far as was looked', async () => {
    const { served, records, end } = servedWith();
    const { leases } = served;
    leases.comeUp(
      [0, 1, 2].map((offset) => ({ offset })),
      3,
    );
    let looks = 0;
    const source: ScatteredSource<Candidate> = {
      page: async () => {
        looks += 1;
        return looks === 1 ? [] : [message(2)];
      },
      passed: (_topicId, offset) => (looks === 1 ? Math.max(offset, 2) : offset),
    };
    const pulled = pulling(served, source);
    await until(() => records.length > 0);
    records[0]?.resolve();
    await pulled;
    expect([leases.floor, leases.size]).toEqual([2, 1]);
    end();
  });

  it('that waits ends with 16 MiB of data, however often it looks', async () => {
    const { served, end } = servedWith();
    const MIB = 1024 * 1024;
    const looks = [[message(0, { bytes: 10 * MIB })], [], [message(1)]];
    const asked: number[] = [];
    const source: ScatteredSource<Candidate> = {
      page: async (_topicId, _from, _limit, maxBytes) => {
        asked.push(maxBytes);
        return looks.shift() ?? [];
      },
      passed: (_topicId, offset) => offset,
    };
    expect(await pulling(served, source, { wait: true, limit: 2 })).toHaveLength(2);
    expect(asked).toEqual([16 * MIB, 6 * MIB, 6 * MIB]);
    end();
  });

  it('ends with the bytes that its caller asks for, however many pages it reads', async () => {
    const { served, end } = servedWith();
    const source: ScatteredSource<Candidate> = { page: async (_topicId, from) => (from < 3 ? [message(from, { bytes: 10 })] : []) };
    const delivered = await pulling(served, source, { maxBytes: 20 });
    expect(delivered?.map(({ message: { offset } }) => offset)).toEqual([0, 1]);
    end();
  });

  it('gives back what it has when a later look fails', async () => {
    const { served, end } = servedWith();
    const looks = [[message(0)], []];
    const page = async () => looks.shift() ?? Promise.reject(new Error('no log'));
    const source: ScatteredSource<Candidate> = { page, passed: (_topicId, offset) => offset };
    await expect(pulling(served, source, { wait: true })).rejects.toThrow('no log');
    expect(served.leases.outstanding).toBe(0);
    end();
  });

  it.each([{ topicId: 'u' }, { subscriptionId: 'r' }])(
    'waits no longer where the name stands for something else now: %j',
    async (other) => {
      const { served, end } = servedWith();
      const requireThere = async () => subscriptionSample(other);
      expect(await pulling(served, { page: async () => [] }, { wait: true, requireThere }, 0)).toBeNull();
      end();
    },
  );

  it('hands out what it has where no more can come', async () => {
    const { served, end } = servedWith({}, false);
    let looks = 0;
    const page = (...asked: Parameters<typeof whole.page>) => {
      looks += 1;
      return whole.page(...asked);
    };
    expect(await pulling(served, { page }, { wait: true })).toHaveLength(3);
    expect(looks).toBeLessThan(5);
    end();
  });

  it('says that this process does not serve the subscription any more', async () => {
    const pass = stopClock();
    const { served, records } = servedWith();
    lease(served, 1, 1);
    pass(1);
    const pulled = pulling(served, whole);
    await until(() => records.length > 0);
    records[0]?.reject(new DomainError('NOT_SERVED'));
    expect(await pulled).toBeNull();
    expect(served.ended.aborted).toBe(true);
  });
});
