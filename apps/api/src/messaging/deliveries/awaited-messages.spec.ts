import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { AwaitedMessage } from '#api/messaging/messages/message-arrivals.js';
import { type AnswerReservation, AnswerRoom } from '#api/shared/answers/answer-room.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { until } from '#test/support/eventually.js';
import { forAny } from '#test/support/for-any.js';
import { SOME_CONTEXT as CONTEXT, noDeliveries, subscriptionSample } from '#test/support/messaging/delivery-samples.js';
import { turns } from '#test/support/turns.js';
import type { SendToDeadLetter } from './dead-letters/dead-letter-queue.js';
import { HeldMessages } from './held-messages.js';
import type { Candidate } from './leased-messages.js';
import { type DeliveryOptions, PullDeliveries } from './pull-deliveries.js';
import { PulledMessages } from './pulled-messages.js';
import { ServedSubscription } from './served-subscription.js';

const FOUND = subscriptionSample({}, { ackDeadlineSeconds: 600 });
/** Maximum number of messages of a project held on one node. */
const ALL = 250_000;
const MIB = 1024 * 1024;
const NEVER = new AbortController().signal;

/** A subscription with many waiters. Every other message is ordered by a key. */
class World {
  /** Number of reads of the log. */
  looks = 0;
  /** Number of lookups of the topic's next offset. */
  lookups = 0;
  waiting = 0;
  readonly delivered: Delivery[] = [];
  readonly served: ServedSubscription;
  /** Includes messages of other subscriptions of the project. */
  readonly held = new HeldMessages(() => this.served.awaited.offer());
  /** Messages before this offset have expired. */
  expired = 0;
  private head = 0;
  private readonly watches = new Set<() => void>();
  private readonly waiters: AbortController[] = [];
  private readonly pulls: PullDeliveries;

  constructor(room: number) {
    this.held.change('p', ALL - room);
    const gateway = { now: () => '', ownContext: () => CONTEXT, record: async () => ({ before: null, shown: Promise.resolve(true) }) };
    const arrivals = { wait: (awaited: AwaitedMessage, _ms: number, signal: AbortSignal) => this.arrival(awaited, signal) };
    const sendToDeadLetter: SendToDeadLetter = async () => 'topic gone';
    const dependencies = { gateway, arrivals, held: this.held, sendToDeadLetter, log: { warn: () => undefined } };
    const by = { subscription: FOUND.ref, server: 'here' };
    this.served = new ServedSubscription(by, noDeliveries(), { enableMessageOrdering: true }, dependencies);
    const offsets = { endAfter: async () => this.head };
    this.pulls = new PullDeliveries(offsets, { isEnd: async () => false }, new Telemetry());
  }

  /** Adds a waiter that wants up to `limit` messages and waits for the first. */
  join(limit: number, more: Partial<DeliveryOptions<Candidate>> = {}): void {
    const gone = new AbortController();
    this.waiters.push(gone);
    this.waiting += 1;
    const options: DeliveryOptions<Candidate> = { source: this.source, limit, wait: true, onlyFirst: true, signal: gone.signal, ...more };
    void this.pulls.pull(this.served, FOUND, options).then((delivered) => {
      this.waiting -= 1;
      for (const { message, attempt } of delivered ?? []) this.delivered.push({ offset: message.offset, attempt });
      options.source.dropped?.();
    });
  }

  /** Source of a waiter, whose messages take 10 MiB each until it has them. */
  inMemory(memory: AnswerReservation): PulledMessages {
    const page = async (topicId: string, from: number, limit: number) =>
      (await this.source.page(topicId, Math.max(from, this.expired), limit)).map((message) => ({ ...message, text: '', size: 10 * MIB }));
    return new PulledMessages({ page }, memory, NEVER);
  }

  leave(which: number): void {
    this.waiters[which % Math.max(1, this.waiters.length)]?.abort();
  }

  publish(count: number): void {
    this.head += count;
    for (const look of [...this.watches]) look();
  }

  async end(): Promise<void> {
    for (const gone of this.waiters) gone.abort();
    await turns();
    await this.served.stop();
  }

  /** Resolves when this number of messages was delivered, and no more. */
  async until(delivered: number): Promise<void> {
    await until(() => this.delivered.length >= delivered);
    await turns();
    expect(this.delivered).toHaveLength(delivered);
  }

  /** True if somebody waits although a message may be delivered. */
  get isAsleep(): boolean {
    const { leases, room } = this.served;
    return this.waiting > 0 && (leases.isReady(performance.now()) || (room > 0 && this.head > leases.next));
  }

  private readonly source = {
    page: async (_topicId: string, from: number, limit: number): Promise<readonly Candidate[]> => {
      this.looks += 1;
      const offsets = Array.from({ length: Math.max(0, Math.min(limit, this.head - from)) }, (_, index) => from + index);
      return offsets.map((offset) => ({ offset, bytes: 1, ...(offset % 2 === 0 && { orderingKey: `${offset % 4}` }) }) as Candidate);
    },
  };

  private arrival({ after }: AwaitedMessage, signal: AbortSignal): Promise<number | undefined> {
    this.lookups += 1;
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.head <= after && !signal.aborted) return;
        this.watches.delete(look);
        resolve(signal.aborted ? undefined : this.head);
      };
      this.watches.add(look);
      signal.addEventListener('abort', look);
      setImmediate(look);
    });
  }
}

