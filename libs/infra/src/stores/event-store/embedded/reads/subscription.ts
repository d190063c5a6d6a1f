import { DamagedLog } from '#domain/shared/damaged-log.js';
import { type EventBatch, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { type Categories, parseFilter, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { LogPage } from './reading.js';

/** Wakes subscriptions that wait for the log to grow or for the store to close. */
export class GrowthSignal {
  /** Callbacks with the categories that they wait for; `undefined` means any category. */
  private readonly waiting = new Map<() => void, Categories | undefined>();
  /** Categories that have grown in this turn of the event loop. */
  private readonly grown = new Set<string>();
  private pending: NodeJS.Immediate | undefined;

  /** Notifies once per turn of the event loop, so that appends committed together are delivered together. */
  notifySoon(category: string): void {
    this.grown.add(category);
    this.pending ??= setImmediate(() => this.notifyGrown());
  }

  /** Wakes all waiting subscriptions. */
  notify(): void {
    clearImmediate(this.pending);
    this.pending = undefined;
    this.grown.clear();
    const woken = [...this.waiting.keys()];
    for (const wake of woken) wake();
  }

  /** Resolves on the next notification for the filter, or after `atMostMs`. */
  wait(filter?: Categories, atMostMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = atMostMs === undefined ? undefined : setTimeout(() => done(), atMostMs).unref();
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      this.waiting.set(done, filter);
    });
  }

  private notifyGrown(): void {
    this.pending = undefined;
    const grown = [...this.grown];
    this.grown.clear();
    for (const [wake, filter] of [...this.waiting]) {
      if (!filter || grown.some((category) => passesCategory(filter, category))) wake();
    }
  }
}

/** What a subscription needs of its store. */
type SubscriptionSource = Readonly<{
  /** Also notified when the subscription is aborted. */
  growth: GrowthSignal;
  isClosed(): boolean;
  /** Position of the newest event in the log. @throws EventStoreUnavailable */
  head(): number;
  /** Last known head, without reading the log. Every change of it notifies `growth`. */
  knownHead(): number;
  /** @throws EventStoreUnavailable */
  page(after: number, filter: Categories | undefined, limit: number): LogPage;
}>;

const DEFAULT_BATCH_EVENTS = 500;
const pauseMs = backOff(100, 5_000);

/**
 * See `EventStore.subscribeAll`. A live subscription also yields empty batches whose position has moved, so that a reader of some
 * categories learns its progress with a short delay. Ends without an error when the store closes.
 * @throws DamagedLog retrying would not help
 */
export async function* subscribe(source: SubscriptionSource, options: SubscribeOptions): AsyncGenerator<EventBatch> {
  const filter = parseFilter(options.categories);
  const ended = (): boolean => options.signal.aborted || source.isClosed();
  let position = Number(options.after);
  let target: number | undefined;
  let caughtUp = false;
  let failures = 0;
  let slice = new TimeSlice();
  while (!ended()) {
    if (caughtUp && source.knownHead() <= position) {
      await source.growth.wait(filter);
      slice = new TimeSlice();
      continue;
    }
    let page: LogPage;
    const limit = options.maxBatch ?? DEFAULT_BATCH_EVENTS;
    try {
      target ??= source.head();
      page = source.page(position, filter, limit);
      failures = 0;
    } catch (error) {
      if (error instanceof DamagedLog || !(error instanceof EventStoreUnavailable)) throw error;
      failures += 1;
      await source.growth.wait(undefined, pauseMs(failures));
      continue;
    }
    // Reads are synchronous: neither a long history nor an append of thousands of events may block the event loop.
    if (!caughtUp || (page.events.length >= limit && slice.isOver)) {
      await nextTurn();
      slice = new TimeSlice();
    }
    position = page.position;
    caughtUp ||= position >= target;
    yield { events: page.events, position: BigInt(position), caughtUp };
  }
}
