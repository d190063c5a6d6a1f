import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { MOST_HELD } from './deliveries.js';
import { Heap } from './heap.js';
import {
  type Backoff,
  type Delivery,
  free,
  type HeldDelivery,
  MOST_OUT_OF_ORDER,
  type OutstandingCounter,
  type QueuedMessage,
} from './held-delivery.js';
import { addRange, dropBefore, endOfRangeAt, gapsBetween, pairsOf, type Ranges } from './ranges.js';

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
  /** Number of leased messages. */
  outstanding = 0;
  /** The offset from which the next messages are read. All messages before it have been queued. */
  next: number;
  private readonly oldest = new Heap<HeldDelivery>();
  /** Offsets that were acknowledged before an older one. */
  private readonly outOfOrder = new Heap<number>();

  constructor(
    { floor, settled, attempts }: LeasesStart,
    private readonly backoff: Backoff = () => 0,
  ) {
    this.next = floor;
    this.settled = [...settled];
    this.attempts = new Map(pairsOf(attempts));
    this.skipSettled();
  }

  /** The oldest unsettled offset. */
  get floor(): number {
    return this.first?.offset ?? this.next;
  }

  /** Time of the first lease of the oldest unsettled message. `undefined` if it has not been leased. */
  get oldestSince(): number | undefined {
    return this.first?.since;
  }

  /** Number of unsettled messages that have been queued. */
  get size(): number {
    return this.held.size;
  }

  /** The leased deliveries. */
  get deliveries(): readonly Delivery[] {
    return [...this.held.values()].filter(({ phase }) => phase === 'leased').map(deliveryOf);
  }

  /** How many messages from one offset to another (exclusive) are not settled. */
  waitingBetween(from: number, to: number): number {
    let waiting = 0;
    for (const offset of this.held.keys()) if (offset >= from && offset < to) waiting += 1;
    for (const [first, end] of gapsBetween(this.settled, Math.max(from, this.next), to)) waiting += end - first;
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
    this.ends.first((held, at) => held.phase === 'leased' && held.at === at && this.isCurrent(held));
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
      if (message.offset < this.next) continue;
      this.passTo(message.offset, passed);
      if (endOfRangeAt(this.settled, message.offset) === undefined) this.hold(message);
      this.next = message.offset + 1;
    }
    this.passTo(next, passed);
    this.skipSettled();
    return passed;
  }

  /** Leases the oldest ready messages, at most `limit`. */
  lease(limit: number, now: number, milliseconds: number, holder?: OutstandingCounter): readonly Delivery[] {
    this.promote(now);
    const leased: Delivery[] = [];
    while (leased.length < limit) {
      const held = this.ready.pop();
      if (!held) break;
      if (held.phase !== 'ready' || !this.isCurrent(held)) continue;
      held.since ??= now;
      held.holder = holder;
      holder?.took();
      this.outstanding += 1;
      this.until(held, now + milliseconds);
      leased.push(deliveryOf(held));
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

  /** Whether the lease of a delivery has not ended. */
  isLeased(delivery: Delivery, now: number): boolean {
    return this.current(delivery, now) !== undefined;
  }

  /** Withdraws leases of messages that were never delivered. The attempt does not count. */
  takeBack(deliveries: Iterable<Delivery>): void {
    for (const delivery of deliveries) {
      const held = this.find('leased', delivery);
      if (!held) continue;
      this.outstanding -= 1;
      free(held);
      this.makeReady(held);
    }
  }

  /** Whether the lease of a delivery was ended, but the record of it is not confirmed yet. */
  isEnding(delivery: Delivery): boolean {
    return this.find('ending', delivery) !== undefined;
  }

  /** Ends the lease of a delivery, so that its outcome can be recorded. `false`: it has already ended. */
  end(delivery: Delivery, now: number): boolean {
    const held = this.current(delivery, now);
    if (!held) return false;
    this.outstanding -= 1;
    held.phase = 'ending';
    return true;
  }

  /** Ends at most `limit` expired leases, so that their outcomes can be recorded. */
  endDue(now: number, limit: number): readonly Delivery[] {
    const ended: Delivery[] = [];
    for (let at = this.endsAt; at !== undefined && at <= now && ended.length < limit; at = this.endsAt) {
      const held = this.ends.pop();
      if (!held) break;
      this.outstanding -= 1;
      held.phase = 'ending';
      ended.push(deliveryOf(held));
    }
    return ended;
  }

  /** Restores the leases of ended deliveries, because nothing was recorded. */
  restore(deliveries: Iterable<Delivery>): void {
    for (const delivery of deliveries) {
      const held = this.find('ending', delivery);
      if (!held) continue;
      this.outstanding += 1;
      this.until(held, held.at);
    }
  }

  /** Applies a recorded settlement. */
  settle(offset: number): void {
    const held = this.held.get(offset);
    if (!held) return;
    if (held.phase === 'leased') this.outstanding -= 1;
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
    return this.oldest.first((held) => this.isCurrent(held));
  }

  private hold({ offset, key }: QueuedMessage): void {
    const attempts = this.attempts.get(offset) ?? 0;
    const held: HeldDelivery = { offset, key, attempts, phase: 'ready', at: 0, since: undefined, holder: undefined };
    this.held.set(offset, held);
    this.oldest.push(offset, held);
    const queue = key === undefined ? [] : getOrInsert(this.byKey, key, () => []);
    queue.push(held);
    if (queue.length > 1) held.phase = 'blocked';
    else this.ready.push(offset, held);
  }

  /** Settles unsettled messages before `to`, because they are filtered or expired. */
  private passTo(to: number, passed: Ranges): void {
    if (to <= this.next) return;
    for (const [first, end] of gapsBetween(this.settled, this.next, to)) addRange(passed, first, end);
    this.next = to;
  }

  private skipSettled(): void {
    this.next = endOfRangeAt(this.settled, this.next) ?? this.next;
    dropBefore(this.settled, this.next);
  }

  /** The message of a delivery, if it is in this phase of this attempt. */
  private find(phase: HeldDelivery['phase'], { offset, attempt }: Delivery): HeldDelivery | undefined {
    const held = this.held.get(offset);
    return held?.phase === phase && held.attempts + 1 === attempt ? held : undefined;
  }

  private current(delivery: Delivery, now: number): HeldDelivery | undefined {
    const held = this.find('leased', delivery);
    return held && held.at > now ? held : undefined;
  }

  private until(held: HeldDelivery, at: number): void {
    held.phase = 'leased';
    held.at = at;
    this.ends.push(at, held);
    if (this.ends.size <= 2 * this.outstanding + MOST_STALE) return;
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
    this.ready.first((held) => held.phase === 'ready' && this.isCurrent(held));
  }

  private isCurrent(held: HeldDelivery): boolean {
    return this.held.get(held.offset) === held;
  }
}

const deliveryOf = ({ offset, attempts }: HeldDelivery): Delivery => ({ offset, attempt: attempts + 1 });
