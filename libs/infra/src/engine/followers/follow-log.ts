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
import { isOutage } from '#infra/platform/program/outage.js';

/** A follower of the log and its callbacks. */
type LogFollower = Readonly<{
  events: Pick<EventStore, 'subscribeAll' | 'onInterruption'>;
  /** Filter and batch size. Default: all events, in batches of the store's default size. */
  subscription?: Pick<SubscribeOptions, 'categories' | 'maxBatch'>;
  /** Failures after which the log may be another one. Default: all. */
  interruptedBy?: InterruptedCalls;
  /** Default: pauses from 100 ms to 5 s. */
  pauseMs?: BackOff;
  /**
   * Ensures that state kept from the log belongs to this log, and returns where to continue. Called at the start, after a failure, and when
   * the log may have been replaced. The signal is aborted as soon as nothing more is taken.
   */
  begin(signal: AbortSignal): Promise<Continuation>;
  /** Called with the error before a pause, and the number of consecutive failures. */
  trouble(error: unknown, failures: number): void;
}>;

export type Continuation = Readonly<{
  /** Position up to which everything is done. */
  after: Position;
  /** Processes the following events, batch by batch, in log order. */
  take(batch: EventBatch): Promise<void> | void;
}>;

export type Following = Readonly<{
  /** Resolves when the current batch is processed. Safe to call twice, and from `take`, which must not await it. */
  stop(): Promise<void>;
}>;

const PAUSE_MS = backOff(100, 5_000);

/** Follows the log until it is stopped. After each failure it waits, and continues where `begin` says. */
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
