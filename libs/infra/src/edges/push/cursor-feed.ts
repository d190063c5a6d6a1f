import type { Cause } from '#domain/shared/causation.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { PushBatch, PushFeed, PushTarget } from './worker.js';

/** Messages of a topic that were pulled together. A filter may have passed over others between the two offsets. */
export type PushedRange = Readonly<{ topicId: string; from: number; lastOffset: number; count: number }>;

/** Messages from the cursor on. Acknowledging `lastOffset` acknowledges all of them. `cause`: the event of the first. */
export type PulledBatch = PushedRange & Pick<PushBatch, 'subscription' | 'messages' | 'release'> & Readonly<{ cause: Cause }>;

/** Waits for messages, after there were none: resolves when there may be some, or on the signal. */
export type MessageWait = (signal: AbortSignal) => Promise<unknown>;

/** Source of the messages. It waits until there is memory for them. @throws the reason of the signal when it ends the wait */
export interface CursorSource {
  /** Pulls the next messages, which then count as delivered. A wait if there are none; `null` for another look in the next cycle. */
  pull(target: PushTarget, signal: AbortSignal): Promise<PulledBatch | MessageWait | null>;
  /** Reads the same messages without counting them again. `null`: the subscription's cursor has moved, or its settings have changed. */
  again(target: PushTarget, range: PushedRange, signal: AbortSignal): Promise<PulledBatch | null>;
  acknowledge(target: PushTarget, batch: PulledBatch): Promise<void>;
}

/** Messages are resent for this long before they are pulled again, because every pull is an event. */
const PULL_AGAIN_AFTER_MS = 60_000;

/**
 * Messages in the order of a cursor: the next ones are pulled only after the last ones were acknowledged. Of rejected messages only the
 * offsets are kept: they are read again for the next attempt, and pulled again once a minute at most. The next worker, for example after a
 * restart, pulls them first.
 */
export class CursorFeed implements PushFeed {
  /** The messages that are pulled but not acknowledged. `until`: end of their resending, by the monotonic clock. */
  private open: Readonly<{ range: PushedRange; until: number }> | undefined;
  /** Set after a look that found no messages. */
  private more: MessageWait | undefined;

  /** @param now milliseconds since 1970-01-01 UTC */
  constructor(
    private readonly target: PushTarget,
    private readonly source: CursorSource,
    private readonly now: () => number,
  ) {}

  async next(signal: AbortSignal): Promise<PushBatch | null> {
    if (this.more) {
      await this.more(signal);
      signal.throwIfAborted();
      await new TimeSlice(0).next(); // a message may wake thousands of workers at the same moment
    }
    this.more = undefined;
    const startedAt = this.now();
    const batch = await this.pulled(signal);
    if (!batch) return null;
    await new TimeSlice(0).next(); // one commit records the pulls of many workers
    const { subscription, messages, release } = batch;
    return {
      ...{ subscription, messages, startedAt, release },
      renew: () => true,
      acknowledge: async () => {
        await this.source.acknowledge(this.target, batch);
        this.open = undefined;
      },
      giveBack: async () => undefined,
      takeBack: () => undefined,
    };
  }

  private async pulled(signal: AbortSignal): Promise<PulledBatch | null> {
    const { target, source } = this;
    if (this.open && performance.now() < this.open.until) {
      const again = await source.again(target, this.open.range, signal);
      if (again) return again;
    }
    this.open = undefined;
    const pulled = await source.pull(target, signal);
    if (typeof pulled === 'function') this.more = pulled;
    if (!pulled || typeof pulled === 'function') return null;
    const { topicId, from, lastOffset, count } = pulled;
    this.open = { range: { topicId, from, lastOffset, count }, until: performance.now() + PULL_AGAIN_AFTER_MS };
    return pulled;
  }
}
