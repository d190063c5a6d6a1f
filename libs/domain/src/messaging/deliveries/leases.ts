import { MOST_HELD } from './deliveries.js';
import { Heap } from './heap.js';
import {
  type Backoff,
  type Delivery,
  free,
  type HeldDelivery,
  type Holder,
  MOST_OUT_OF_ORDER,
  type QueuedMessage,
} from './held-delivery.js';
import { addRange, dropBefore, endOfRangeAt, pairsOf, type Ranges, startAfter } from './ranges.js';

/** Heaps keep stale entries until they reach the top. A heap with more stale entries than this, besides the current ones, is rebuilt. */
const MOST_STALE = 1_000;

/** The recorded state from which the leases of a subscription start. */
type LeasesStart = Readonly<{ floor: number; settled: readonly number[]; attempts: readonly number[] }>;

/**
 * Current leases of a subscription's messages, in memory only, on the node that serves it. `now` is milliseconds on a monotonic clock and is always
 * passed in. Callers record outcomes (acknowledged, returned) before they report them here.
 */
export class Leases {
  private readonly held = new Map<number, HeldDelivery>();
  private readonly settled: Ranges;
  private readonly attempts: Map<number, number>;
  /** Queued messages by key, for each key with a held message. */
  private readonly byKey = new Map<string, HeldDelivery[]>();
  private ready = new Heap<HeldDelivery>();
  private waiting = new Heap<HeldDelivery>();
  private ends = new Heap<HeldDelivery>();
  private leased = 0;
  private nextOffset: number;
  private readonly oldest = new Heap<HeldDelivery>();
  /** Offsets that were acknowledged before an older one. */
  private readonly outOfOrder = new Heap<number>();

  constructor(
    { floor, settled, attempts }: LeasesStart,
    private readonly backoff: Backoff = () => 0,
  ) {
    this.nextOffset = floor;
    this.settled = [...settled];
    this.attempts = new Map(pairsOf(attempts));
    this.skipSettled();
  }

  /** The offset from which the next messages are read. All messages before it have been queued. */
  get next(): number {
    return this.nextOffset;
  }

  /** The oldest unsettled offset. */
  get floor(): number {
    return this.first?.offset ?? this.nextOffset;
  }

  /** Time of the first lease of the oldest unsettled message. `undefined` if it has not been leased. */
  get oldestSince(): number | undefined {
    return this.first?.since;
  }

  /** Number of unsettled messages that have been queued. */
  get size(): number {
    return this.held.size;
  }

  /** Number of leased messages. */
  get outstanding(): number {
    return this.leased;
  }

  /** The leased deliveries. */
  get deliveries(): readonly Delivery[] {
    return [...this.held.values()].flatMap(({ phase, offset, attempts }) => (phase === 'leased' ? { offset, attempt: attempts + 1 } : []));
  }

  /** How many messages from one offset to another (exclusive) are not settled. */
  waitingBetween(from: number, to: number): number {
    let waiting = 0;
    for (const offset of this.held.keys()) if (offset >= from && offset < to) waiting += 1;
    const start = Math.max(from, this.nextOffset);
    if (start >= to) return waiting;
    waiting += to - start;
    for (const [first, end] of pairsOf(this.settled)) waiting -= Math.max(0, Math.min(end, to) - Math.max(first, start));
    return waiting;
  }

  /** Number of messages that may still be queued. */
  get room(): number {
    const { floor, outOfOrder } = this;
    while ((outOfOrder.rank ?? floor) < floor) outOfOrder.pop();
    return Math.max(0, Math.min(MOST_HELD, MOST_OUT_OF_ORDER - outOfOrder.size) - this.held.size);
  }

  /** End of the earliest lease. `undefined` if there is none. */
  get endsAt(): number | undefined {
    for (let first = this.ends.first(); first && !this.isLease(first, this.ends.rank ?? 0); first = this.ends.first()) this.ends.pop();
    return this.ends.rank;
  }

  /** Time of the next redelivery. `undefined` if no returned message is waiting. */
  get againAt(): number | undefined {
    return this.waiting.rank;
  }

  /** Whether a message could be delivered without reading the log. */
  isReady(now: number): boolean {
    this.promote(now);
    return this.ready.size > 0;
  }

  /**
   * Queues messages in the order of the log. Messages before `next` that are not among them are settled.
   * @returns ranges that are settled without acknowledgement: filtered or expired messages
   */
  comeUp(messages: readonly QueuedMessage[], next: number): Ranges {
    const passed: Ranges = [];
    for (const message of messages) {
      if (message.offset < this.nextOffset) continue;
      this.passTo(message.offset, passed);
      if (endOfRangeAt(this.settled, message.offset) === undefined) this.hold(message);
      this.nextOffset = message.offset + 1;
    }
    this.passTo(next, passed);
    this.skipSettled();
    return passed;
  }

  /** Leases the oldest ready messages, at most `limit`. */
  lease(limit: number, now: number, milliseconds: number, holder?: Holder): readonly Delivery[] {
    this.promote(now);
    const leased: Delivery[] = [];
    while (leased.length < limit) {
      const held = this.ready.pop();
      if (!held) break;
      if (held.phase !== 'ready' || this.held.get(held.offset) !== held) continue;
      held.since ??= now;
      held.holder = holder;
      holder?.took();
      this.leased += 1;
      this.until(held, now + milliseconds);
      leased.push({ offset: held.offset, attempt: held.attempts + 1 });
    }
    return leased;
  }

  /** Sets the end of leases to `milliseconds` from now. Expired deliveries are skipped. */
  extend(deliveries: Iterable<Delivery>, now: number, milliseconds: number): void {
    for (const delivery of deliveries) {
      const held = this.current(delivery, now);
      if (held) this.until(held, now + milliseconds);
    }
  }

