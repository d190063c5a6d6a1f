import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { failureText } from '#infra/platform/outgoing/http-sender.js';
import { type DeliverySending, deliveryOf, type PushMessage, sendDelivery } from './delivery.js';
import { type CycleOutcome, paceOf } from './pace.js';

/** A subscription whose messages are pushed. */
export type PushTarget = Readonly<{
  projectId: string;
  subscriptionId: string;
  push: PushConfiguration;
  /** Its messages are acknowledged individually. */
  leased?: true;
}>;

/** Messages for one delivery, at least one. `subscription`: its current full name, `projects/<project>/subscriptions/<name>`. */
export type PushBatch = Readonly<{
  subscription: string;
  messages: readonly PushMessage[];
  /** Start of their cycle, in milliseconds since 1970-01-01 UTC. */
  startedAt: number;
  /** To be called before they are sent: keeps them for the delivery. `false` if that is impossible, for example because the subscription was moved. */
  renew(): boolean;
  /** Records that they arrived. */
  acknowledge(): Promise<void>;
  /** Records that delivery failed: they are delivered again. */
  giveBack(): Promise<void>;
  /** Records that they were not sent: the attempt does not count. */
  takeBack(): void;
  /** Returns the memory of the messages; to be called once. */
  release(): void;
}>;

/** The messages of one subscription, for its worker. */
export interface PushFeed {
  /**
   * The next messages to deliver. Waits for some, and for memory for them. `null`: there are none, or no subscription with these settings exists
   * any more. @throws the reason of the signal when it ends the wait
   */
  next(signal: AbortSignal): Promise<PushBatch | null>;
}

type PushWorkerDependencies = DeliverySending &
  Readonly<{
    feed: PushFeed;
    /** Milliseconds since 1970-01-01 UTC. */
    now: () => number;
    /** Resolves after the given time. Rejects on the signal. */
    wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
    /** Receives the result of each cycle: a problem in the words of messaging contract 4.9 (`pushStatus`), or `null`. */
    report: (problem: string | null) => void;
    /** Smallest period, in milliseconds. */
    shortestPeriod?: number | undefined;
  }>;

/** Concurrent deliveries of a subscription with individual acknowledgement. Others have one, so that messages arrive in order. */
const LEASED_AT_A_TIME = 8;

/**
 * Pushes the messages of one subscription, batch by batch, at the pace of its push settings: take from the feed, send, acknowledge. Each
 * message arrives at least once. Messages refused by the endpoint are given back.
 */
export class PushWorker {
  /** Aborted when no new work may begin. */
  private readonly leave = new AbortController();
  /** Aborted when deliveries in flight are abandoned. */
  private readonly abandon = new AbortController();
  private readonly done: Promise<unknown>;

  /** Starts at once. */
  constructor(
    readonly target: PushTarget,
    private readonly dependencies: PushWorkerDependencies,
  ) {
    this.done = Promise.all(Array.from({ length: target.leased ? LEASED_AT_A_TIME : 1 }, () => this.run()));
  }

  /**
   * Resolves when nothing is in flight. A delivery may take `grace` milliseconds more. Then it is aborted, and the next worker delivers its
   * messages again.
   */
  async stop(grace: number): Promise<void> {
    this.leave.abort();
    if (grace === 0) this.abandon.abort();
    const timer = setTimeout(() => this.abandon.abort(), grace);
    await this.done;
    clearTimeout(timer);
  }

  private async run(): Promise<void> {
    const { wait, shortestPeriod } = this.dependencies;
    const { signal } = this.leave;
    const pace = paceOf(this.target.push.retryPolicy, shortestPeriod);
    try {
      await wait(pace.first, signal);
      while (!signal.aborted) {
        const { outcome, took } = await this.cycle();
        await wait(pace.after(outcome, took), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async cycle(): Promise<Readonly<{ outcome: CycleOutcome; took: number }>> {
    const { feed, now, report } = this.dependencies;
    const began = now();
    try {
      const batch = await feed.next(this.leave.signal);
      if (batch) return { outcome: await this.deliver(batch), took: now() - batch.startedAt };
      if (!this.target.leased) report(null); // of leased messages, some may wait for another attempt
      return { outcome: 'idle', took: 0 };
    } catch (error) {
      this.problem('consume', error, this.leave.signal);
      return { outcome: 'interrupted', took: now() - began };
    }
  }

  private async deliver(batch: PushBatch): Promise<CycleOutcome> {
    const { target, dependencies } = this;
    let step = 'begin to send';
    try {
      if (target.leased) this.leave.signal.throwIfAborted(); // others have counted the delivery
      if (!batch.renew()) throw new Error('the lease has ended');
      step = 'send';
      const delivery = deliveryOf(target.push, batch.subscription, batch.messages);
      await sendDelivery(delivery, dependencies, this.abandon.signal, target.projectId);
      step = 'acknowledge';
      await batch.acknowledge();
      dependencies.report(null);
      return 'delivered';
    } catch (error) {
      this.problem(step, error, step === 'begin to send' ? this.leave.signal : this.abandon.signal);
      if (step === 'begin to send') batch.takeBack();
      else if (step === 'send') await batch.giveBack().catch((failure: unknown) => this.problem('give back', failure, this.abandon.signal));
      return step === 'send' ? 'failed' : 'interrupted';
    } finally {
      batch.release();
    }
  }

  /** @param over aborted if the step was given up */
  private problem(step: string, error: unknown, over: AbortSignal): void {
    const { now, report } = this.dependencies;
    if (over.aborted) return;
    report(`${new Date(now()).toISOString().slice(0, 19)} - Could not ${step} message, ${failureText(error)}`);
  }
}
