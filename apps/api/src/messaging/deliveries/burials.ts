import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '#domain/messaging/deliveries/held.js';
import type { Leases } from '#domain/messaging/deliveries/leases.js';
import type { SubscriptionOptions } from '#domain/messaging/resources/subscription-options.js';
import type { Server } from './delivery-gateway.js';

/** What became of a message whose attempts are used up. `impossible`: the dead letter topic is gone. */
export type Burial = 'buried' | 'expired' | 'impossible';

/** A subscription whose messages may have attempts that are used up. `seeks`: how often a call has moved it. */
export type Dying = Readonly<{ by: Server; options: SubscriptionOptions; seeks: number }>;

/** Between a failure and the next try. */
const PAUSE_MS = 1_000;

/** Sends a message to the dead letter topic, once, however often it is asked to. */
export type Bury = (from: Dying, delivery: Delivery) => Promise<Burial>;

/** What is done with its messages. */
export interface Served extends Dying {
  readonly leases: Leases;
  readonly ended: AbortSignal;
  /** Settles a message that is in the dead letter topic, or that has expired. */
  bury(delivery: Delivery, deadLettered: boolean): Promise<void>;
  /** To be called after every change. */
  changed(): void;
}

/**
 * The messages of one subscription whose attempts are used up, on their way to the dead letter topic one after the other. Where that cannot be, they are
 * delivered on, and tried again after the next attempt.
 */
export class Burials {
  private readonly dead: Delivery[] = [];
  private isBusy = false;
  private impossible = false;

  constructor(
    private readonly served: Served,
    private readonly bury: Bury,
    private readonly log: Readonly<{ warn(fields: object, message: string): void }>,
  ) {}

  /** Whether messages stay although their attempts are used up: the dead letter topic is gone. */
  get areImpossible(): boolean {
    return this.impossible;
  }

  get isIdle(): boolean {
    return !this.isBusy && this.dead.length === 0;
  }

  /** Takes those of the deliveries that were the last ones of their messages; leaves the others. */
  without(returned: readonly Delivery[]): readonly Delivery[] {
    const { most } = this;
    const last = returned.filter(({ attempt }) => attempt >= most);
    if (last.length === 0) return returned;
    this.begin(last);
    return returned.filter(({ attempt }) => attempt < most);
  }

  /** The deliveries that are to be handed out: the attempts of others were used up before, by a process that is gone. */
  alive(deliveries: readonly Delivery[]): readonly Delivery[] {
    const { most } = this;
    const dead = this.impossible ? [] : deliveries.filter(({ attempt }) => attempt > most);
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
    for (const delivery of dead) this.dead.push(delivery);
    if (!this.isBusy) void this.buryAll();
  }

  private async buryAll(): Promise<void> {
    this.isBusy = true;
    const { served } = this;
    for (let delivery = this.dead.shift(); delivery && !served.ended.aborted; delivery = this.dead.shift()) {
      try {
        const burial = await this.bury(served, delivery);
        this.impossible = burial === 'impossible';
        if (this.impossible) served.leases.comeBack(delivery, performance.now());
        else await served.bury(delivery, burial === 'buried');
      } catch (error) {
        const { subscriptionId } = served.by.subscription;
        this.log.warn({ err: error, subscriptionId }, 'a message could not be sent to its dead letter topic');
        await sleep(PAUSE_MS, undefined, { signal: served.ended }).catch(() => undefined);
        served.leases.comeBack(delivery, performance.now());
      }
      served.changed();
    }
    this.isBusy = false;
  }
}
