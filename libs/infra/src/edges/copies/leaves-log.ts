import { mayExpire } from '#domain/integrity/expiring.js';
import { endOfLeaves, LEAVES_STREAM, type Leaf, leavesIn, leavesOf, placeInRuns } from '#domain/integrity/integrity-events.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent, Revision } from '#domain/shared/events.js';
import { firstRevision } from '#infra/stores/event-store/first-revision.js';

type Reads = Pick<EventStore, 'readStream'>;

/** Start of a read of the log, and the index of the first chained event after it. */
export type StartingPoint = Readonly<{ after: Position; index: number }>;

/** The leaves stored in the log, up to one of its events. Everything is read on demand. */
export class LeavesLog {
  private constructor(
    private readonly events: Reads,
    /** The newest `LeavesChained`; `undefined` if nothing is chained. */
    private readonly last: RecordedEvent | undefined,
  ) {}

  /** As of a position of the log. @throws EventStoreUnavailable */
  static async open(events: Reads, upTo: Position): Promise<LeavesLog> {
    for (let from: Revision | undefined; ; ) {
      const [event] = await events.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1, ...(from !== undefined && { from }) });
      if (!event || event.position <= upTo) return new LeavesLog(events, event);
      if (event.revision === 0n) return new LeavesLog(events, undefined);
      from = event.revision - 1n;
    }
  }

  get size(): number {
    return this.last ? endOfLeaves(this.last) : 0;
  }

  /** Opens it as of a position of the log. @throws EventStoreUnavailable */
  frontier(): Frontier {
    return this.last ? Frontier.decode(this.size, leavesOf(this.last).frontier) : Frontier.empty();
  }

  /** The tree over the leaves before `size`; `undefined` if no event of leaves ends there. @throws EventStoreUnavailable */
  async frontierAt(size: number): Promise<Frontier | undefined> {
    if (size === 0) return Frontier.empty();
    const event = await this.eventOf(size - 1);
    if (!event) return undefined;
    return endOfLeaves(event) === size ? Frontier.decode(size, leavesOf(event).frontier) : undefined;
  }

  /**
   * A place in the log from which the event of leaf `index` and all later ones can be found: the place of an event of the chain at or
   * before it. That event certainly exists, because its stream loses none.
   */
  async startBefore(index: number): Promise<StartingPoint> {
    for (let at = await this.eventOf(Math.min(index, this.size) - 1); at; at = await this.eventAt(at.revision - 1n, 'backwards')) {
      const chained = leavesOf(at);
      for (let offset = Math.min(index - chained.from, chained.count) - 1; offset >= 0; offset -= 1) {
        const place = placeInRuns(chained, offset);
        if (!place || mayExpire(place.stream)) continue;
        const [found] = await this.events.readStream(place.stream, { from: BigInt(place.revision), limit: 1 });
        if (found) return { after: found.position, index: chained.from + offset + 1 };
      }
    }
    return { after: 0n, index: 0 };
  }

  /** Yields the leaves from `index` on, in order. */
  async *from(index: number): AsyncGenerator<Leaf> {
    for (let at = await this.eventOf(index); at; at = await this.eventAt(at.revision + 1n)) {
      yield* leavesIn(leavesOf(at), index);
    }
  }

  /** The event at a revision, or the next one in the direction. */
  private async eventAt(revision: Revision, direction: 'forwards' | 'backwards' = 'forwards'): Promise<RecordedEvent | undefined> {
    if (!this.last || revision < 0n || revision > this.last.revision) return undefined;
    const [event] = await this.events.readStream(LEAVES_STREAM, { from: revision, direction, limit: 1 });
    return event;
  }

  /** The event with leaf `index`, found by binary search, because events have different numbers of leaves. */
  private async eventOf(index: number): Promise<RecordedEvent | undefined> {
    if (!this.last || index < 0 || index >= this.size) return undefined;
    return this.eventAt(await firstRevision(this.events, LEAVES_STREAM, this.last.revision, (event) => endOfLeaves(event) > index));
  }
}
