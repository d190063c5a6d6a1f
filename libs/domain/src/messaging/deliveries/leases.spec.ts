import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { type DeliveryCommand, deliveries, MOST_HELD } from './deliveries.js';
import type { DeliveryEvent } from './delivery-events.js';
import { type Delivery, MOST_OUT_OF_ORDER } from './held-delivery.js';
import { Leases } from './leases.js';
import { rangesOf } from './ranges.js';

const fresh = (more: Partial<ConstructorParameters<typeof Leases>[0]> = {}, backoff?: (attempt: number) => number) =>
  new Leases({ floor: 0, settled: [], attempts: [], ...more }, backoff);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ offset: from + index }));
const leaseAll = (leases: Leases, count: number, now = 0) => {
  leases.comeUp(range(leases.next, leases.next + count), leases.next + count);
  return leases.lease(count, now, 10_000);
};
const settle = (leases: Leases, ...offsets: readonly number[]) => {
  for (const offset of offsets) leases.settle(offset);
};

describe('leases', () => {
  it('give each message to one caller, the oldest first', () => {
    const leases = fresh();
    expect(leaseAll(leases, 2)).toEqual([
      { offset: 0, attempt: 1 },
      { offset: 1, attempt: 1 },
    ]);
    expect(leases.lease(5, 0, 10_000)).toEqual([]);
    expect(leases.outstanding).toBe(2);
  });

  it('skip settled, filtered and expired messages', () => {
    const leases = fresh({ floor: 2, settled: [4, 6] });
    expect(leases.comeUp([{ offset: 3 }, { offset: 5 }, { offset: 8 }], 10)).toEqual([2, 3, 6, 8, 9, 10]);
    expect(leases.lease(9, 0, 1).map(({ offset }) => offset)).toEqual([3, 8]);
    expect(leases.floor).toBe(3);
    expect(leases.next).toBe(10);
  });

  it('skip a gap of millions at once', () => {
    const leases = fresh({ settled: [1_000_000_000, 2_000_000_000] });
    expect(leases.comeUp([{ offset: 3_000_000_000 }], 3_000_000_001)).toEqual([0, 1_000_000_000, 2_000_000_000, 3_000_000_000]);
  });

  it('expire; the delivery is invalid afterwards', () => {
    const leases = fresh();
    const [first, second] = leaseAll(leases, 2) as [Delivery, Delivery];
    leases.extend([second], 5_000, 20_000);
    expect(leases.endsAt).toBe(10_000);
    expect(leases.end(first, 10_000)).toBe(false);
    expect(leases.endDue(10_000, 9)).toEqual([first]);
    expect(leases.end(second, 24_999)).toBe(true);
  });

  it('count a completed attempt, but not one that was never delivered', () => {
    const leases = fresh();
    const [first] = leaseAll(leases, 1) as [Delivery];
    leases.takeBack([first]);
    expect(leases.lease(1, 0, 10)).toEqual([first]);
    leases.endDue(10, 9);
    expect(leases.lease(1, 10, 10)).toEqual([]); // not recorded yet
    leases.comeBack(first, 10);
    expect(leases.lease(1, 10, 10)).toEqual([{ offset: 0, attempt: 2 }]);
    expect(leases.end(first, 11)).toBe(false);
  });

  it('wait for the back-off of the attempt', () => {
    const leases = fresh({ attempts: [0, 2] }, (attempt) => 1_000 * attempt);
    const [first] = leaseAll(leases, 1) as [Delivery];
    leases.end(first, 0);
    leases.comeBack(first, 0);
    expect(leases.againAt).toBe(3_000);
    expect(leases.lease(1, 2_999, 1)).toEqual([]);
    expect(leases.lease(1, 3_000, 1)).toEqual([{ offset: 0, attempt: 4 }]);
  });

  it('continue if nothing was recorded', () => {
    const leases = fresh();
    const [first] = leaseAll(leases, 1) as [Delivery];
    leases.end(first, 0);
    leases.restore([first]);
    expect(leases.end(first, 1)).toBe(true);
  });

  it('with the same key are given one after the other', () => {
    const leases = fresh();
    leases.comeUp([{ offset: 0, key: 'k' }, { offset: 1, key: 'k' }, { offset: 2, key: 'l' }, { offset: 3 }, { offset: 4, key: 'k' }], 5);
    expect(leases.lease(9, 0, 10).map(({ offset }) => offset)).toEqual([0, 2, 3]);
    leases.end({ offset: 0, attempt: 1 }, 0);
    leases.comeBack({ offset: 0, attempt: 1 }, 0);
    expect(leases.lease(9, 0, 10)).toEqual([{ offset: 0, attempt: 2 }]);
    settle(leases, 0);
    expect(leases.lease(9, 0, 10).map(({ offset }) => offset)).toEqual([1]);
    settle(leases, 1);
    expect(leases.lease(9, 0, 10).map(({ offset }) => offset)).toEqual([4]);
  });

  it('are limited by the number of held messages and of those acknowledged out of order', () => {
    const leases = fresh();
    leaseAll(leases, MOST_HELD);
    expect(leases.room).toBe(0);
    settle(leases, ...Array.from({ length: MOST_HELD - 1 }, (_, index) => index + 1));
    for (let acknowledged = MOST_HELD - 1; acknowledged < MOST_OUT_OF_ORDER; ) {
      const some = leaseAll(leases, leases.room);
      acknowledged += some.length;
      settle(leases, ...some.map(({ offset }) => offset));
      if (some.length === 0) break;
    }
    expect(leases.room).toBe(0);
    expect(leases.next).toBe(MOST_OUT_OF_ORDER);
    settle(leases, 0);
    expect(leases.room).toBe(MOST_HELD);
    expect(leases.floor).toBe(MOST_OUT_OF_ORDER);
  });

  it('are extended any number of times in bounded memory', () => {
    const leases = fresh();
    const [first] = leaseAll(leases, 1) as [Delivery];
    for (let now = 0; now < 20_000; now++) leases.extend([first], now / 1_000, 10_000);
    expect(leases['ends'].size).toBeLessThan(2_000);
  });
});

