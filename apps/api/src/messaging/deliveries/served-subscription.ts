import type { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import type { CursorProgress } from '#domain/messaging/deliveries/deliveries.js';
import type { WholeDeliveries } from '#domain/messaging/deliveries/delivery-events.js';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import { Leases } from '#domain/messaging/deliveries/leases.js';
import { addRanges, covers, type Ranges, rangesOf } from '#domain/messaging/deliveries/ranges.js';
import { rateOf } from '#domain/messaging/messages/messages.js';
import { backoffOf, type SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import type { Cause } from '#domain/shared/causation.js';
import { DomainError } from '#domain/shared/decider.js';
import { AppendOutcomeUnknown } from '#domain/shared/event-store.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { AwaitedMessages } from './awaited-messages.js';
import { DeadLetterQueue, type DeadLetterSource, type SendToDeadLetter } from './dead-letters/dead-letter-queue.js';
import type { DeliveryGateway, RecordedProgress, SubscriptionServer } from './delivery-gateway.js';
import type { HeldMessages } from './held-messages.js';

/** Pause between records of expired leases while nobody pulls, by their number from the last one that succeeded. */
const pauseMs = backOff(1_000, 30_000);
/** Pause between records that the subscription is used, if nothing else is recorded. */
const BETWEEN_USES_MS = 3_600_000;
/** Maximum number of leases ended by one record. */
const ENDED_AT_ONCE = 10_000;

/** Changes of deliveries, to be recorded. `deadLettered`: number of settled ones that went to the dead letter topic. */
type Change = Readonly<{ settled?: readonly Delivery[]; returned?: readonly Delivery[]; deadLettered?: number }>;

type ServingDependencies = Readonly<{
  gateway: Pick<DeliveryGateway, 'record' | 'now' | 'ownContext'>;
  arrivals: Pick<MessageArrivals, 'wait'>;
  /** Counts for all subscriptions of this process. */
  held: HeldMessages;
  sendToDeadLetter: SendToDeadLetter;
  /** Called with the number of leases that ended or were given back. */
  onReturned?: (count: number) => void;
  log: Readonly<{ warn(fields: object, message: string): void }>;
}>;

/** `late`: deliveries whose lease had ended. `readable`: whether reads show the record. */
type Concluded<Named> = Readonly<{ late: readonly Named[]; readable: boolean }>;

/**
 * The leases of one subscription on the node that serves it, and the record of its deliveries. Records are durable before a call is
 * answered. Leases are not recorded and end with this object.
 */
export class ServedSubscription implements DeadLetterSource {
  readonly leases: Leases;
  /** Messages that have used up their attempts. */
  readonly deadLetters: DeadLetterQueue;
  /** Number of calls that have moved the subscription. */
  readonly seeks: number;
  /** Callers that wait for messages. */
  readonly awaited: AwaitedMessages;
  /** Number of pulls under way, which may wait for memory. */
  pulls = 0;
  private handed: CursorProgress;
  /** Offsets that the filter passes over or that have expired, not recorded yet. */
  private passed: Ranges = [];
  private timer: NodeJS.Timeout | undefined;
  /** Last record of changes without a call, on the monotonic clock. */
  private sweptAt = Number.NEGATIVE_INFINITY;
  /** Records of changes without a call that failed since the last record. */
  private failures = 0;
  /** Last record that the subscription is used, on the monotonic clock. */
  private usedAt = Number.NEGATIVE_INFINITY;
  private readonly ending = new AbortController();
  /** Share of this subscription in the messages that `held` counts. */
  private counted = 0;
  /** Records in progress. */
  private recording: Promise<unknown> = Promise.resolve();

  constructor(
    readonly by: SubscriptionServer,
    { cursor, settled, attempts }: WholeDeliveries,
    readonly options: SubscriptionOptions,
    private readonly dependencies: ServingDependencies,
  ) {
    const { messages, bytes, lastPull, rate, seeks = 0 } = cursor;
    this.seeks = seeks;
    this.handed = { messages, bytes, lastPull, rate };
    this.deadLetters = new DeadLetterQueue(this, dependencies.sendToDeadLetter, dependencies.log);
    this.leases = new Leases({ floor: cursor.offset, settled, attempts }, backoffOf(options));
    this.awaited = new AwaitedMessages(this, dependencies.arrivals);
  }

  /** Number of messages ever delivered, including those not recorded yet. */
  get delivered(): number {
    return this.handed.messages;
  }

  /** Aborted when this process does not serve the subscription any more; all its leases are void then. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** Acknowledges deliveries. Resolves with those whose lease had ended, other than by an earlier call with the same `Idempotency-Key`. */
  async acknowledge<Named extends Delivery>(deliveries: readonly Named[], context: CommandContext): Promise<Concluded<Named>> {
    return this.conclude(deliveries, 'settled', context);
  }

  /** Gives deliveries back: their messages are delivered again after the back-off. Deliveries whose lease has ended are left out. */
  async giveBack(deliveries: readonly Delivery[], context: CommandContext): Promise<boolean> {
    return (await this.conclude(deliveries, 'returned', context)).readable;
  }

  /** Sets the end of leases, in seconds from now. */
  extend(deliveries: readonly Delivery[], seconds: number): void {
    this.leases.extend(deliveries, performance.now(), seconds * 1_000);
    this.schedule();
  }

  /** Moves the subscription; all leases end. @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
  async seek(offset: number, bounds: Readonly<{ min: number; max: number }>, context: CommandContext): Promise<boolean> {
    const returned = this.leases.deliveries.flatMap((delivery) => [delivery.offset, delivery.attempt]);
    const action = { type: 'SeekDeliveries', offset, ...bounds, returned, handed: this.handed } as const;
    try {
      const { shown } = await this.dependencies.gateway.record(this.by, action, context);
      this.abandon();
      return await shown;
    } catch (error) {
      // The subscription may have been moved, or another process serves it.
      if (error instanceof AppendOutcomeUnknown || (error instanceof DomainError && error.code === 'NOT_SERVED')) this.abandon();
      throw error;
    }
  }

  /** Takes leases back; the attempts do not count. */
  takeBack(deliveries: readonly Delivery[]): void {
    this.leases.takeBack(deliveries);
    this.changed();
  }

  /** Wakes one waiter if there is something for it, and schedules the next check of leases. */
  changed(): void {
    this.schedule(); // updates the count of held messages: there may be room again
    this.awaited.offer();
  }

  /** Counts delivered messages. */
  count(messages: number, bytes: number): void {
    const { handed } = this;
    const lastPull = this.dependencies.gateway.now();
    const rate = rateOf(messages, handed.lastPull, lastPull);
    this.handed = { messages: handed.messages + messages, bytes: handed.bytes + bytes, lastPull, rate };
    if (performance.now() - this.usedAt < BETWEEN_USES_MS) return;
    this.usedAt = performance.now();
    this.record({}, this.dependencies.gateway.ownContext()).catch((error: unknown) => this.later(error));
  }

  /** Settles deliveries of messages that have expired. */
  async expire(deliveries: readonly Delivery[]): Promise<void> {
    const { ended } = this.end(deliveries);
    if (ended.length > 0) await this.record({ settled: ended }, this.dependencies.gateway.ownContext());
  }

  /** Settles a message that has used up its attempts. `letter`: its event in the dead letter topic; `null`: it has expired. */
  async settleExhausted(delivery: Delivery, letter: Cause | null): Promise<void> {
    await this.record({ settled: [delivery], deadLettered: letter ? 1 : 0 }, this.dependencies.gateway.ownContext(letter));
  }

  /** Skips offsets that the subscription does not deliver. */
  pass(ranges: Ranges): void {
    addRanges(this.passed, ranges);
    this.schedule();
  }

  /** Records leases that have run out: their messages can be delivered again only after that. */
  async endDue(): Promise<void> {
    const returned = this.leases.endDue(performance.now(), ENDED_AT_ONCE);
    if (returned.length > 0) await this.record({ returned }, this.dependencies.gateway.ownContext());
  }

  /** Records changes of ended deliveries. @throws the errors of the stream processor: if nothing was recorded, the leases go on */
  record(change: Change, context: CommandContext): Promise<RecordedProgress> {
    const recorded = this.recordNow(change, context);
    this.recording = Promise.allSettled([this.recording, recorded]).then(() => undefined); // results would hold all earlier ones
    return recorded;
  }

  /** Number of messages that may be added. */
  get room(): number {
    return Math.min(this.leases.room, this.dependencies.held.room(this.by.subscription.projectId));
  }

  /** True if it can be dropped: no message is leased, being sent or in its back-off, and nobody pulls. */
  get isIdle(): boolean {
    return this.pulls === 0 && this.leases.outstanding === 0 && this.leases.againAt === undefined && this.deadLetters.isIdle;
  }

  /** Wakes waiters when a lease ends or a back-off is over. To be called after every change. */
  schedule(): void {
    clearTimeout(this.timer);
    const held = this.ended.aborted ? 0 : this.leases.size;
    this.dependencies.held.change(this.by.subscription.projectId, held - this.counted);
    this.counted = held;
    if (this.ended.aborted) return;
    const { endsAt = Number.POSITIVE_INFINITY, againAt = Number.POSITIVE_INFINITY } = this.leases;
    const toRecord = this.passed.length > 0 ? this.sweptAt : endsAt;
    const at = Math.min(againAt, Math.max(toRecord, this.sweptAt + pauseMs(this.failures + 1)));
    if (at === Number.POSITIVE_INFINITY) return;
    const milliseconds = Math.max(1, Math.ceil(at - performance.now()));
    this.timer = setTimeout(() => void this.due(), Math.min(milliseconds, LONGEST_TIMER_MS));
  }

  /** Ends for good. Resolves when no record is in progress. */
  async stop(): Promise<void> {
    this.abandon();
    await this.recording;
  }

  /**
   * Ends deliveries and records it. If another record ends one of them, it is awaited: if it fails they are leased as before.
   * @throws DomainError `NOT_SERVED`
   */
  private async conclude<Named extends Delivery>(
    deliveries: readonly Named[],
    as: 'settled' | 'returned',
    context: CommandContext,
  ): Promise<Concluded<Named>> {
    let awaited: Promise<unknown> | undefined;
    // Deliveries that are still ending then are recorded, and on their way to the dead letter topic.
    while (awaited !== this.recording && deliveries.some((delivery) => this.leases.isEnding(delivery))) {
      awaited = this.recording;
      await awaited;
      if (this.ended.aborted) throw new DomainError('NOT_SERVED');
    }
    const { ended, late } = this.end(deliveries);
    if (ended.length === 0 && !context.idempotency) return { late, readable: true };
    const { before, shown } = await this.record({ [as]: ended }, context);
    const isRepeated = ({ offset }: Delivery): boolean => before !== null && covers(before, offset, offset + 1);
    return { late: late.filter((delivery) => !isRepeated(delivery)), readable: await shown };
  }

  private end<Named extends Delivery>(deliveries: readonly Named[]): Readonly<{ ended: readonly Named[]; late: readonly Named[] }> {
    const now = performance.now();
    const [ended, late]: [Named[], Named[]] = [[], []];
    for (const delivery of deliveries) (this.leases.end(delivery, now) ? ended : late).push(delivery);
    return { ended, late };
  }

  private async recordNow({ settled = [], returned = [], deadLettered = 0 }: Change, context: CommandContext): Promise<RecordedProgress> {
    const { gateway, onReturned } = this.dependencies;
    const { passed, seeks } = this;
    this.passed = [];
    const ranges = rangesOf(settled.map(({ offset }) => offset));
    addRanges(ranges, passed);
    const counts = returned.flatMap(({ offset, attempt }) => [offset, attempt]);
    try {
      const action = { type: 'SettleDeliveries', settled: ranges, returned: counts, handed: this.handed, deadLettered, seeks } as const;
      const recorded = await gateway.record(this.by, action, context);
      this.failures = 0;
      if (recorded.before) {
        addRanges(this.passed, passed);
        this.leases.restore([...settled, ...returned]);
      } else this.recorded(settled, returned);
      if (returned.length > 0) onReturned?.(returned.length);
      return recorded;
    } catch (error) {
      addRanges(this.passed, passed);
      // The outcome is unknown, or another process records: the state in memory may be wrong.
      if (error instanceof AppendOutcomeUnknown || error instanceof DomainError) this.abandon();
      else this.leases.restore([...settled, ...returned]);
      throw error;
    } finally {
      this.changed();
    }
  }

  private recorded(settled: readonly Delivery[], returned: readonly Delivery[]): void {
    for (const { offset } of settled) this.leases.settle(offset);
    const now = performance.now();
    for (const delivery of this.deadLetters.without(returned)) this.leases.comeBack(delivery, now);
  }

  private async due(): Promise<void> {
    const now = performance.now();
    this.leases.isReady(now);
    try {
      if (this.passed.length > 0 || (this.leases.endsAt ?? now + 1) <= now) this.sweptAt = now;
      await this.endDue();
      if (this.passed.length > 0) await this.record({}, this.dependencies.gateway.ownContext());
    } catch (error) {
      this.failures += 1;
      this.later(error);
    }
    this.changed();
  }

  private later(error: unknown): void {
    const { subscriptionId } = this.by.subscription;
    if (isLogged(this.failures)) this.dependencies.log.warn({ err: error, subscriptionId }, 'what became of messages is recorded later');
  }

  private abandon(): void {
    this.ending.abort();
    this.changed();
  }
}
