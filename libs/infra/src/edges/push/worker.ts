import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import type { Cause } from '#domain/shared/causation.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ChangeCounter } from './change-counter.js';
import { type DeliverySending, deliveryOf, type PushMessage, sendDelivery } from './delivery.js';
import type { CycleOutcome, PushPace } from './pace.js';
import { problemText, StoppableWorker } from './stoppable-worker.js';

/** A subscription whose messages are pushed. */
export type PushTarget = Readonly<{
  projectId: string;
  subscriptionId: string;
  push: PushConfiguration;
  /** Its messages are acknowledged individually. */
  leased?: true;
}>;

/** Messages of a topic that were pulled together. A filter may have passed over others between the two offsets. */
export type PushedRange = Readonly<{ topicId: string; from: number; lastOffset: number; count: number }>;

/**
 * Messages from the cursor of a subscription on, at least one. `subscription`: its current full name,
 * `projects/<project>/subscriptions/<name>`. Acknowledging `lastOffset` acknowledges all of them. `cause`: the event of the first.
 */
export type PushBatch = PushedRange &
  Readonly<{
    subscription: string;
    messages: readonly PushMessage[];
    cause: Cause;
    /** Returns the memory of the messages; to be called once. */
    release(): void;
  }>;

/** Source of the messages. It waits until there is memory for them. @throws the reason of the signal when it ends the wait */
export interface PushSource {
  /**
   * Pulls the next messages, which then count as delivered. `null`: there are none, or no subscription with these settings exists any more.
   */
  pull(target: PushTarget, signal: AbortSignal): Promise<PushBatch | null>;
  /** Reads the same messages without counting them again. `null`: the subscription's cursor has moved, or its settings have changed. */
  again(target: PushTarget, range: PushedRange, signal: AbortSignal): Promise<PushBatch | null>;
  acknowledge(target: PushTarget, batch: PushBatch): Promise<void>;
}

export type PushWorkerDependencies = DeliverySending &
  Readonly<{
    source: PushSource;
    /** Announced when there may be new messages. */
    messageChanges: ChangeCounter;
    /** Decides when cycles start. */
    pace: PushPace;
    /** Milliseconds since 1970-01-01 UTC. */
    now: () => number;
    /** Resolves after the given time. Rejects on the signal. */
    wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
    /** Receives the result of each cycle: a problem in the words of messaging contract 4.9 (`pushStatus`), or `null`. */
    report: (problem: string | null) => void;
  }>;

/** Messages are resent for this long before they are pulled again, because every pull is an event. */
const PULL_AGAIN_AFTER_MS = 60_000;

/**
 * Pushes the messages of one subscription, batch by batch: pull, send, acknowledge. The next batch is pulled only after the last one was
 * acknowledged, so messages arrive in order, each at least once. Of a rejected batch only the offsets are kept: its messages are read again
 * for the next attempt, and pulled again once a minute at most. The next worker, for example after a restart, pulls it first.
 */
export class PushWorker extends StoppableWorker {
  protected readonly done: Promise<void>;
  /** The batch that is pulled but not acknowledged. */
  private open: Readonly<{ range: PushedRange; pulledAt: number }> | undefined;

  /** Starts at once. */
  constructor(
    readonly target: PushTarget,
    private readonly dependencies: PushWorkerDependencies,
  ) {
    super();
    this.done = this.run().catch((error: unknown) => {
      if (!this.leave.signal.aborted) throw error;
    });
  }

  private async run(): Promise<void> {
    const { messageChanges, now, wait, pace } = this.dependencies;
    const { signal } = this.leave;
    await wait(pace.first, signal);
    while (!signal.aborted) {
      const [seen, startedAt] = [messageChanges.count, now()];
      const outcome = await this.cycle();
      await wait(pace.after(outcome, now() - startedAt), signal);
      // Until something changes, another pull would find nothing.
      if (outcome !== 'idle') continue;
      await messageChanges.since(seen, signal);
      await new TimeSlice(0).next(); // a change wakes all workers at the same moment
    }
  }

  private async cycle(): Promise<CycleOutcome> {
    const { target } = this;
    const { source, now, report } = this.dependencies;
    let step = 'consume';
    let batch: PushBatch | null = null;
    try {
      batch = await this.next();
      if (batch) {
        await new TimeSlice(0).next(); // one commit records the pulls of many workers
        step = 'send';
        await sendDelivery(
          deliveryOf(target.push, batch.subscription, batch.messages),
          this.dependencies,
          this.abandon.signal,
          target.projectId,
        );
        step = 'acknowledge';
        await source.acknowledge(target, batch);
        this.open = undefined;
      }
      report(null);
      return batch ? 'delivered' : 'idle';
    } catch (error) {
      const isGivenUp = step === 'consume' ? this.leave.signal.aborted : this.abandon.signal.aborted;
      if (!isGivenUp) report(problemText(now(), step, error));
      return step === 'send' ? 'failed' : 'interrupted';
    } finally {
      batch?.release();
    }
  }

  /** Returns the batch to send now. */
  private async next(): Promise<PushBatch | null> {
    const { source, now } = this.dependencies;
    const { signal } = this.leave;
    if (this.open && now() - this.open.pulledAt < PULL_AGAIN_AFTER_MS) {
      const again = await source.again(this.target, this.open.range, signal);
      if (again) return again;
    }
    this.open = undefined;
    const batch = await source.pull(this.target, signal);
    if (!batch) return null;
    const { topicId, from, lastOffset, count } = batch;
    this.open = { range: { topicId, from, lastOffset, count }, pulledAt: now() };
    return batch;
  }
}
