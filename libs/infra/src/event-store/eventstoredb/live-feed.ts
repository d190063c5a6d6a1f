import type { Position } from '#domain/shared/events.js';
import type { Categories } from '#infra/event-store/category-filter.js';
import { isWanted } from './categories.js';
import { CallFailed, type CallListener, type GrpcCall, GrpcCode } from './grpc/call.js';
import type { EventStoreDbLimits } from './limits.js';
import { decode, readMessage, type StoredEvent } from './messages/records.js';

/** Events that have arrived. `position` is at or after the last event, and past `after` of the feed. */
export type Arrived = Readonly<{ events: readonly StoredEvent[]; position: Position }>;

/**
 * One subscription call. It reads everything from the connection at once, because the server drops subscriptions that let it wait, and ends
 * itself when its consumer leaves too much unread. What has arrived until then can still be taken.
 */
export class LiveFeed {
  private queue: StoredEvent[] = [];
  private bytes = 0;
  private position: Position;
  private taken: Position;
  private ending: 'no' | 'overflow' | 'cut' = 'no';
  private failure: unknown;
  private wake: (() => void) | undefined;

  private call: GrpcCall | undefined;

  constructor(
    readonly limits: EventStoreDbLimits,
    readonly categories: Categories | undefined,
    after: Position,
    /** Aborting it closes the feed. */
    readonly signal: AbortSignal,
    /** Called when the call ends in a way after which another server may answer. */
    readonly interrupted: () => void,
  ) {
    this.position = after;
    this.taken = after;
  }

  /** Starts the call, which brings its messages to the listener. @throws what `open` throws */
  async start(open: (listener: CallListener) => Promise<GrpcCall>): Promise<void> {
    this.signal.addEventListener('abort', this.close);
    this.call = await open({
      message: (message) => this.receive(message),
      ended: (error) => this.cut(isDropped(error)),
    });
    if (this.signal.aborted || this.ending === 'overflow') this.close();
  }

  /** `overflow`: it ended itself, because of a slow consumer. `cut`: ended by the server or the connection. */
  get ended(): 'no' | 'overflow' | 'cut' {
    return this.ending;
  }

  /** Waits until something can be taken, the feed ends, or `ms` have passed. */
  async wait(ms: number): Promise<void> {
    if (this.hasUnread || this.ending !== 'no') return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /**
   * The oldest unread events, at most `count` and not much more than a page's bytes; `undefined`: nothing has arrived.
   * @throws UnreadableEvent once everything before such an event has been taken
   */
  take(count: number): Arrived | undefined {
    if (!this.hasUnread) {
      if (this.failure) throw this.failure;
      return undefined;
    }
    let taken = 0;
    for (let bytes = 0; taken < Math.min(count, this.queue.length) && bytes < this.limits.pageBytes; taken++) {
      bytes += this.queue[taken]?.bytes ?? 0;
    }
    const events = this.queue.splice(0, taken);
    for (const { bytes } of events) this.bytes -= bytes;
    this.taken = this.queue.length === 0 ? this.position : (events.at(-1)?.event.position ?? this.taken);
    return { events, position: this.taken };
  }

  readonly close = (): void => {
    this.signal.removeEventListener('abort', this.close);
    this.end('cut');
    this.call?.cancel();
  };

  private get hasUnread(): boolean {
    return this.position > this.taken;
  }

  private receive(message: Buffer): void {
    if (this.ending !== 'no') return;
    try {
      const { event, searched } = readMessage(message);
      const position = event ? event.position : searched;
      if (position <= this.position) return;
      if (event && isWanted(event, this.categories)) this.push(decode(event));
      this.position = position;
    } catch (error) {
      this.failure = error;
      this.close();
      return;
    }
    this.wake?.();
    if (this.queue.length < this.limits.queueEvents && this.bytes < this.limits.queueBytes) return;
    this.end('overflow');
    this.call?.cancel();
  }

  private push(event: StoredEvent): void {
    this.queue.push(event);
    this.bytes += event.bytes;
  }

  /** `dropped`: the server goes on, but has dropped a slow consumer. */
  private cut(dropped: boolean): void {
    if (this.ending === 'no' && !dropped) this.interrupted();
    this.end('cut');
  }

  private end(how: 'overflow' | 'cut'): void {
    if (this.ending === 'no') this.ending = how;
    this.wake?.();
  }
}

/** The server considers the consumer too slow. */
const isDropped = (error: unknown): boolean => error instanceof CallFailed && error.code === GrpcCode.aborted;