  /** Withdraws leases of messages that were never delivered. The attempt does not count. */
  takeBack(deliveries: Iterable<Delivery>): void {
    for (const { offset, attempt } of deliveries) {
      const held = this.held.get(offset);
      if (held?.phase !== 'leased' || held.attempts + 1 !== attempt) continue;
      this.leased -= 1;
      free(held);
      this.makeReady(held);
    }
  }

  /** Whether the lease of a delivery was ended, but the record of it is not confirmed yet. */
  isEnding({ offset, attempt }: Delivery): boolean {
    const held = this.held.get(offset);
    return held?.phase === 'ending' && held.attempts + 1 === attempt;
  }

  /** Ends the lease of a delivery, so that its outcome can be recorded. `false`: it has already ended. */
  end(delivery: Delivery, now: number): boolean {
    const held = this.current(delivery, now);
    if (!held) return false;
    this.leased -= 1;
    held.phase = 'ending';
    return true;
  }

  /** Ends at most `limit` expired leases, so that their outcomes can be recorded. */
  endDue(now: number, limit: number): readonly Delivery[] {
    const ended: Delivery[] = [];
    for (let at = this.endsAt; at !== undefined && at <= now && ended.length < limit; at = this.endsAt) {
      const held = this.ends.pop();
      if (!held) break;
      this.leased -= 1;
      held.phase = 'ending';
      ended.push({ offset: held.offset, attempt: held.attempts + 1 });
    }
    return ended;
  }

  /** Restores the leases of ended deliveries, because nothing was recorded. */
  restore(deliveries: Iterable<Delivery>): void {
    for (const { offset, attempt } of deliveries) {
      const held = this.held.get(offset);
      if (held?.phase !== 'ending' || held.attempts + 1 !== attempt) continue;
      this.leased += 1;
      this.until(held, held.at);
    }
  }

  /** Applies a recorded settlement. */
  settle(offset: number): void {
    const held = this.held.get(offset);
    if (!held) return;
    if (held.phase === 'leased') this.leased -= 1;
    free(held);
    this.held.delete(offset);
    this.attempts.delete(offset);
    this.outOfOrder.push(offset, offset);
    if (held.key === undefined) return;
    const queue = this.byKey.get(held.key);
    queue?.shift();
    const next = queue?.[0];
    if (next) this.makeReady(next);
    else this.byKey.delete(held.key);
  }

  /** Applies a recorded return of a message after an attempt. */
  comeBack({ offset, attempt }: Delivery, now: number): void {
    const held = this.held.get(offset);
    if (held?.phase !== 'ending') return;
    free(held);
    held.attempts = attempt;
    const pause = this.backoff(attempt);
    if (pause <= 0) this.makeReady(held);
    else {
      held.phase = 'waiting';
      held.at = now + pause;
      this.waiting.push(held.at, held);
    }
  }

  private get first(): HeldDelivery | undefined {
    for (;;) {
      const first = this.oldest.first();
      if (!first || this.held.get(first.offset) === first) return first;
      this.oldest.pop();
    }
  }

  private hold({ offset, key }: QueuedMessage): void {
    const held: HeldDelivery = {
      offset,
      key,
      attempts: this.attempts.get(offset) ?? 0,
      phase: 'ready',
      at: 0,
      since: undefined,
      holder: undefined,
    };
    this.held.set(offset, held);
    this.oldest.push(offset, held);
    const queue = key === undefined ? undefined : this.byKey.get(key);
    if (queue) {
      queue.push(held);
      held.phase = 'blocked';
      return;
    }
    if (key !== undefined) this.byKey.set(key, [held]);
    this.ready.push(offset, held);
  }

  /** Settles unsettled messages before `to`, because they are filtered or expired. */
  private passTo(to: number, passed: Ranges): void {
    for (let offset = this.nextOffset; offset < to; ) {
      const end = endOfRangeAt(this.settled, offset);
      const gapEnd = Math.min(to, startAfter(this.settled, offset));
      if (end === undefined) addRange(passed, offset, gapEnd);
      offset = end ?? gapEnd;
    }
    this.nextOffset = Math.max(this.nextOffset, to);
  }

  private skipSettled(): void {
    this.nextOffset = endOfRangeAt(this.settled, this.nextOffset) ?? this.nextOffset;
    dropBefore(this.settled, this.nextOffset);
  }

  private current({ offset, attempt }: Delivery, now: number): HeldDelivery | undefined {
    const held = this.held.get(offset);
    return held?.phase === 'leased' && held.attempts + 1 === attempt && held.at > now ? held : undefined;
  }

  private until(held: HeldDelivery, at: number): void {
    held.phase = 'leased';
    held.at = at;
    this.ends.push(at, held);
    if (this.ends.size <= 2 * this.leased + MOST_STALE) return;
    this.ends = new Heap();
    for (const one of this.held.values()) if (one.phase === 'leased') this.ends.push(one.at, one);
  }

  private makeReady(held: HeldDelivery): void {
    held.phase = 'ready';
    this.ready.push(held.offset, held);
  }

  private promote(now: number): void {
    for (let at = this.waiting.rank; at !== undefined && at <= now; at = this.waiting.rank) {
      const held = this.waiting.pop();
      if (held?.phase === 'waiting' && held.at === at) this.makeReady(held);
    }
    for (
      let first = this.ready.first();
      first && (first.phase !== 'ready' || this.held.get(first.offset) !== first);
      first = this.ready.first()
    )
      this.ready.pop();
  }

  private isLease(held: HeldDelivery, at: number): boolean {
    return held.phase === 'leased' && held.at === at && this.held.get(held.offset) === held;
  }
}