/** A world, and memory for answers of which a caller has taken its share for one. */
const occupied = (caller: string, all: number) => {
  const room = new AnswerRoom({ all, share: 32 * MIB });
  const answer = room.open(caller, NEVER);
  answer.hold(32 * MIB);
  return { world: new World(1_000), room, answer };
};

describe('Those who wait for messages of a subscription', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are not woken by acknowledgements, however many wait; one is for each message', async () => {
    const world = new World(1_000);
    world.publish(200);
    world.join(200);
    await turns();
    for (let joined = 0; joined < 500; joined++) world.join(1);
    await turns();
    const out = world.delivered.splice(0);
    const before = world.looks;
    for (const delivery of out.filter(({ offset }) => offset % 2 === 1)) await world.served.acknowledge([delivery], CONTEXT);
    await turns();
    expect(world.looks).toBe(before);
    world.publish(3); // the others wait for those before them
    await turns();
    expect(world.delivered).toEqual([{ offset: 201, attempt: 1 }]);
    expect(world.looks - before).toBeLessThan(20);
    await world.end();
  });

  it('get a burst of messages one each, with no look at the topic for each', async () => {
    const world = new World(1_000);
    for (let joined = 0; joined < 500; joined++) world.join(1);
    await turns();
    world.publish(200);
    await world.until(102); // the others wait for an earlier one of their key
    expect(world.lookups).toBeLessThan(5);
    await world.end();
  });

  it('are woken when another subscription gives room back', async () => {
    const world = new World(0);
    world.publish(3);
    world.join(1);
    await turns();
    expect([world.delivered.length, world.held.room('q')]).toEqual([0, ALL]);
    world.held.change('p', -1);
    await world.until(1);
    expect(world.held.room('p')).toBe(0);
    await world.end();
  });

  it('do not wait for one that has no memory, which gets its messages once there is some', async () => {
    const { world, room, answer } = occupied('slow', 96 * MIB);
    world.join(1, { source: world.inMemory(room.open('slow', NEVER)) });
    world.publish(1);
    await turns();
    expect(world.delivered).toEqual([]);
    world.join(1, { source: world.inMemory(room.open('other', NEVER)) });
    await world.until(1);
    answer.close();
    await turns();
    expect([room.taken, world.waiting]).toEqual([0, 1]);
    world.publish(1);
    await world.until(2);
    await world.end();
  });

  it('pass messages that expired while they waited for memory', async () => {
    const { world, room, answer } = occupied('caller', 32 * MIB);
    for (let joined = 0; joined < 3; joined++) world.join(1, { source: world.inMemory(room.open('caller', NEVER)) });
    world.publish(5);
    await turns();
    world.expired = 5;
    answer.close();
    await turns();
    expect([world.served.leases.next, room.taken, world.served.isIdle]).toEqual([5, 0, false]);
    world.publish(3);
    await world.until(3);
    await world.end();
  });

  it('get theirs when others wait for the memory that they have', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const world = new World(1_000);
    const room = new AnswerRoom({ all: 20 * MIB, share: 20 * MIB });
    for (let joined = 0; joined < 3; joined++) world.join(100, { source: world.inMemory(room.open('caller', NEVER)), onlyFirst: false });
    for (let published = 0; published < 3; published++) {
      await turns();
      world.publish(1);
    }
    for (let waits = 0; waits < 2; waits++) {
      await turns();
      await jest.advanceTimersByTimeAsync(3_000);
    }
    await turns();
    expect(world.delivered.map(({ offset }) => offset)).toEqual([0, 1, 2]);
    expect([room.taken, world.waiting]).toEqual([0, 0]);
    await world.end();
  });

  it('for more get what they have when the time is over, also while others read', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const world = new World(1_000);
    world.publish(1);
    world.join(2, { onlyFirst: false });
    await turns();
    let end = (): void => undefined;
    world.join(1, {
      source: {
        page: () =>
          new Promise((resolve) => {
            end = () => resolve([]);
          }),
      },
    });
    await turns();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(world.delivered).toHaveLength(1);
    end();
    await world.end();
  });

  it('are never left asleep when there is something for them', async () => {
    const step = fc.record({
      what: fc.constantFrom('join', 'join', 'publish', 'publish', 'acknowledge', 'acknowledge', 'give back', 'take back', 'leave'),
      which: fc.nat(),
      isQuiet: fc.boolean(),
    });
    await forAny(100, fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World(5);
      const acts: Record<string, (which: number) => unknown> = {
        join: (which) => world.join(1 + (which % 3)),
        leave: (which) => world.leave(which),
        publish: (which) => world.publish(1 + (which % 4)),
        acknowledge: (which) => world.served.acknowledge(world.delivered.splice(which % 3, 1 + (which % 2)), CONTEXT),
        'give back': (which) => world.served.giveBack(world.delivered.splice(which % 3, 1 + (which % 2)), CONTEXT),
        'take back': (which) => world.served.takeBack(world.delivered.splice(which % 3, 1)),
      };
      for (const { what, which, isQuiet } of steps) {
        void acts[what]?.(which);
        if (isQuiet) await turns();
        if (isQuiet) expect(world.isAsleep).toBe(false);
      }
      await turns();
      expect(world.isAsleep).toBe(false);
      await world.end();
    });
  });
});