/** Random actions on a subscription. */
type Happening =
  | Readonly<{ what: 'pull'; limit: number; seconds: number }>
  | Readonly<{
      what: 'acknowledge' | 'nack' | 'extend';
      which: number;
      outcome: 'stored' | 'unknown, stored' | 'unknown, lost' | 'refused';
    }>
  | Readonly<{ what: 'time'; milliseconds: number }>
  | Readonly<{ what: 'crash' | 'sweep' | 'stale node' }>;

const outcome = fc.constantFrom(
  'stored' as const,
  'stored' as const,
  'stored' as const,
  'unknown, stored' as const,
  'unknown, lost' as const,
  'refused' as const,
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('pull' as const), limit: fc.integer({ min: 1, max: 4 }), seconds: fc.nat(3) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constantFrom('acknowledge' as const, 'acknowledge' as const, 'nack' as const, 'extend' as const),
      which: fc.nat(),
      outcome,
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('time' as const), milliseconds: fc.nat(4_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom('crash' as const, 'sweep' as const, 'sweep' as const, 'stale node' as const) }),
  },
);

const MESSAGES = 12;

/** Simulates a subscription whose nodes crash, its consumers, and the answers that each received. */
class World {
  readonly log: DeliveryEvent[] = [];
  now = 0;
  leases: Leases = fresh();
  server = 0;
  /** All deliveries, in order. */
  readonly delivered: Delivery[] = [];
  readonly acknowledged = new Map<number, number>();
  /** Acknowledgements whose caller received no answer. */
  readonly uncertain = new Set<number>();

  constructor(private readonly keys: readonly (string | undefined)[]) {
    this.serve();
  }

  private command(action: object, server = this.server): DeliveryCommand {
    const ref = { subscriptionId: 's', projectId: 'p', start: { topicId: 't', startOffset: 0 }, topicId: 't' };
    return { ...ref, server: `${server}`, ...action } as DeliveryCommand;
  }

  private append(action: object, server = this.server): void {
    const window = this.log.slice(-(deliveries.window ?? 0));
    const state = window.reduce((before, event) => deliveries.evolve(before, event), deliveries.initialState());
    this.log.push(...deliveries.decide(this.command(action, server), state));
  }

  serve(): void {
    this.server += 1;
    this.append({ type: 'ServeDeliveries' });
    const last = this.log.at(-1);
    if (last?.type !== 'DeliveriesRecorded') throw new Error('nothing was recorded');
    const { cursor, settled, attempts } = last.data;
    this.leases = new Leases({ floor: cursor.offset, settled, attempts }, (attempt) => 200 * attempt);
  }

