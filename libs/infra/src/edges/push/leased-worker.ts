import { deliveryOf, type PushMessage, sendDelivery } from './delivery.js';
import { type CycleOutcome, paceOf } from './pace.js';
import { problemText, StoppableWorker } from './stoppable-worker.js';
import type { PushTarget, PushWorkerDependencies } from './worker.js';

/** Messages leased to one delivery, at least one. */
export type LeasedBatch = Readonly<{
  subscription: string;
  messages: readonly PushMessage[];
  /** To be called before they are sent: makes their leases outlast the delivery. `false` if one has ended, for example because the subscription was moved. */
  renew(): boolean;
  /** Records that they arrived. */
  acknowledge(): Promise<void>;
  /** Records that delivery failed: they are delivered again after the back-off. */
  giveBack(): Promise<void>;
  /** Records that they were not sent: the attempts do not count. */
  takeBack(): void;
  /** Returns the memory of the messages; to be called once. */
  release(): void;
}>;

/** Source of messages that are acknowledged individually. */
export interface LeasedSource {
  /** Leases the next available messages; waits for some, and for memory for them. `null`: there are none, or no subscription with these settings exists any more. */
  lease(target: PushTarget, signal: AbortSignal): Promise<LeasedBatch | null>;
}

type LeasedWorkerDependencies = Pick<PushWorkerDependencies, 'sender' | 'now' | 'wait' | 'sent' | 'report'> &
  Readonly<{ source: LeasedSource /** Smallest period, in milliseconds. */; shortestPeriod?: number | undefined }>;

/** Concurrent deliveries per subscription. */
const AT_A_TIME = 8;

/**
 * Pushes the messages of one subscription with individual acknowledgement: several deliveries at a time, each at the pace of the push
 * settings. Messages refused by the endpoint are given back.
 */
export class LeasedPushWorker extends StoppableWorker {
  protected readonly done: Promise<unknown>;

  /** Starts at once. */
  constructor(
    readonly target: PushTarget,
    private readonly dependencies: LeasedWorkerDependencies,
  ) {
    super();
    this.done = Promise.all(Array.from({ length: AT_A_TIME }, () => this.run()));
  }

  private async run(): Promise<void> {
    const { now, wait, shortestPeriod } = this.dependencies;
    const { signal } = this.leave;
    const pace = paceOf(this.target.push.retryPolicy, shortestPeriod);
    try {
      await wait(pace.first, signal);
      while (!signal.aborted) {
        const batch = await this.next();
        const startedAt = now();
        const outcome = batch === undefined ? 'interrupted' : batch === null ? 'idle' : await this.deliver(batch);
        await wait(pace.after(outcome, now() - startedAt), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Returns `undefined` if the lease failed. */
  private async next(): Promise<LeasedBatch | null | undefined> {
    try {
      return await this.dependencies.source.lease(this.target, this.leave.signal);
    } catch (error) {
      this.problem('consume', error);
      return undefined;
    }
  }

  private async deliver(batch: LeasedBatch): Promise<CycleOutcome> {
    const { report } = this.dependencies;
    let step = 'begin to send';
    try {
      this.leave.signal.throwIfAborted();
      if (!batch.renew()) throw new Error('the lease has ended');
      step = 'send';
      const { subscription, messages } = batch;
      await sendDelivery(
        deliveryOf(this.target.push, subscription, messages),
        this.dependencies,
        this.abandon.signal,
        this.target.projectId,
      );
      step = 'acknowledge';
      await batch.acknowledge();
      report(null);
      return 'delivered';
    } catch (error) {
      this.problem(step, error);
      if (step === 'begin to send') batch.takeBack();
      else if (step === 'send') await batch.giveBack().catch((failure: unknown) => this.problem('give back', failure));
      return step === 'send' ? 'failed' : 'interrupted';
    } finally {
      batch.release();
    }
  }

  private problem(step: string, error: unknown): void {
    const { now, report } = this.dependencies;
    if (!this.leave.signal.aborted) report(problemText(now(), step, error));
  }
}
