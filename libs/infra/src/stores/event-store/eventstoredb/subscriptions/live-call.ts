import type { CategoryFilter } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import { type Categories, parseFilter } from '#infra/stores/event-store/category-filter.js';
import { isWanted, serverFilter } from '#infra/stores/event-store/eventstoredb/categories.js';
import { CallFailed, GrpcCode } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import type { ReadCall, ReadRequest } from '#infra/stores/event-store/eventstoredb/log-client.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import { decode, type ReadMessage, type StoredEvent, type WireEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';

/** Received events. `position` is at or after the last event, and past that of the batch before. */
type LiveBatch = Readonly<{ events: readonly StoredEvent[]; position: Position }>;

/** Progress is reported after this number of unwanted events. The server reports it for as many that do not pass its filter. */
const PROGRESS_EVENTS = 256;

/**
 * A live subscription on the server, with the queue of its consumer. It ends itself when the consumer leaves too much unread, because the
 * server drops subscriptions that it cannot write to; events received until then can still be taken.
 */
export class LiveCall {
  private call: ReadCall | undefined;
  private queue: StoredEvent[] = [];
  private bytes = 0;
  private taken: Position;
  private passed = 0;
  private heardAt = performance.now();
  private ending: 'no' | 'overflow' | 'cut' = 'no';
  private readonly arrivals = new Waiters<void>();
  private readonly wanted: Categories | undefined;

  private constructor(
    private readonly reads: LogReads,
    private readonly categories: CategoryFilter | undefined,
    /** Everything up to here was received. */
    private front: Position,
    /** Aborting it ends the call. */
    private readonly signal: AbortSignal,
  ) {
    this.wanted = parseFilter(categories);
    this.taken = front;
    signal.addEventListener('abort', this.close);
    if (signal.aborted) this.close();
  }

  /** @throws EventStoreUnavailable, NotConnected, CallFailed */
  static async open(reads: LogReads, after: Position, categories: CategoryFilter | undefined, signal: AbortSignal): Promise<LiveCall> {
    // The consumer may be beyond the end of a log that was replaced by an older copy.
    const end = await reads.end();
    const live = new LiveCall(reads, categories, after > end ? end : after, signal);
    try {
      const request: ReadRequest = { of: 'live', after: live.front, streamNames: serverFilter(categories) };
      live.call = await reads.reader.open(request, {
        message: (message) => live.receive(message),
        ended: (error) => live.ended(error),
      });
      if (live.ending !== 'no') live.call.cancel();
      return live;
    } catch (error) {
      live.close();
      throw error;
    }
  }

  /** `overflow`: it ended itself because of a slow consumer. `cut`: the server or the connection ended it. */
  get state(): 'no' | 'overflow' | 'cut' {
    return this.ending;
  }

  /** Waits until events can be taken, the call ends, or nothing has come for a while. */
  async wait(): Promise<void> {
    if (this.queue.length > 0 || this.passed >= PROGRESS_EVENTS || this.ending !== 'no') return;
    await this.arrivals.wait(this.reads.reader.limits.idleMs);
  }

  /** The oldest unread events: at most `count`, and not much more than a page's bytes. `undefined`: nothing has arrived. */
  take(count: number): LiveBatch | undefined {
    if (this.front === this.taken) return undefined;
    let taken = 0;
    for (let bytes = 0; taken < Math.min(count, this.queue.length) && bytes < this.reads.reader.limits.pageBytes; taken++) {
      bytes += this.queue[taken]?.bytes ?? 0;
    }
    const events = this.queue.splice(0, taken);
    for (const { bytes } of events) this.bytes -= bytes;
    if (this.queue.length === 0) this.passed = 0;
    this.taken = this.queue.length === 0 ? this.front : (events.at(-1)?.event.position ?? this.taken);
    return { events, position: this.taken };
  }

  /**
   * A half-open connection stays silent for ever. If nothing has arrived for a while, this compares the position with the log, and ends the
   * call if events are missing. @throws EventStoreUnavailable the log cannot be read either
   */
  async verify(): Promise<void> {
    const { front, categories, signal } = this;
    if (performance.now() - this.heardAt < this.reads.reader.limits.idleMs) return;
    const { events, position } = await this.reads.readAll({ after: front, limit: 1, signal, ...(categories && { categories }) });
    if (events.length === 0) this.pass(position, PROGRESS_EVENTS);
    else if (this.front === front) this.end('cut');
    this.heardAt = performance.now();
  }

  readonly close = (): void => this.end('cut');

  private receive({ event, searched }: ReadMessage): void {
    if (this.ending !== 'no') return;
    this.heardAt = performance.now();
    if (!event) this.pass(searched, PROGRESS_EVENTS);
    else if (!isWanted(event, this.wanted, this.reads.foreign)) this.pass(event.position, 1);
    else if (event.position > this.front) this.add(event);
  }

  private add(event: WireEvent): void {
    const { queueEvents, queueBytes } = this.reads.reader.limits;
    const stored = decode(event);
    this.queue.push(stored);
    this.bytes += stored.bytes;
    this.front = event.position;
    this.arrivals.wakeAll();
    if (this.queue.length >= queueEvents || this.bytes >= queueBytes) this.end('overflow');
  }

  /** @param events number of unwanted ones up to the position */
  private pass(position: Position, events: number): void {
    if (this.ending !== 'no' || position <= this.front) return;
    this.front = position;
    this.passed += events;
    if (this.passed >= PROGRESS_EVENTS) this.arrivals.wakeAll();
  }

  /** A server that considers this consumer too slow is still the same server. */
  private ended(error: unknown): void {
    const isDropped = error instanceof CallFailed && error.code === GrpcCode.aborted;
    if (this.ending === 'no' && !isDropped) this.reads.reader.interruptions.notify();
    this.end('cut');
  }

  private end(how: 'overflow' | 'cut'): void {
    this.signal.removeEventListener('abort', this.close);
    if (this.ending === 'no') this.ending = how;
    this.call?.cancel();
    this.arrivals.wakeAll();
  }
}
