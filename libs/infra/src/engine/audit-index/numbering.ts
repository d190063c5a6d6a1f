import { isChained } from '#domain/integrity/chained.js';
import { mayExpire } from '#domain/integrity/expiring.js';
import { LEAVES_STREAM, placeInRuns } from '#domain/integrity/integrity-events.js';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { type KnownPlace, leavesOf, placesFrom } from './chain-places.js';
import { type IndexDatabases, numberKey } from './databases.js';
import type { IndexWriter } from './index-writer.js';
import { NameReader } from './names.js';

/** The index does not number events as the chain does: events left the log before they were indexed here. It has to be built anew. */
export class IndexDiverged extends Error {
  override readonly name = 'IndexDiverged';
}

/** Events that are added before they are committed. */
const COMMIT_EVENTS = 2_000;

/**
 * Gives the events of the log their indexes. Up to where the chain ended at the start its leaves decide, because events of some streams may have
 * left the log; behind it every event is still there.
 */
export class Numbering {
  private readonly places: AsyncGenerator<KnownPlace>;
  private readonly names: NameReader;
  private expected: KnownPlace | null | undefined;

  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly databases: IndexDatabases,
    private readonly writer: IndexWriter,
  ) {
    this.places = placesFrom(events, writer.size);
    this.names = new NameReader(databases);
  }

  /** Takes a page of the log into the index and commits it. @throws IndexDiverged */
  async take(batch: EventBatch): Promise<void> {
    for (const event of batch.events) {
      if (isChained(event.stream)) await this.number(event);
      else if (event.stream === LEAVES_STREAM) await this.compare(event);
    }
    if (batch.caughtUp) while (await this.next()) await this.passOver();
    await this.writer.commit(batch.position);
  }

  private async number(event: RecordedEvent): Promise<void> {
    for (let expected = await this.next(); expected; expected = await this.next()) {
      if (expected.stream === event.stream && BigInt(expected.revision) === event.revision) {
        this.expected = undefined;
        break;
      }
      if (!(await this.passOver(event))) return;
    }
    this.writer.add(event);
  }

  /** Numbers the expected event, which is not the next one of the log. False: the log has it later; `event` is none of the chain. */
  private async passOver(event?: RecordedEvent): Promise<boolean> {
    const { stream, revision, logTime } = this.expected as KnownPlace;
    if (!mayExpire(stream)) {
      const [found] = await this.events.readStream(stream, { from: BigInt(revision), limit: 1 });
      const isThere = found?.revision === BigInt(revision);
      if (isThere && event && found.position > event.position) return false;
      if (isThere) this.writer.add(found);
      else this.writer.addGone(stream, revision, logTime);
    } else this.writer.addGone(stream, revision, logTime);
    this.expected = undefined;
    if (this.writer.uncommitted >= COMMIT_EVENTS) await this.writer.commit(0n);
    return true;
  }

  private async next(): Promise<KnownPlace | null> {
    if (this.expected === undefined) {
      const { done, value } = await this.places.next();
      this.expected = done ? null : value;
    }
    return this.expected;
  }

  /** Leaves come behind their events, so the index has them by now. */
  private async compare(event: RecordedEvent): Promise<void> {
    const leaves = leavesOf(event);
    const last = leaves.from + leaves.count - 1;
    if (this.writer.uncommitted > 0) await this.writer.commit(0n);
    const place = placeInRuns(leaves, leaves.count - 1);
    const record = this.databases.records.get(numberKey(last));
    if (!record || record.revision !== place?.revision || this.names.nameOf(record.stream) !== place.stream)
      throw new IndexDiverged(`event ${last} is not where the chain has it`);
  }
}
