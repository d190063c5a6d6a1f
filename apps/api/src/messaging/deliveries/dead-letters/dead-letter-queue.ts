import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '#domain/messaging/deliveries/held-delivery.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import type { Cause } from '#domain/shared/causation.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import type { SubscriptionServer } from '../delivery-gateway.js';

/**
 * Outcome for a message without attempts left: its dead letter, as the cause of others. `expired`: retention had removed it. `topic gone`: it stays in
 * the subscription.
 */
export type DeadLetterOutcome = Cause | 'expired' | 'topic gone';

/** A subscription with messages that have used up their attempts. `seeks`: number of calls that have moved the subscription. */
export type ExhaustedSubscription = Readonly<{ by: SubscriptionServer; options: SubscriptionOptions; seeks: number }>;

/** Pause between a failure and the next try. */
const pauseMs = backOff(1_000, 30_000);

/** Sends a message to the dead letter topic; repeated calls send it once. */
export type SendToDeadLetter = (from: ExhaustedSubscription, delivery: Delivery) => Promise<DeadLetterOutcome>;

export interface DeadLetterSource extends ExhaustedSubscription {
  readonly leases: Leases;
  readonly ended: AbortSignal;
  /** Settles a message that was sent to the dead letter topic or, without a `letter`, has expired. */
  settleExhausted(delivery: Delivery, letter: Cause | null): Promise<void>;
  /** To be called after every change. */
  changed(): void;
}

/**
 * Sends the messages of one subscription that have used up their attempts to its dead letter topic, one after another. If that topic is
 * gone, they are delivered again, and sending is tried again after the next attempt.
 */
export class DeadLetterQueue {
  private readonly exhausted: Delivery[] = [];
  private isBusy = false;
  private topicGone = false;
  /** Failures in a row. */
  private failures = 0;

  constructor(
    private readonly served: DeadLetterSource,
    private readonly send: SendToDeadLetter,
    private readonly log: Readonly<{ warn(fields: object, message: string): void }>,
  ) {}

  /** True if exhausted messages stay in the subscription because its dead letter topic is gone. */
  get areBlocked(): boolean {
    return this.topicGone;
  }

  get isIdle(): boolean {
    return !this.isBusy && this.exhausted.length === 0;
  }

  /** Queues the deliveries that were the last attempt of their message. Returns the others. */
  without(returned: readonly Delivery[]): readonly Delivery[] {
    const { most } = this;
    const last = returned.filter(({ attempt }) => attempt >= most);
    if (last.length === 0) return returned;
    this.begin(last);
    return returned.filter(({ attempt }) => attempt < most);
  }

  /** Deliveries that may be leased. Messages whose attempts an earlier process used up are queued. */
  alive(deliveries: readonly Delivery[]): readonly Delivery[] {
    const { most } = this;
    const dead = this.topicGone ? [] : deliveries.filter(({ attempt }) => attempt > most);
    if (dead.length === 0) return deliveries;
    const now = performance.now();
    this.begin(
      dead.filter((delivery) => this.served.leases.end(delivery, now)).map(({ offset, attempt }) => ({ offset, attempt: attempt - 1 })),
    );
    return deliveries.filter(({ attempt }) => attempt <= most);
  }

  private get most(): number {
    return this.served.options.deadLetterPolicy?.maxDeliveryAttempts ?? Number.POSITIVE_INFINITY;
  }

  private begin(dead: readonly Delivery[]): void {
    for (const delivery of dead) this.exhausted.push(delivery);
    if (!this.isBusy) void this.sendAll();
  }

  private async sendAll(): Promise<void> {
    this.isBusy = true;
    const { served } = this;
    for (let delivery = this.exhausted.shift(); delivery && !served.ended.aborted; delivery = this.exhausted.shift()) {
      try {
        const outcome = await this.send(served, delivery);
        this.topicGone = outcome === 'topic gone';
        if (outcome === 'topic gone') served.leases.comeBack(delivery, performance.now());
        else await served.settleExhausted(delivery, outcome === 'expired' ? null : outcome);
        this.failures = 0;
      } catch (error) {
        const { subscriptionId } = served.by.subscription;
        if (isLogged(++this.failures))
          this.log.warn({ err: error, subscriptionId }, 'a message could not be sent to its dead letter topic');
        await sleep(pauseMs(this.failures), undefined, { signal: served.ended }).catch(() => undefined);
        served.leases.comeBack(delivery, performance.now());
      }
      served.changed();
    }
    this.isBusy = false;
  }
}
