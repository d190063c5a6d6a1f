import { isChained } from '#domain/integrity/chained.js';
import { MAX_LEAVES } from '#domain/integrity/integrity-events.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import type { ResumePoint } from './chain-end.js';
import { type LeafBatch, LeafBatcher } from './leaf-batch.js';

/** Time that leaves wait for more, so that there is about one append per second. The contract allows five seconds in total. */
const GATHER_MS = 1_000;

type Read = IteratorResult<EventBatch>;

/** More than the audit index and the history take per turn: they may be later than the chain. */
const MOST_EVENTS = MAX_LEAVES;

/** Follows the log from the end of the chain and makes leaves of its events, without delaying writers. */
export class LeafHasher {
  private readonly batcher: LeafBatcher;
  private since: number | undefined;
  private readTo: Position;
  private wanted: Position = 0n;
  private poke = new AbortController();

  constructor(
    private readonly events: Pick<EventStore, 'subscribeAll'>,
    private readonly resume: ResumePoint,
    private readonly signal: AbortSignal,
  ) {
    this.batcher = new LeafBatcher(resume.end);
    this.readTo = resume.after;
  }

  /** Requests leaves of the events up to this position at once. */
  hurry(position: Position): void {
    if (position > this.wanted) this.wanted = position;
    this.poke.abort();
  }

  /**
   * Yields batches in order. While the consumer is busy with one, at most about a page is read ahead. Ends with the signal.
   * @throws errors of the log
   */
  async *batches(): AsyncGenerator<LeafBatch, void, void> {
    const { signal, resume } = this;
    const pages = this.events.subscribeAll({ after: resume.after, signal, maxBatch: MOST_EVENTS })[Symbol.asyncIterator]();
    const readAhead = (): Promise<Read> => awaitedLater(pages.next()); // the consumer may be busy
    let next = readAhead();
    try {
      for (;;) {
        const read = await this.nextOrDue(next);
        if (read?.done) break;
        if (read) {
          yield* this.take(read.value.events);
          this.readTo = read.value.position;
          next = readAhead();
          if (read.value.events.length >= PAGE_EVENTS) continue; // far behind: batches as large as possible
        }
        if (this.isDue()) yield this.handOver();
      }
      if (!this.batcher.isEmpty) yield this.handOver();
    } finally {
      await pages.return?.(undefined);
    }
  }

  /** Returns the next page; `undefined` if the batch may be due. */
  private async nextOrDue(next: Promise<Read>): Promise<Read | undefined> {
    const waits: Promise<Read | undefined>[] = [next, aborted(this.poke.signal)];
    let timer: NodeJS.Timeout | undefined;
    if (this.since !== undefined) {
      const restMs = Math.max(0, this.since + GATHER_MS - performance.now());
      waits.push(
        new Promise((resolve) => {
          timer = setTimeout(resolve, restMs, undefined);
        }),
      );
    }
    try {
      return await Promise.race(waits);
    } finally {
      clearTimeout(timer);
      this.poke = new AbortController();
    }
  }

  private *take(events: readonly RecordedEvent[]): Generator<LeafBatch, void, void> {
    for (const event of events) {
      if (!this.isNew(event)) continue;
      this.since ??= performance.now();
      this.batcher.add(event);
      if (this.batcher.isFull) yield this.handOver();
    }
  }

  private isNew({ stream, revision }: RecordedEvent): boolean {
    return isChained(stream) && Number(revision) > (this.resume.covered.get(stream) ?? -1);
  }

  private isDue(): boolean {
    if (this.since === undefined) return false;
    return performance.now() >= this.since + GATHER_MS || (this.wanted > 0n && this.readTo >= this.wanted);
  }

  private handOver(): LeafBatch {
    this.since = undefined;
    if (this.readTo >= this.wanted) this.wanted = 0n;
    return this.batcher.take();
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
