import { Inject, Injectable } from '@nestjs/common';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { LIMITS } from '#api/messaging/limits.js';
import { TopicEnds } from '#api/messaging/messages/topic-ends.js';
import type { Delivery, OutstandingCounter, QueuedMessage } from '#domain/messaging/deliveries/held-delivery.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import { DomainError } from '#domain/shared/decider.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { WakeReason } from './awaited-messages.js';
import { type Candidate, type Delivered, readLeased } from './leased-messages.js';
import type { ScatteredSource } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';

export type DeliveryOptions<Message> = Readonly<{
  source: ScatteredSource<Message>;
  limit: number;
  /** Bytes of data after which there are no more messages. Default: `LIMITS.dataPerPull`. */
  maxBytes?: number;
  /** Set to wait as messaging contract 4.5 says. */
  wait: boolean;
  /** Set to return as soon as there are messages, without waiting for more. */
  onlyFirst?: boolean;
  /** Minimum duration of leases. */
  shortestLeaseMs?: number;
  /** Notified of leases. */
  holder?: OutstandingCounter;
  signal: AbortSignal;
  /** Start of the call on the monotonic clock, in milliseconds. Default: now. */
  since?: number;
  /**
   * Called after a wait that ended without a returned message. Resolves with the current subscription; throws if there is nothing left to
   * wait for. Default: the wait ends.
   */
  requireThere?: () => Promise<FoundSubscription>;
}>;

/** Any acknowledgement within one second is in time, whatever the deadline (messaging contract 4.6). */
const SHORTEST_LEASE_MS = 1_000;
/** Maximum time that one pull spends on messages it does not deliver. */
const LOOKING_MS = 500;

const DIGEST_LENGTH = 64;

type Taking<Message extends Candidate> = Readonly<{
  served: ServedSubscription;
  topicId: string;
  source: ScatteredSource<Message>;
  limit: number;
  /** Bytes of data that the pull may still deliver. */
  left: number;
  milliseconds: number;
  holder: OutstandingCounter | undefined;
}>;

/** `more`: time of the next look for messages: at once, after an event, or never. */
type Taken<Message> = Readonly<{ delivered: Delivered<Message>[]; more: 'at once' | 'later' | 'none' }>;

/** Leases messages to callers (messaging contract 7.1). */
@Injectable()
export class PullDeliveries {
  /** Reads messages of one subscription page by page. Nobody waits for memory in a turn. */
  private readonly turns = new Turnstile(1);

  private closed = false;

