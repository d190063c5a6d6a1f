import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBatch, SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { backOff } from '#infra/coordination/back-off.js';
import { parseFilter } from '#infra/event-store/category-filter.js';
import { serverFilter } from './categories.js';
import { UnreadableEvent } from './errors.js';
import { LiveFeed } from './live-feed.js';
import type { LogReads } from './log-reads.js';
import { subscribeRequest } from './messages/requests.js';

const DEFAULT_BATCH_EVENTS = 500;
const pauseMs = backOff(50, 500);

/**
 * Catches up in pages, which wait for the consumer without holding anything; then uses the server's subscription; after any end of that,
 * starts again. The position that was handed over last is the only state that survives, so nothing is lost or repeated.
 */
export class Subscription {
  private position: Position;
  private caughtUp = false;
  private failures = 0;

  constructor(
    readonly reads: LogReads,
    readonly options: SubscribeOptions,
    /** Aborted by the consumer, or when the store closes. */
    readonly signal: AbortSignal,
  ) {
    this.position = options.after;
  }

  /** @throws UnreadableEvent; every other failure is waited out */
  async *batches(): AsyncGenerator<EventBatch, void, void> {
    while (!this.signal.aborted) {
      let slow = false;
      try {
        yield* this.catchUp();
        slow = yield* this.live();
      } catch (error) {
        if (error instanceof UnreadableEvent) throw error;
      }
      if (!slow) await this.pause();
    }
  }

  private async *catchUp(): AsyncGenerator<EventBatch, void, void> {
    while (!this.signal.aborted) {
      const page = await this.page();
      const hasProgress = page.position > this.position || (page.caughtUp && !this.caughtUp);
      this.caughtUp ||= page.caughtUp;
      if (hasProgress) yield this.handOver(page);
      if (page.caughtUp) return;
    }
  }

  /** Returns true if it ended only because the consumer was slow. */
  private async *live(): AsyncGenerator<EventBatch, boolean, void> {
    if (this.signal.aborted) return true;
    const { categories, maxBatch = DEFAULT_BATCH_EVENTS } = this.options;
    const { reader } = this.reads;
    const feed = new LiveFeed(reader.limits, parseFilter(categories), this.position, this.signal, () => reader.interruptions.notify());
    try {
      await feed.start((listener) => reader.open(subscribeRequest(this.position, serverFilter(categories)), listener));
      for (;;) {
        await feed.wait(reader.limits.idleMs);
        if (this.signal.aborted) return true;
        const arrived = feed.take(maxBatch);
        // Skip what a read of the log has already brought.
        if (arrived && arrived.position <= this.position) continue;
        if (arrived) {
          const events = await this.reads.payloads.restore(arrived.events);
          yield this.handOver({ events, position: arrived.position });
        } else if (feed.ended !== 'no') return feed.ended === 'overflow';
        else if (yield* this.missed()) return false;
      }
    } finally {
      feed.close();
    }
  }

  /**
   * A half-dead connection stays silent for ever, so the log itself is read. Returns whether it holds events that the feed should have
   * brought.
   */
  private async *missed(): AsyncGenerator<EventBatch, boolean, void> {
    const page = await this.page();
    if (page.position > this.position) yield this.handOver(page);
    return page.events.length > 0;
  }

  private page(): Promise<EventBatch> {
    const { categories, maxBatch = DEFAULT_BATCH_EVENTS } = this.options;
    return this.reads.readAll({ after: this.position, limit: maxBatch, ...(categories && { categories }) }, this.signal);
  }

  private handOver({ events, position }: Pick<EventBatch, 'events' | 'position'>): EventBatch {
    this.position = position;
    this.failures = 0;
    return { events, position, caughtUp: this.caughtUp };
  }

  private async pause(): Promise<void> {
    this.failures += 1;
    await sleep(pauseMs(this.failures), undefined, { signal: this.signal }).catch(() => {});
  }
}