  /** Records unless the log refuses. A node that does not know the result starts again. */
  private record(settled: readonly Delivery[], returned: readonly Delivery[], how: string): boolean {
    if (how === 'refused') {
      this.leases.restore([...settled, ...returned]);
      return false;
    }
    const handed = { messages: 0, bytes: 0, lastPull: null, rate: 0 };
    const action = {
      type: 'SettleDeliveries',
      settled: rangesOf(settled.map(({ offset }) => offset)),
      returned: returned.flatMap(({ offset, attempt }) => [offset, attempt]),
      handed,
    };
    if (how !== 'unknown, lost') this.append(action);
    if (how !== 'stored') {
      for (const { offset } of settled) this.uncertain.add(offset);
      this.serve();
      return false;
    }
    for (const { offset } of settled) this.leases.settle(offset);
    for (const delivery of returned) this.leases.comeBack(delivery, this.now);
    return true;
  }

  sweep(): void {
    const ended = this.leases.endDue(this.now, 100);
    if (ended.length > 0) this.record([], ended, 'stored');
  }

  pull(limit: number, milliseconds: number): void {
    this.sweep();
    while (this.leases.next < MESSAGES && !this.leases.isReady(this.now)) {
      const { next } = this.leases;
      this.leases.comeUp([{ offset: next, ...(this.keys[next] && { key: this.keys[next] }) }], next + 1);
    }
    for (const delivery of this.leases.lease(limit, this.now, milliseconds)) {
      expect(this.acknowledged.has(delivery.offset)).toBe(false); // acknowledged messages are never delivered again
      const before = this.delivered.filter(({ offset }) => offset === delivery.offset).at(-1);
      expect(delivery.attempt).toBeGreaterThanOrEqual(before?.attempt ?? 1);
      const key = this.keys[delivery.offset];
      if (key !== undefined)
        for (let earlier = 0; earlier < delivery.offset; earlier++)
          if (this.keys[earlier] === key) expect(this.acknowledged.has(earlier) || this.uncertain.has(earlier)).toBe(true);
      this.delivered.push(delivery);
    }
  }

  settleOne(what: 'acknowledge' | 'nack' | 'extend', which: number, how: string): void {
    const delivery = this.delivered[which % Math.max(1, this.delivered.length)];
    if (!delivery) return;
    if (what === 'extend') {
      this.leases.extend([delivery], this.now, 2_000);
      return;
    }
    if (!this.leases.end(delivery, this.now)) return;
    if (what === 'nack') this.record([], [delivery], how);
    else if (this.record([delivery], [], how)) this.acknowledged.set(delivery.offset, (this.acknowledged.get(delivery.offset) ?? 0) + 1);
  }

  do(happening: Happening): void {
    if (happening.what === 'pull') this.pull(happening.limit, happening.seconds * 1_000);
    else if (happening.what === 'time') this.now += happening.milliseconds;
    else if ('outcome' in happening) this.settleOne(happening.what, happening.which, happening.outcome);
    else if (happening.what === 'sweep') this.sweep();
    else if (happening.what === 'crash') this.serve();
    else {
      const before = this.log.length;
      const handed = { messages: 0, bytes: 0, lastPull: null, rate: 0 };
      expect(() => this.append({ type: 'SettleDeliveries', settled: [0, MESSAGES], returned: [], handed }, this.server - 1)).toThrow(
        'NOT_SERVED',
      );
      expect(this.log).toHaveLength(before);
    }
  }
}

describe('messages of a subscription, under any actions of consumers and nodes', () => {
  const key = fc.constantFrom(undefined, 'k', 'l');
  it('are delivered until they are acknowledged and never after, in order by key, with attempts that never decrease', async () => {
    await forAny(
      300,
      fc.array(key, { minLength: MESSAGES, maxLength: MESSAGES }),
      fc.array(happening, { maxLength: 80 }),
      (keys, happenings) => {
        const world = new World(keys);
        for (const one of happenings) world.do(one);
        const { floor } = world.leases;
        for (let offset = 0; offset < floor; offset++) expect(world.acknowledged.has(offset) || world.uncertain.has(offset)).toBe(true);
        // Further pulls deliver exactly the remaining messages.
        for (let round = 0; round < 40 * MESSAGES && world.leases.floor < MESSAGES; round++) {
          const before = world.delivered.length;
          world.pull(4, 1_000);
          for (let at = before; at < world.delivered.length; at++) world.settleOne('acknowledge', at, 'stored');
          world.now += 1_000;
        }
        expect(world.leases.floor).toBe(MESSAGES);
        for (const times of world.acknowledged.values()) expect(times).toBe(1);
      },
    );
  });
});
