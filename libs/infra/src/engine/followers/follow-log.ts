import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventBatch,
  type EventStore,
  EventStoreUnavailable,
  type InterruptedCalls,
  type SubscribeOptions,
} from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { type BackOff, backOff } from '#infra/platform/coordination/back-off.js';
import { isOutage } from '#infra/platform/coordination/outage.js';

/** A follower of the log, and its callbacks. */
type LogFollower = Readonly<{
  events: Pick<EventStore, 'subscribeAll' | 'onInterruption'>;
  /** Which events, and how many at a time. Default: all, by the default of the store. */
  subscription?: Pick<SubscribeOptions, 'categories' | 'rare' | 'maxBatch'>;
  /** After which failures the log may be another one. Default: all. */
  interruptedBy?: InterruptedCalls;
  /** Default: pauses from 100 ms to 5 s. */
  pauseMs?: BackOff;
  /**
   * Makes sure that what was kept of the log comes from this one, and tells how to go on. Called at the start, after a failure, and when the log may have
   * been replaced. The signal is aborted as soon as nothing more is taken.
   */
  begin(signal: AbortSignal): Promise<Continuation>;
  /** Told why it does not go on before a pause, and how often that was in a row. */
  trouble(error: unknown, failures: number): void;
}>;

export type Continuation = Readonly<{
  /** The position up to which everything is done. */
  after: Position;
  /** Takes the events that follow, batch by batch, in log order. */
  take(batch: EventBatch): Promise<void> | void;
}>;

export type Following = Readonly<{
  /** Resolves when the batch under way is taken. Safe to call twice, and by `take`, which must not wait for it. */
  stop(): Promise<void>;
}>;

const PAUSE_MS = backOff(100, 5_000);

/** Follows the log until it is stopped: one failure after another is waited out, and after each it goes on from where `begin` says. */
export const followLog = (follower: LogFollower): Following => {
  const ending = new AbortController();
  const ended = followUntil(follower, ending.signal);
  return {
    stop: () => {
      ending.abort();
      return ended;
    },
  };
};

const followUntil = async (follower: LogFollower, ending: AbortSignal): Promise<void> => {
  const { events, interruptedBy, pauseMs = PAUSE_MS, trouble } = follower;
  let failures = 0;
  while (!ending.aborted) {
    const over = new AbortController();
    let isInterrupted = false;
    const release = events.onInterruption(() => {
      isInterrupted = true;
      over.abort();
    }, interruptedBy);
    try {
      await followOnce(follower, AbortSignal.any([ending, over.signal]), () => {
        failures = 0;
      });
    } catch (error) {
      over.abort();
      if (ending.aborted || (isInterrupted && !isOutage(error))) continue;
      failures += 1;
      trouble(error, failures);
      await sleep(pauseMs(failures), undefined, { signal: ending }).catch(() => undefined);
    } finally {
      release();
    }
  }
};

/** Returns when the signal is aborted. */
const followOnce = async ({ events, subscription, begin }: LogFollower, signal: AbortSignal, taken: () => void): Promise<void> => {
  const { after, take } = await begin(signal);
  for await (const batch of events.subscribeAll({ ...subscription, after, signal })) {
    if (signal.aborted) return;
    await take(batch);
    taken();
  }
  if (!signal.aborted) throw new EventStoreUnavailable('the log was closed');
};
