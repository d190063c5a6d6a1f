import { isChained } from '#domain/integrity/chained.js';
import { MAX_LEAVES } from '#domain/integrity/integrity-events.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import type { ResumePoint } from './chain-end.js';
import { type LeafBatch, LeafBatcher } from './leaf-batch.js';

/** Leaves wait for others this long, so that there is about one append a second. The contract allows five seconds in all. */
const GATHER_MS = 1_000;

type Read = IteratorResult<EventBatch>;

/** More than audit index and history take in a turn: they may be later than the chain. */
const MOST_EVENTS = MAX_LEAVES;

/** Follows the log from where the chain ends and makes leaves of its events, beside those who write it. */
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

  /** Leaves of the events up to this position are wanted at once. */
  hurry(position: Position): void {
    if (position > this.wanted) this.wanted = position;
    this.poke.abort();
  }

  /**
   * Batches in order. Nothing is read while the consumer is busy with one, a page or so ahead excepted. Ends with the signal.
   * @throws what the log throws
   */
  async *batches(): AsyncGenerator<LeafBatch, void, void> {
    const { signal, resume } = this;
    const pages = this.events.subscribeAll({ after: resume.after, signal, maxBatch: MOST_EVENTS })[Symbol.asyncIterator]();
    let next = pages.next();
    try {
      for (;;) {
        const read = await this.nextOrDue(next);
        if (read?.done) break;
        if (read) {
          yield* this.take(read.value.events);
          this.readTo = read.value.position;
          next = pages.next();
          if (read.value.events.length >= PAGE_EVENTS) continue; // far behind: as many at a time as there may be
        }
        if (this.isDue()) yield this.handOver();
      }
      if (!this.batcher.isEmpty) yield this.handOver();
    } finally {
      next.catch(() => undefined);
      await pages.return?.(undefined);
    }
  }

  /** Next page; `undefined`: it may be time to hand over. */
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
    return this.batcher.take();
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
