import type { Position } from '#domain/shared/events.js';
import { type Categories, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { EventStoreDbLimits } from '#infra/stores/event-store/eventstoredb/limits.js';
import type { StoredEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';

/** Received events. `position` is at or after the last event, and past `after` of the feed. */
type LiveBatch = Readonly<{ events: readonly StoredEvent[]; position: Position }>;

/** A received event for all feeds. `stored` decodes it once. */
export type ArrivingEvent = Readonly<{ position: Position; category: string; stored(): StoredEvent }>;

/** Progress is reported after this number of unwanted events. */
const PROGRESS_EVENTS = 256;

/**
 * Queue of a live subscription for one consumer. It ends itself when the consumer leaves too much unread; events received until then can
 * still be taken.
 */
export class LiveFeed {
  private queue: StoredEvent[] = [];
  private bytes = 0;
  private position: Position;
  private taken: Position;
  private passed = 0;
  private ending: 'no' | 'overflow' | 'cut' = 'no';
  private wake: (() => void) | undefined;

  constructor(
    readonly limits: EventStoreDbLimits,
    readonly categories: Categories | undefined,
    /** All events after this position arrive here. Earlier ones must be read from the log. */
    readonly joinedAt: Position,
    /** Aborting it closes the feed. */
    readonly signal: AbortSignal,
    /** Called when the feed ends. */
    readonly left: (feed: LiveFeed) => void,
  ) {
    this.position = joinedAt;
    this.taken = joinedAt;
    signal.addEventListener('abort', this.close);
    if (signal.aborted) this.close();
  }

  /** `overflow`: it ended itself because of a slow consumer. `cut`: the server or the connection ended it. */
  get ended(): 'no' | 'overflow' | 'cut' {
    return this.ending;
  }

  /** Waits until events can be taken, the feed ends, or `ms` have passed. */
  async wait(ms: number): Promise<void> {
    if (this.queue.length > 0 || this.passed >= PROGRESS_EVENTS || this.ending !== 'no') return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /** The oldest unread events: at most `count`, and not much more than a page's bytes. `undefined`: nothing has arrived. */
  take(count: number): LiveBatch | undefined {
    if (this.position === this.taken) return undefined;
    let taken = 0;
    for (let bytes = 0; taken < Math.min(count, this.queue.length) && bytes < this.limits.pageBytes; taken++) {
      bytes += this.queue[taken]?.bytes ?? 0;
    }
    const events = this.queue.splice(0, taken);
    for (const { bytes } of events) this.bytes -= bytes;
    if (this.queue.length === 0) this.passed = 0;
    this.taken = this.queue.length === 0 ? this.position : (events.at(-1)?.event.position ?? this.taken);
    return { events, position: this.taken };
  }

  /** Offers the next event; events must be offered in log order. */
  offer(arriving: ArrivingEvent): void {
    if (this.ending !== 'no' || arriving.position <= this.position) return;
    if (this.categories && !passesCategory(this.categories, arriving.category)) {
      this.pass(arriving.position);
      return;
    }
    const event = arriving.stored();
    this.queue.push(event);
    this.bytes += event.bytes;
    this.position = arriving.position;
    this.wake?.();
    if (this.queue.length >= this.limits.queueEvents || this.bytes >= this.limits.queueBytes) this.end('overflow');
  }

  /** Reports that no event up to `position` matches the filter. */
  pass(position: Position): void {
    if (this.ending !== 'no' || position <= this.position) return;
    this.position = position;
    this.passed += 1;
    if (this.passed === PROGRESS_EVENTS) this.wake?.();
  }

  readonly close = (): void => this.end('cut');

  private end(how: 'overflow' | 'cut'): void {
    this.signal.removeEventListener('abort', this.close);
    if (this.ending === 'no') {
      this.ending = how;
      this.left(this);
    }
    this.wake?.();
  }
}
