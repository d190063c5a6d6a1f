import { type EventBatch, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import { backOff } from '#infra/coordination/back-off.js';
import { nextTurn } from '#infra/coordination/next-turn.js';
import { type Categories, parseFilter, passesCategory } from '#infra/event-store/category-filter.js';
import { DamagedLog } from '#infra/event-store/embedded/storage/damaged-log.js';
import type { Page } from './reading.js';

/** Wakes whoever waits for the log to grow or for the store to close. */
export class GrowthSignal {
  /** How to wake each, and what it waits for: nothing stands for anything. */
  private readonly waiting = new Map<() => void, Categories | undefined>();
  /** Categories that have grown in this event turn. */
  private readonly grown = new Set<string>();
  private pending: NodeJS.Immediate | undefined;

  /** Rings once for all that happens in this event turn: appends committed together are handed over together. */
  notifySoon(category: string): void {
    this.grown.add(category);
    this.pending ??= setImmediate(() => this.notifyGrown());
  }

  /** For everybody. */
  notify(): void {
    clearImmediate(this.pending);
    this.pending = undefined;
    this.grown.clear();
    const woken = [...this.waiting.keys()];
    for (const wake of woken) wake();
  }

  /** Until the next ring that concerns the filter, the abort or, when given, so many milliseconds have passed. */
  wait(signal: AbortSignal, filter?: Categories, atMostMs?: number): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = atMostMs === undefined ? undefined : setTimeout(() => done(), atMostMs).unref();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiting.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done);
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
export type SubscriptionSource = Readonly<{
  growth: GrowthSignal;
  isClosed(): boolean;
  /** Position of the newest event in the log. @throws EventStoreUnavailable */
  head(): number;
  /** The same as far as it is known without a look at the log. Whatever moves it rings the growth. */
  knownHead(): number;
  /** @throws EventStoreUnavailable */
  page(after: number, filter: Categories | undefined, limit: number): Page;
}>;

const DEFAULT_BATCH_EVENTS = 500;
const pauseMs = backOff(100, 5_000);

/**
 * See `EventStore.subscribeAll`. Live, it also hands over empty batches whose position moved on, so that a reader of some categories
 * knows how far it has come: soon, but not at once. Ends without an error when the store closes. @throws DamagedLog waiting would not mend it
 */
export async function* subscribe(source: SubscriptionSource, options: SubscribeOptions): AsyncGenerator<EventBatch> {
  const filter = parseFilter(options.categories);
  const ended = (): boolean => options.signal.aborted || source.isClosed();
  let position = Number(options.after);
  let target: number | undefined;
  let caughtUp = false;
  let failures = 0;
  while (!ended()) {
    if (caughtUp && source.knownHead() <= position) {
      await source.growth.wait(options.signal, filter);
      continue;
    }
    let page: Page;
    try {
      target ??= source.head();
      page = source.page(position, filter, options.maxBatch ?? DEFAULT_BATCH_EVENTS);
      failures = 0;
    } catch (error) {
      if (error instanceof DamagedLog || !(error instanceof EventStoreUnavailable)) throw error;
      failures += 1;
      await source.growth.wait(options.signal, undefined, pauseMs(failures));
      continue;
    }
    if (!caughtUp) await nextTurn(); // reading is synchronous: a long history must not keep others from their turn
    position = page.position;
    caughtUp ||= position >= target;
    yield { events: page.events, position: BigInt(position), caughtUp };
  }
}
