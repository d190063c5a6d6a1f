import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import { LEAVES_STREAM, leavesOf, placeInRuns } from '#domain/integrity/integrity-events.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { ChainPlaces, type KnownPlace } from './chain-places.js';
import type { IndexWriter } from './index-writer.js';

/** The index numbers events differently from the chain. It must be rebuilt. */
export class IndexDiverged extends Error {
  override readonly name = 'IndexDiverged';
  constructor(readonly index: number) {
    super(`event ${index} is not where the chain has it`);
  }
}

/** Positions from `next` on, before `end`. */
type Gap = { next: Position; readonly end: Position };

/** Maximum number of events added per commit. */
const COMMIT_EVENTS = 2_000;

/**
 * Assigns indexes to the events of the log. Events may leave the log, but only after they are chained: a leaf without an event in the log
 * keeps its number. Leaves follow their events, so all events named by leaves are numbered once the leaves have been read.
 */
export class Numbering {
  private readonly places: ChainPlaces;
  /** Index of the last leaf that was compared and matches. */
  fitsUpTo = -1;
  /** Position up to which the log has been read. */
  private taken: Position;
  /** Positions without an event since the last numbered one: the places of lost events. */
  private gaps: Gap[] = [];

  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly writer: IndexWriter,
  ) {
    this.places = new ChainPlaces(events);
    this.taken = BigInt(writer.checkpoint.position);
  }

  /** Adds a page of the log to the index and commits it. @throws IndexDiverged */
  async take(batch: EventBatch): Promise<void> {
    // An event that was missing from the page had been chained before.
    this.places.lookAgain(batch.events);
    for (const event of batch.events) {
      if (event.position > this.taken + 1n) this.gaps.push({ next: this.taken + 1n, end: event.position });
      if (!isChained(event.stream)) {
        if (event.stream === LEAVES_STREAM) await this.compare(event);
      } else if (this.places.isAtEnd) this.add(event);
      else await this.number(event);
      this.taken = event.position;
    }
    await this.writer.commit(batch.position);
  }

  private async number(event: RecordedEvent): Promise<void> {
    for (let expected = await this.expected(); expected; expected = await this.expected()) {
      if (expected.stream === event.stream && BigInt(expected.revision) === event.revision) break;
      if (!(await this.passOver(expected, event))) return;
    }
    this.add(event);
  }

  private add(event: RecordedEvent): void {
    this.writer.add(event);
    this.gaps = [];
  }

  /** Numbers the expected event, which is not `event`. Returns false if it comes later in the log; then `event` is not chained. */
  private async passOver({ stream, revision, logTime }: KnownPlace, event: RecordedEvent): Promise<boolean> {
    const [found] = mayExpire(stream) ? [] : await this.events.readStream(stream, { from: BigInt(revision), limit: 1 });
    const isThere = found?.revision === BigInt(revision);
    if (isThere && found.position > event.position) return false;
    if (isThere) this.writer.add(found);
    else this.writer.addGone({ stream, revision }, this.gapBefore(event.position), logTime);
    if (this.writer.uncommitted >= COMMIT_EVENTS) await this.writer.commit(this.taken);
    return true;
  }

  /** An imported log has no gaps; there it is the position of the following event. */
  private gapBefore(position: Position): Position {
    const [gap] = this.gaps;
    if (!gap) return position;
    const found = gap.next++;
    if (gap.next === gap.end) this.gaps.shift();
    return found;
  }

  private expected(): Promise<KnownPlace | undefined> {
    return this.places.at(this.writer.size);
  }

  /** All events of these leaves come before them or are lost. */
  private async compare(event: RecordedEvent): Promise<void> {
    const leaves = leavesOf(event);
    const last = leaves.from + leaves.count - 1;
    for (let expected = await this.expected(); expected && expected.index <= last; expected = await this.expected())
      if (!(await this.passOver(expected, event))) break;
    if (this.writer.uncommitted > 0) await this.writer.commit(this.taken);
    const place = placeInRuns(leaves, leaves.count - 1);
    if (!place || !this.writer.isAt(last, place)) throw new IndexDiverged(last);
    this.fitsUpTo = last;
  }
}
