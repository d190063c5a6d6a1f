import { setTimeout as sleep } from 'node:timers/promises';
import { type EventBatch, type EventStore, EventStoreUnavailable, type SubscribeOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { Gathering } from './gathering.js';

/** Number of events per shared page. */
export const PAGE_EVENTS = 1_000;
/** Pages kept for followers that are slightly behind. A follower further behind reads by itself. */
const KEPT_PAGES = 4;

/**
 * Lets followers of the whole log with pages of at least `PAGE_EVENTS` share one subscription at its head, so that each event is read once
 * for all; under load events accumulate in it. Each follower has its own position, and none waits for another. Unlike a store's
 * subscription, a shared one throws when the log cannot be read or was interrupted; `followLog` then continues.
 */
export class SharedLog extends DelegatingEventStore {
  private opened: Promise<Head> | undefined;

  override subscribeAll(options: SubscribeOptions): AsyncIterable<EventBatch> {
    const { categories, maxBatch = 0 } = options;
    return categories === undefined && maxBatch >= PAGE_EVENTS ? this.shared(options) : super.subscribeAll(options);
  }

  private async *shared({ after, maxBatch = PAGE_EVENTS, signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
    const head = await this.atHead();
    const reader = head.join(after);
    try {
      let caughtUp = false;
      while (!signal.aborted) {
        const batch = await this.next(head, { position: reader.position, maxBatch, caughtUp }, signal);
        if (!batch) continue;
        caughtUp ||= batch.caughtUp;
        head.advance(reader, batch.position);
        yield { ...batch, caughtUp };
        await nextTurn(); // a follower that is behind finds page after page; others must run in between
      }
    } finally {
      head.leave(reader);
    }
  }

  /** Batch after the position. `undefined`: call again, it may be there now. @throws EventStoreUnavailable */
  private async next(head: Head, { position, maxBatch, caughtUp }: BatchRequest, signal: AbortSignal): Promise<EventBatch | undefined> {
    if (head.hasEnded) throw new EventStoreUnavailable('the log was interrupted');
    const kept = head.after(position);
    if (kept) return kept;
    if (position < head.position) return this.inner.readAll({ after: position, limit: maxBatch });
    if (head.isCaughtUp && !caughtUp) return { events: [], position, caughtUp: true };
    await unlessAborted(head.read(), signal);
    return undefined;
  }

  private atHead(): Promise<Head> {
    if (this.opened) return this.opened;
    const ending = new AbortController();
    const release = this.inner.onInterruption(() => ending.abort(), 'reads');
    const head = this.inner.end().then((position) => new Head(this.inner, position, ending));
    ending.signal.addEventListener('abort', () => {
      release();
      if (this.opened === head) this.opened = undefined;
    });
    head.catch(() => ending.abort());
    this.opened = head;
    return head;
  }
}

/** Request of a reader. `caughtUp`: it was already notified that it has caught up. */
type BatchRequest = Readonly<{ position: Position; maxBatch: number; caughtUp: boolean }>;

type Reader = { position: Position };

/** The subscription at the head of the log, until the log is interrupted or no follower is left. */
class Head {
  private readonly readers = new Set<Reader>();
  isCaughtUp = false;
  private readonly pages: (EventBatch & Readonly<{ from: Position }>)[] = [];
  private readonly batches: AsyncIterator<EventBatch>;
  private readonly gathering = new Gathering(PAGE_EVENTS);
  private reading: Promise<void> | undefined;
  private notBefore = 0;

  /** @param position up to which it has read */
  constructor(
    events: EventStore,
    public position: Position,
    private readonly ending: AbortController,
  ) {
    const { signal } = ending;
    this.batches = events.subscribeAll({ after: position, maxBatch: PAGE_EVENTS, signal })[Symbol.asyncIterator]();
    // The signal alone ends only a read in progress.
    signal.addEventListener('abort', () => void this.batches.return?.(undefined).catch(() => undefined));
  }

  get hasEnded(): boolean {
    return this.ending.signal.aborted;
  }

  join(position: Position): Reader {
    const reader = { position };
    this.readers.add(reader);
    return reader;
  }

  /** Drops pages that all followers have taken. */
  advance(reader: Reader, position: Position): void {
    reader.position = position;
    const isWanted = (page: EventBatch): boolean => [...this.readers].some((one) => one.position < page.position);
    while (this.pages[0] && !isWanted(this.pages[0])) this.pages.shift();
  }

  leave(reader: Reader): void {
    this.readers.delete(reader);
    if (this.readers.size === 0) this.ending.abort();
  }

  /** Kept events after a position. */
  after(position: Position): EventBatch | undefined {
    const page = this.pages.find((one) => one.from <= position && position < one.position);
    if (!page || page.from === position) return page;
    return { ...page, events: page.events.filter((event) => event.position > position) };
  }

  /** Resolves when it has read further. @throws EventStoreUnavailable it has ended */
  read(): Promise<void> {
    this.reading ??= this.readPage().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readPage(): Promise<void> {
    const pauseMs = this.notBefore - performance.now();
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
    try {
      const { done, value } = await this.batches.next();
      if (done) throw new EventStoreUnavailable('the log was closed');
      this.pages.push({ ...value, from: this.position });
      if (this.pages.length > KEPT_PAGES) this.pages.shift();
      this.position = value.position;
      this.isCaughtUp ||= value.caughtUp;
      this.notBefore = performance.now() + this.gathering.pauseAfter(value);
    } catch (error) {
      this.ending.abort();
      throw error;
    }
  }
}

/** Resolves with the work, or when the signal is aborted. */
const unlessAborted = (work: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const done = (): void => resolve();
    signal.addEventListener('abort', done, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', done));
  });
