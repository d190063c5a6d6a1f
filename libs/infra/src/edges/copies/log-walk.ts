import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import { endOfLeaves, LEAVES_STREAM, type Leaf } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { DamagedCopy } from './damaged-copy.js';
import { FirstReadable } from './first-readable.js';
import { isKeyStream } from './key-streams.js';
import type { LeavesLog, StartingPoint } from './leaves-log.js';

/** One step: a chained event (if it has expired, only its leaf), or an event that is not chained. */
export type WalkStep =
  | Readonly<{ kind: 'chained'; index: number; hash: Buffer; event: RecordedEvent }>
  | Readonly<{ kind: 'expired'; index: number; hash: Buffer }>
  | Readonly<{ kind: 'unchained'; event: RecordedEvent }>;

type WalkedLog = Readonly<{
  events: Pick<EventStore, 'readAll' | 'readStream'>;
  leaves: LeavesLog;
  upTo: Position;
  /** In log order, events without leaves that the log may lose during the walk, once another process has chained them. Default: none. */
  kept?: readonly RecordedEvent[];
}>;

const PAGE_EVENTS = 500;

/** Reads the log in order, together with its leaves. Memory is constant, and the event loop is not blocked. */
export class LogWalk {
  private readonly readable: FirstReadable;
  private readonly expected: AsyncGenerator<Leaf>;
  private next: Leaf | undefined;
  private index: number;
  /** Number of kept events that have been passed. */
  private passed = 0;

  constructor(
    private readonly log: WalkedLog,
    private readonly start: StartingPoint,
  ) {
    this.readable = new FirstReadable(log.events);
    this.index = start.index;
    this.expected = log.leaves.from(start.index);
  }

  /** @throws DamagedCopy the log contradicts its leaves */
  async *walk(): AsyncGenerator<WalkStep> {
    const { events, upTo } = this.log;
    const slice = new TimeSlice();
    await this.advance();
    for (let after = this.start.after, more = after < upTo; more; ) {
      const page = await events.readAll({ after, limit: PAGE_EVENTS });
      await this.readable.lookUp(page.events);
      for (const event of page.events) {
        if (event.position > upTo) break;
        if (slice.isOver) await slice.next();
        yield* this.passKept(event.position);
        yield* this.pass(event);
      }
      after = page.position;
      more = !page.caughtUp && after < upTo;
    }
    yield* this.passKept();
    yield* this.expireBefore(Number.POSITIVE_INFINITY);
  }

  /** Yields kept events before this position, or all, that have left the log meanwhile. Skips one at the position. */
  private async *passKept(position?: Position): AsyncGenerator<WalkStep> {
    const { kept = [] } = this.log;
    for (let event = kept[this.passed]; event; event = kept[this.passed]) {
      if (position !== undefined && event.position > position) return;
      this.passed += 1;
      if (event.position !== position) yield* this.pass(event);
    }
  }

  private async *pass(event: RecordedEvent): AsyncGenerator<WalkStep> {
    if (!isChained(event.stream)) {
      // Leaves follow their events, so an event named by them that was not read has expired.
      if (event.stream === LEAVES_STREAM) yield* this.expireBefore(endOfLeaves(event));
      if (!isHiddenKey(event, this.readable)) yield { kind: 'unchained', event };
      return;
    }
    while (this.next && !isAt(this.next, event)) yield await this.expire(this.next);
    const leaf = this.next;
    if (leaf && this.readable.isHidden(event)) {
      yield await this.expire(leaf);
      return;
    }
    const hash = leafOf(event);
    if (leaf && !hash.equals(leaf.hash)) throw new DamagedCopy(`event ${leaf.index} (${event.stream}, ${event.revision}) was altered`);
    if (leaf) await this.advance();
    yield { kind: 'chained', index: this.index++, hash, event };
  }

  private async *expireBefore(index: number): AsyncGenerator<WalkStep> {
    while (this.next && this.next.index < index) yield await this.expire(this.next);
  }

  /** @throws DamagedCopy events of this stream do not expire */
  private async expire({ index, hash, stream, revision }: Leaf): Promise<WalkStep> {
    if (!mayExpire(stream)) throw new DamagedCopy(`event ${index} (${stream}, ${revision}) is missing`);
    await this.advance();
    this.index = index + 1;
    return { kind: 'expired', index, hash };
  }

  private async advance(): Promise<void> {
    const { value, done } = await this.expected.next();
    this.next = done ? undefined : value;
  }
}

const isAt = ({ stream, revision }: Leaf, event: RecordedEvent): boolean => stream === event.stream && revision === Number(event.revision);

const isHiddenKey = (event: RecordedEvent, readable: FirstReadable): boolean => isKeyStream(event.stream) && readable.isHidden(event);
