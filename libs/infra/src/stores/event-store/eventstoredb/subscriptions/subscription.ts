import { setTimeout as sleep } from 'node:timers/promises';
import type { EventBatch, SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { type Categories, parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import type { CatchingUp, CatchUpPages } from './catch-up-pages.js';
import { LiveCall } from './live-call.js';

const DEFAULT_BATCH_EVENTS = 500;
const pauseMs = backOff(50, 500);

/**
 * Catches up in pages, so that nothing is held for a slow consumer. Then it subscribes to what is appended, and starts again whenever that
 * ends. The last delivered position is the only state kept, so no event is lost or repeated.
 */
export class LogSubscription {
  private position: Position;
  private caughtUp = false;
  private failures = 0;
  private readonly filter: Categories | undefined;

  constructor(
    readonly reads: LogReads,
    readonly pages: CatchUpPages,
    readonly options: SubscribeOptions,
    /** Aborted by the consumer, or when the store closes. */
    readonly signal: AbortSignal,
  ) {
    this.position = options.after;
    this.filter = parseFilter(options.categories);
  }

  /** Waits and retries after every failure. */
  async *batches(): AsyncGenerator<EventBatch, void, void> {
    while (!this.signal.aborted) {
      let slow = false;
      try {
        yield* this.catchUp();
        slow = yield* this.live();
      } catch {
        // the server is away or was replaced
      }
      if (!slow) await this.pause();
    }
  }

  private async *catchUp(): AsyncGenerator<EventBatch, void, void> {
    const among = this.pages.join(this.position, this.options.categories);
    const leave = (): void => among.leave();
    this.signal.addEventListener('abort', leave);
    try {
      while (!this.signal.aborted) {
        among.position = this.position;
        const page = await this.page(among);
        const hasProgress = page.position > this.position || (page.caughtUp && !this.caughtUp);
        this.caughtUp ||= page.caughtUp;
        if (hasProgress) yield this.handOver(page);
        if (page.caughtUp) return;
      }
    } finally {
      this.signal.removeEventListener('abort', leave);
      leave();
    }
  }

  /** Returns true if it ended only because the consumer was slow. */
  private async *live(): AsyncGenerator<EventBatch, boolean, void> {
    if (this.signal.aborted) return true;
    const { categories, maxBatch = DEFAULT_BATCH_EVENTS } = this.options;
    const live = await LiveCall.open(this.reads, this.position, categories, this.signal);
    try {
      for (;;) {
        await live.wait();
        if (this.signal.aborted) return true;
        const arrived = live.take(maxBatch);
        // Skips events that a read of another log has already delivered.
        if (arrived && arrived.position <= this.position) continue;
        if (arrived) {
          const { position } = this;
          const events = await this.reads.payloads.restore(arrived.events.filter(({ event }) => event.position > position));
          yield this.handOver({ events, position: arrived.position });
        } else if (live.state !== 'no') return live.state === 'overflow';
        else await live.verify();
      }
    } finally {
      live.close();
    }
  }

  private async page(among: CatchingUp): Promise<EventBatch> {
    const { categories, maxBatch = DEFAULT_BATCH_EVENTS } = this.options;
    const shared = await this.pages.next(among).catch(() => undefined);
    if (!shared)
      return this.reads.readAll({ after: this.position, limit: maxBatch, signal: this.signal, ...(categories && { categories }) });
    const wanted = shared.events.filter(({ event }) => event.position > this.position && passes(this.filter, event.stream));
    const taken = wanted.slice(0, maxBatch);
    const position = taken.length < wanted.length ? (taken.at(-1)?.event.position ?? shared.reached) : shared.reached;
    return { events: await this.reads.payloads.restore(taken), position, caughtUp: false };
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
