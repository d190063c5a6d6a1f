import type { CategoryFilter } from '#domain/shared/event-store.js';
import { categoryOf, type Position } from '#domain/shared/events.js';
import { type Categories, parseFilter } from '#infra/stores/event-store/category-filter.js';
import { isWanted, serverFilter } from '#infra/stores/event-store/eventstoredb/categories.js';
import { NotConnected } from '#infra/stores/event-store/eventstoredb/errors.js';
import { CallFailed, GrpcCode } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import type { ReadCall, ReadRequest } from '#infra/stores/event-store/eventstoredb/log-client.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import { decode, type ReadMessage, type StoredEvent, type WireEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';
import { type ArrivingEvent, LiveFeed } from './live-feed.js';

/** One subscription on the server. */
class Run {
  call: ReadCall | undefined;
  /** Everything up to here was passed on to the feeds. */
  front: Position;
  heardAt = performance.now();

  constructor(after: Position) {
    this.front = after;
  }
}

/**
 * One live subscription, to the whole log or to some categories, shared by many consumers of the process. The server examines every event
 * once per subscription, and drops subscriptions that it cannot write to at once. Here each event arrives and is decoded once, and waits in
 * the queues of its consumers.
 */
export class LiveHub {
  private readonly feeds = new Set<LiveFeed>();
  private run: Run | undefined;
  private starting: Promise<Run> | undefined;
  private verifying: Promise<void> | undefined;
  private readonly wanted: Categories | undefined;

  /** @param categories of its consumers, if they are a small part of the log */
  constructor(
    private readonly reads: LogReads,
    private readonly categories?: CategoryFilter,
  ) {
    this.wanted = parseFilter(categories);
  }

  /**
   * @param after position of the consumer; the subscription starts there unless it is running
   * @throws EventStoreUnavailable, NotConnected, CallFailed
   */
  async join(after: Position, categories: Categories | undefined, signal: AbortSignal): Promise<LiveFeed> {
    this.starting ??= this.start(after);
    const run = await this.starting;
    if (run !== this.run) throw new NotConnected('the subscription has just ended');
    const feed = new LiveFeed(this.reads.reader.limits, categories, run.front, signal, (left) => this.leave(left));
    if (feed.ended === 'no') this.feeds.add(feed);
    else this.leave(feed);
    return feed;
  }

  /**
   * A half-open connection stays silent for ever. If nothing has arrived for a while, this compares the position with the log, and ends the
   * subscription if events are missing. @throws EventStoreUnavailable the log cannot be read either
   */
  verify(): Promise<void> {
    this.verifying ??= this.compare().finally(() => {
      this.verifying = undefined;
    });
    return this.verifying;
  }

  private async compare(): Promise<void> {
    const { run } = this;
    const { idleMs } = this.reads.reader.limits;
    if (!run || performance.now() - run.heardAt < idleMs) return;
    const { front } = run;
    try {
      const wanted = { after: front, limit: 1, ...(this.categories && { categories: this.categories }) };
      const { events, position } = await this.reads.readAll(wanted);
      if (events.length === 0) this.pass(run, position);
      else if (run.front === front) this.end(run);
      run.heardAt = performance.now();
    } catch (error) {
      this.end(run);
      throw error;
    }
  }

  private async start(after: Position): Promise<Run> {
    try {
      // A consumer may be beyond the end of a log that was replaced by an older copy. Other consumers must not wait there.
      const end = await this.reads.end();
      const run = new Run(after > end ? end : after);
      this.run = run;
      const request: ReadRequest = { of: 'live', after: run.front, streamNames: serverFilter(this.categories) };
      run.call = await this.reads.reader.open(request, {
        message: (message) => this.receive(run, message),
        ended: (error) => this.ended(run, error),
      });
      if (this.run !== run) run.call.cancel();
      return run;
    } catch (error) {
      this.run = undefined;
      this.starting = undefined;
      throw error;
    }
  }

  private receive(run: Run, { event, searched }: ReadMessage): void {
    if (this.run !== run) return;
    run.heardAt = performance.now();
    const position = event ? event.position : searched;
    if (position <= run.front) return;
    if (event && isWanted(event, this.wanted, this.reads.foreign)) {
      run.front = position;
      const arriving = arrivingOf(event);
      for (const feed of this.feeds) feed.offer(arriving);
    } else this.pass(run, position);
  }

  /** Reports that no event up to `position` matches a filter. */
  private pass(run: Run, position: Position): void {
    if (this.run !== run || position <= run.front) return;
    run.front = position;
    for (const feed of this.feeds) feed.pass(position);
  }

  /** A server that considers this consumer too slow is still the same server. */
  private ended(run: Run, error: unknown): void {
    const isDropped = error instanceof CallFailed && error.code === GrpcCode.aborted;
    if (this.run === run && !isDropped) this.reads.reader.interruptions.notify();
    this.end(run);
  }

  private leave(feed: LiveFeed): void {
    this.feeds.delete(feed);
    if (this.feeds.size === 0 && this.run) this.end(this.run);
  }

  private end(run: Run): void {
    run.call?.cancel();
    if (this.run !== run) return;
    this.run = undefined;
    this.starting = undefined;
    for (const feed of [...this.feeds]) feed.close();
  }
}

/** Decodes the event when the first consumer wants it; the bytes of the message are available only during the callback. */
const arrivingOf = (wire: WireEvent): ArrivingEvent => {
  let stored: StoredEvent | undefined;
  return {
    position: wire.position,
    category: categoryOf(wire.stream),
    stored: () => {
      stored ??= decode(wire);
      return stored;
    },
  };
};