  constructor(
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'endAfter'>,
    @Inject(TopicEnds) private readonly ends: Pick<TopicEnds, 'isEnd'>,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Messages, oldest first, each leased to the caller. `null` if the signal comes first, or if this process does not serve the subscription
   * any more, for example because it was moved, or because it or its topic was created anew.
   */
  async pull<Message extends Candidate>(
    served: ServedSubscription,
    found: FoundSubscription,
    options: DeliveryOptions<Message>,
  ): Promise<readonly Delivered<Message>[] | null> {
    const ref = served.by.subscription;
    if (found.ref.topicId === null || ref.topicId === null) return [];
    const limit = Math.min(options.limit, LIMITS.messagesPerPull.value);
    const milliseconds = Math.max(SHORTEST_LEASE_MS, found.subscription.ackDeadlineSeconds * 1_000, options.shortestLeaseMs ?? 0);
    const whileWaiting = options.wait ? LIMITS.waitForMoreMessages.value : 0;
    const delivered: Delivered<Message>[] = [];
    let handed: readonly Delivered<Message>[] | null = null;
    served.pulls += 1;
    try {
      const enough = options.onlyFirst ? 1 : limit;
      await this.gather(served, ref, { ...options, limit, enough }, milliseconds + whileWaiting, delivered);
      handed = this.hand(served, delivered, milliseconds, options.signal);
      return handed;
    } catch (error) {
      served.takeBack(leasesOf(delivered));
      if (error instanceof DomainError && error.code === 'NOT_SERVED') return null;
      throw error;
    } finally {
      served.pulls -= 1;
      if (!handed?.length) options.source.dropped?.();
    }
  }

  /** Adds delivered messages. Leases of the first ones last until the others are there. */
  private async gather<Message extends Candidate>(
    served: ServedSubscription,
    ref: FoundSubscription['ref'],
    options: DeliveryOptions<Message> & Readonly<{ enough: number }>,
    milliseconds: number,
    delivered: Delivered<Message>[],
  ): Promise<void> {
    const { source, limit, enough, wait, holder, signal, since = performance.now(), requireThere } = options;
    const { waitForFirstMessage, waitForMoreMessages, dataPerPull } = LIMITS;
    const { maxBytes = dataPerPull.value } = options;
    const taking = { served, topicId: ref.topicId ?? '', source, milliseconds, holder };
    let deadline = wait ? since + waitForFirstMessage.value : 0;
    for (;;) {
      const taken = await this.takeInTurn({
        ...taking,
        limit: limit - delivered.length,
        left: maxBytes - bytesOf(delivered),
      });
      if (delivered.length === 0 && taken.delivered.length > 0)
        deadline = Math.min(deadline, performance.now() + waitForMoreMessages.value);
      delivered.push(...taken.delivered);
      const isOver = this.isOver(served, signal);
      if (!isOver && taken.more === 'none' && delivered.length === 0 && (await source.reserve?.())) continue;
      if (isOver || taken.more === 'none' || delivered.length >= enough || performance.now() >= deadline) return;
      const count = delivered.length;
      if (taken.more === 'later' && !(await mayBeMore(await wakeOf(served, options, count, deadline), ref, count, requireThere))) return;
    }
  }

  /** Called by Nest when the server ends, before it waits for open requests: ends all waiting for messages. */
  onModuleDestroy(): void {
    this.closed = true;
  }

  private isOver({ ended }: ServedSubscription, signal: AbortSignal): boolean {
    return this.closed || signal.aborted || ended.aborted;
  }

  /** Deliveries whose lease has ended meanwhile are left out; the attempt does not count. `milliseconds`: duration of the other leases from now on. */
  private hand<Message extends Candidate>(
    served: ServedSubscription,
    delivered: readonly Delivered<Message>[],
    milliseconds: number,
    signal: AbortSignal,
  ): readonly Delivered<Message>[] | null {
    if (signal.aborted || served.ended.aborted) {
      served.takeBack(leasesOf(delivered));
      return null;
    }
    const now = performance.now();
    const isLeased = (one: Delivered<Message>): boolean => served.leases.isLeased(leaseOf(one), now);
    const leased = delivered.filter(isLeased);
    if (leased.length < delivered.length) served.takeBack(leasesOf(delivered.filter((one) => !isLeased(one))));
    served.leases.extend(leasesOf(leased), now, milliseconds);
    served.count(leased.length, bytesOf(leased));
    served.schedule();
    this.telemetry.messagesPulled.inc(leased.length);
    return leased;
  }

  private takeInTurn<Message extends Candidate>(taking: Taking<Message>): Promise<Taken<Message>> {
    const { served } = taking;
    return this.turns.within(served.by.subscription.subscriptionId, async () => {
      await served.endDue();
      const delivered: Delivered<Message>[] = [];
      try {
        return { delivered, more: await this.take(taking, delivered) };
      } catch (error) {
        served.takeBack(leasesOf(delivered));
        throw error;
      } finally {
        served.awaited.offer();
      }
    });
  }

  private async take<Message extends Candidate>(taking: Taking<Message>, delivered: Delivered<Message>[]): Promise<Taken<Message>['more']> {
    const { served, limit, milliseconds, holder } = taking;
    const until = performance.now() + LOOKING_MS;
    let { left } = taking;
    const read = new Map<number, Message>();
    while (delivered.length < limit && !served.ended.aborted) {
      const leased = served.leases.lease(limit - delivered.length, performance.now(), milliseconds, holder);
      if (leased.length === 0) {
        const more = performance.now() > until ? null : await this.comeUp(taking, { limit: limit - delivered.length, left }, read);
        if (more !== 'at once') return more ?? 'at once'; // messages that were just read can be leased, even after `until`
        continue;
      }
      const alive = served.deadLetters.alive(leased);
      const { found, isWhole } = await readLeased(taking, alive, left, read);
      delivered.push(...found);
      left -= bytesOf(found);
      if (!isWhole || left <= 0) return 'none';
    }
    return 'later';
  }

  /** Makes the next messages of the log available for leases. */
  private async comeUp<Message extends Candidate>(
    { served, topicId, source }: Taking<Message>,
    { limit, left }: Readonly<{ limit: number; left: number }>,
    read: Map<number, Message>,
  ): Promise<Taken<Message>['more']> {
    const { leases, options } = served;
    const most = Math.min(limit, served.room);
    if (most === 0) return 'later';
    const from = leases.next;
    const isEnd = await this.ends.isEnd(topicId, source.passed?.(topicId, from) ?? from);
    const slice = new TimeSlice();
    const page = isEnd ? [] : await source.page(topicId, from, most, left);
    if (slice.isOver) await slice.next();
    if (page === null) return 'none';
    const end = (page.at(-1)?.offset ?? from - 1) + 1;
    let next = source.passed?.(topicId, end) ?? end;
    if (page.length === 0 && !isEnd && !source.passed) {
      next = await this.offsets.endAfter(topicId, from);
      // The counters of the topic may include messages that came after the page was read.
      if (next > from && (await source.page(topicId, from, 1, left))?.length !== 0) return 'at once';
    }
    for (const message of page) read.set(message.offset, message);
    const isOrdered = options.enableMessageOrdering === true;
    const coming = page.map(
      ({ offset, orderingKey }): QueuedMessage => (isOrdered && orderingKey ? { offset, key: heldKey(orderingKey) } : { offset }),
    );
    served.pass(leases.comeUp(coming, next));
    return next > from ? 'at once' : 'later';
  }
}

/** A long key as a digest: only the number of held messages is limited. */
const heldKey = (orderingKey: string): string => (orderingKey.length < DIGEST_LENGTH ? orderingKey : sha256(orderingKey));

/** Waits for an event after a look for messages. Without any, the memory of what was read is returned before. */
const wakeOf = <Message>(
  { awaited }: ServedSubscription,
  { source, signal }: Pick<DeliveryOptions<Message>, 'source' | 'signal'>,
  delivered: number,
  deadline: number,
): Promise<WakeReason | undefined> => {
  if (delivered === 0) source.dropped?.();
  return awaited.wait(deadline - performance.now(), signal);
};

/**
 * Returns whether a call with this number of messages should look again.
 * @throws DomainError `NOT_SERVED`: the subscription or its topic was created anew; the errors of `requireThere`
 */
const mayBeMore = async (
  woken: WakeReason | undefined,
  { subscriptionId, topicId }: FoundSubscription['ref'],
  delivered: number,
  requireThere: DeliveryOptions<Candidate>['requireThere'],
): Promise<boolean> => {
  if (woken === 'ready') return true;
  if (delivered > 0) return woken === 'published'; // after a time-out they are delivered without another turn
  const now = await requireThere?.();
  if (now && (now.ref.subscriptionId !== subscriptionId || now.ref.topicId !== topicId)) throw new DomainError('NOT_SERVED');
  return woken !== 'over' || now !== undefined;
};

const leaseOf = ({ message: { offset }, attempt }: Delivered<Candidate>): Delivery => ({ offset, attempt });

const leasesOf = (delivered: readonly Delivered<Candidate>[]): readonly Delivery[] => delivered.map(leaseOf);

const bytesOf = (delivered: readonly Delivered<Candidate>[]): number => delivered.reduce((sum, { message }) => sum + message.bytes, 0);
