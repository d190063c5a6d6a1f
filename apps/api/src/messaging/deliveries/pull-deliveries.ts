import { Injectable } from '@nestjs/common';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import { LIMITS } from '#api/messaging/limits.js';
import { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { Deliverable } from '#api/shared/messaging-client.js';
import type { Coming, Delivery } from '#domain/messaging/deliveries/held.js';
import { DomainError } from '#domain/shared/decider.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import type { ScatteredSource } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';

/** A message as deliveries need it: with its key where the subscription asks for order. */
export type Candidate = Deliverable & Readonly<{ orderingKey?: string }>;

/** A message that is leased to the caller. */
export type Delivered<Message> = Readonly<{ message: Message; attempt: number }>;

export type DeliveryOptions<Message> = Readonly<{
  source: ScatteredSource<Message>;
  limit: number;
  /** Whether to wait, as messaging contract 4.5 says. */
  wait: boolean;
  /** Does not wait for more once there are some. */
  onlyFirst?: boolean;
  /** Leases last so many milliseconds at least. */
  shortestLeaseMs?: number;
  signal: AbortSignal;
  /** When the call began, on the clock of the process. Default: now. */
  since?: number;
  /** Called where a pull was woken for nothing: throws if there is nothing to wait for any more. Default: nobody asks. */
  requireThere?: () => Promise<unknown>;
}>;

/** An acknowledgement within the same second is in time, whatever the deadline (messaging contract 4.6). */
const SHORTEST_LEASE_MS = 1_000;
/** How long one pull looks through messages that nobody wants. */
const LOOKING_MS = 500;

type Taking<Message extends Candidate> = Readonly<{
  served: ServedSubscription;
  topicId: string;
  source: ScatteredSource<Message>;
  limit: number;
  milliseconds: number;
}>;

type Awaiting = Readonly<{
  /** Changes of the subscription before the last look. */
  seen: number;
  timeoutMs: number;
  signal: AbortSignal;
  requireThere: (() => Promise<unknown>) | undefined;
}>;

/** What a look for messages found; `cut`: there may be more to find at once. */
type Taken<Message> = Readonly<{ delivered: Delivered<Message>[]; cut: boolean }>;

/** Leases messages to those who ask for some (messaging contract 7.1). */
@Injectable()
export class PullDeliveries {
  /** Messages of a subscription come up one page after the other. */
  private readonly turns = new Turnstile(1);

  private closed = false;

  constructor(
    private readonly arrivals: MessageArrivals,
    private readonly offsets: OffsetQueries,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Messages, the oldest first, each leased to the caller; `null` if the signal comes first, or if this process does not serve the subscription any more,
   * for example because it was moved.
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
    try {
      await this.gather(served, ref, { ...options, limit }, milliseconds + whileWaiting, delivered);
    } catch (error) {
      served.takeBack(leasesOf(delivered));
      if (error instanceof DomainError && error.code === 'NOT_SERVED') return null;
      throw error;
    }
    return this.hand(served, delivered, options.wait ? milliseconds : undefined, options.signal);
  }

  /** Adds what is delivered; the leases of the first messages last until the others are there. */
  private async gather<Message extends Candidate>(
    served: ServedSubscription,
    ref: FoundSubscription['ref'],
    { source, limit, wait, onlyFirst = false, signal, since = performance.now(), ...options }: DeliveryOptions<Message>,
    milliseconds: number,
    delivered: Delivered<Message>[],
  ): Promise<void> {
    const { waitForFirstMessage, waitForMoreMessages } = LIMITS;
    const taking = { served, topicId: ref.topicId ?? '', source, milliseconds };
    let deadline = since + waitForFirstMessage.value;
    for (;;) {
      const seen = served.changes.count;
      const taken = await this.takeInTurn({ ...taking, limit: limit - delivered.length });
      if (delivered.length === 0 && taken.delivered.length > 0)
        deadline = Math.min(deadline, performance.now() + waitForMoreMessages.value);
      delivered.push(...taken.delivered);
      const isEnough = delivered.length >= (onlyFirst ? 1 : limit) || !wait || performance.now() >= deadline;
      if (isEnough || this.closed || signal.aborted || served.ended.aborted) return;
      if (taken.cut) continue;
      const requireThere = delivered.length === 0 ? options.requireThere : undefined;
      await this.awaitMore(served, ref, { seen, timeoutMs: deadline - performance.now(), signal, requireThere });
    }
  }

  /** Called by Nest when the server ends, before it waits for requests under way: nobody waits for messages any more. */
  onModuleDestroy(): void {
    this.closed = true;
  }

  /** `milliseconds`: how long the leases last from now on; `undefined`: as they do. */
  private hand<Message extends Candidate>(
    served: ServedSubscription,
    delivered: readonly Delivered<Message>[],
    milliseconds: number | undefined,
    signal: AbortSignal,
  ): readonly Delivered<Message>[] | null {
    const leases = leasesOf(delivered);
    if (signal.aborted || served.ended.aborted) {
      served.takeBack(leases);
      return null;
    }
    if (milliseconds !== undefined) served.leases.extend(leases, performance.now(), milliseconds);
    served.count(
      delivered.length,
      delivered.reduce((sum, { message }) => sum + message.bytes, 0),
    );
    served.schedule();
    this.telemetry.messagesPulled.inc(delivered.length);
    return delivered;
  }

  /** Resolves when there may be more. @throws what `requireThere` throws */
  private async awaitMore(
    { leases, changes, ended, room }: ServedSubscription,
    ref: FoundSubscription['ref'],
    { seen, timeoutMs, signal, requireThere }: Awaiting,
  ): Promise<void> {
    const { topicId } = ref;
    if (topicId === null) return;
    const over = new AbortController();
    const either = AbortSignal.any([signal, ended, over.signal]);
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const changed = changes.since(seen, either).catch(() => undefined);
    // Where no more may come up, messages that are published change nothing.
    const after = room > 0 ? leases.next : Number.POSITIVE_INFINITY;
    await Promise.race([changed, this.arrivals.wait({ topicId, subscription: ref, after }, timeoutMs, either)]);
    clearTimeout(timer);
    over.abort();
    if (changes.count === seen) await requireThere?.();
  }

  private takeInTurn<Message extends Candidate>(taking: Taking<Message>): Promise<Taken<Message>> {
    const { served } = taking;
    return this.turns.within(served.by.subscription.subscriptionId, async () => {
      await served.endDue();
      const delivered: Delivered<Message>[] = [];
      try {
        return { delivered, cut: await this.take(taking, delivered) };
      } catch (error) {
        served.takeBack(leasesOf(delivered));
        throw error;
      }
    });
  }

  /** Whether there may be more to find at once. */
  private async take<Message extends Candidate>(taking: Taking<Message>, delivered: Delivered<Message>[]): Promise<boolean> {
    const { served, limit, milliseconds } = taking;
    const until = performance.now() + LOOKING_MS;
    const slice = new TimeSlice();
    let left = LIMITS.dataPerPull.value;
    const read = new Map<number, Message>();
    while (delivered.length < limit && left > 0 && !served.ended.aborted) {
      const leased = served.leases.lease(limit - delivered.length, performance.now(), milliseconds);
      if (leased.length === 0) {
        if (performance.now() > until) return true;
        if (!(await this.comeUp(taking, { limit: limit - delivered.length, left }, read))) return false;
        if (slice.isOver) await slice.next();
        continue;
      }
      const alive = served.burials.alive(leased);
      const found = await this.read(taking, alive, left, read).catch((error: unknown) => {
        served.leases.takeBack(alive);
        throw error;
      });
      delivered.push(...found);
      left -= found.reduce((sum, { message }) => sum + message.bytes, 0);
      if (found.length < alive.length) return false;
    }
    return false;
  }

  /** Takes up the next messages of the log. `false`: there are none, or there is no room for them. */
  private async comeUp<Message extends Candidate>(
    { served, topicId, source }: Taking<Message>,
    { limit, left }: Readonly<{ limit: number; left: number }>,
    read: Map<number, Message>,
  ): Promise<boolean> {
    const { leases, options } = served;
    const most = Math.min(limit, served.room);
    if (most === 0) return false;
    const from = leases.next;
    const page = await source.page(topicId, from, most, left);
    if (page === null) return false;
    const end = (page.at(-1)?.offset ?? from - 1) + 1;
    let next = source.passed?.(topicId, end) ?? end;
    if (page.length === 0 && !source.passed) {
      next = Math.max(from, await this.offsets.nextOffset(topicId));
      // The counters of the topic may include messages that came after the page was read.
      if (next > from && (await source.page(topicId, from, 1, left))?.length !== 0) return true;
    }
    for (const message of page) read.set(message.offset, message);
    const isOrdered = options.enableMessageOrdering === true;
    const coming = page.map(({ offset, orderingKey }): Coming => (isOrdered && orderingKey ? { offset, key: orderingKey } : { offset }));
    served.pass(leases.comeUp(coming, next));
    return next > from;
  }

  /** The messages of deliveries; those that have expired are settled, and those that were not read are given back. */
  private async read<Message extends Candidate>(
    { served, topicId, source }: Taking<Message>,
    leased: readonly Delivery[],
    most: number,
    known: Map<number, Message>,
  ): Promise<readonly Delivered<Message>[]> {
    const found: Delivered<Message>[] = [];
    const expired: Delivery[] = [];
    const slice = new TimeSlice();
    let [at, left] = [0, most];
    const next = () => (source.passed ? leased.slice(at, at + 1) : runAt(leased, at, known)); // a source that passes over some may end early
    for (let run = next(); run.length > 0 && left > 0; run = next()) {
      const [from, to] = [run[0]?.offset ?? 0, run.at(-1)?.offset ?? 0];
      const one = known.get(from);
      const page = one ? [one] : await source.page(topicId, from, to + 1 - from, left);
      if (page === null) break;
      known.delete(from);
      if (slice.isOver) await slice.next();
      const end = page.at(-1)?.offset ?? Number.POSITIVE_INFINITY;
      const looked = run.filter(({ offset }) => offset <= end);
      const messages = new Map(page.map((message) => [message.offset, message]));
      found.push(...deliveredOf(looked, messages));
      expired.push(...looked.filter(({ offset }) => !messages.has(offset)));
      left -= page.reduce((sum, { bytes }) => sum + bytes, 0); // of all that was read
      at += looked.length;
    }
    served.leases.takeBack(leased.slice(at));
    if (expired.length > 0) await served.expire(expired);
    return found;
  }
}

const leasesOf = (delivered: readonly Delivered<Candidate>[]): readonly Delivery[] =>
  delivered.map(({ message: { offset }, attempt }) => ({ offset, attempt }));

const deliveredOf = <Message>(deliveries: readonly Delivery[], messages: ReadonlyMap<number, Message>): readonly Delivered<Message>[] =>
  deliveries.flatMap(({ offset, attempt }) => {
    const message = messages.get(offset);
    return message ? { message, attempt } : [];
  });

/** Messages between two that are wanted: reading so many costs less than another look into the log. */
const MOST_BETWEEN = 16;
/** Messages that are read at once. */
const MOST_AT_ONCE = 1_000;

/** Deliveries of messages from a place on that are near each other, to be read at once; of what is known, a single one. */
const runAt = (leased: readonly Delivery[], at: number, known: ReadonlyMap<number, unknown>): readonly Delivery[] => {
  const first = leased[at];
  if (!first) return [];
  let end = at + 1;
  if (!known.has(first.offset))
    for (let last = first, next = leased[end]; next; next = leased[end]) {
      const isNear = next.offset - last.offset <= MOST_BETWEEN && next.offset - first.offset < MOST_AT_ONCE;
      if (!isNear || known.has(next.offset)) break;
      last = next;
      end += 1;
    }
  return leased.slice(at, end);
};
