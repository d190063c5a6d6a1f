import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { nextTurn } from '#infra/coordination/next-turn.js';
import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import { type OriginTrail, withOpenings, withoutOpenings } from '#infra/log-identity/origin.js';
import type { Logger } from '#infra/logging/logger.js';
import { type DecodeEvents, foldEvents } from '#infra/projection-runner/apply-batch.js';
import { EventFailed } from '#infra/projection-runner/failure.js';
import { SetAside, SetAsideBatch } from '#infra/projection-runner/set-aside/set-aside.js';
import { contestedChanges, newMarks, setAsideChanges } from '#infra/projection-runner/set-aside/set-aside-documents.js';
import type { KnownSetAside } from '#infra/projection-runner/set-aside/set-aside-tracker.js';
import { readSkipped } from '#infra/projection-runner/set-aside/skipped-events.js';
import { WorkingSet } from '#infra/projection-runner/working-set.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';

/** Events read at a time: long enough to be cheap, short enough not to keep a server's event loop from its requests. */
const PAGE_EVENTS = 200;

/**
 * Documents are written together once so many are at hand, or so many bytes of them: hot ones are then encoded once for many events. More is
 * no faster, keeps Redis from its other clients for longer, and costs memory.
 */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 16 * 2 ** 20;

export type ReplayParts = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  retry: OutageRetry;
  log: Pick<Logger, 'error'>;
  now: () => number;
  /** Default: an empty namespace. */
  start?: ReplayStart;
  /** Events up to there are not counted: somebody has told of them. Default: 0. */
  told?: Position;
}>;

/** Where an earlier replay of the namespace was. */
export type ReplayStart = Readonly<{ checkpoint: Position; known: KnownSetAside }>;

/**
 * Fills a namespace that nobody else writes to from the log, in large steps and bounded memory. While the store writes one step, the next one
 * is folded; what it reads of the step before it takes from there. Partitions whose events fail are set aside, as in a {@link NamespaceProjector}.
 */
export class Replay {
  private set: WorkingSet;
  /** Each event of this step answers for its own documents. */
  private eager = false;
  private read: Position = 0n;
  /** Where the last step ended, written or being written. */
  private flushed: Position = 0n;
  private writing: Promise<void> = Promise.resolve();
  /** What is set aside at `read`. */
  private setAside = SetAside.NONE;
  /** The same at `flushed`. */
  private written: KnownSetAside = { setAside: SetAside.NONE, marks: '' };
  private skipped: ReadonlySet<string> | null = null;
  private told: Position;
  /** The trail at `flushed`. */
  private trailed: OriginTrail['state'];

  /**
   * @param trail of the namespace, which is empty
   * @param progressed told after each page how many events it had that had not been told of, and up to where it went
   */
  constructor(
    private readonly parts: ReplayParts,
    private readonly projection: Projection,
    private readonly namespace: Namespace,
    private readonly trail: OriginTrail,
    private readonly progressed: (events: number, position: Position) => Promise<void>,
  ) {
    this.set = new WorkingSet(projection);
    this.trailed = trail.state;
    const { start, told = 0n } = parts;
    this.told = start && start.checkpoint > told ? start.checkpoint : told;
    if (!start) return;
    this.read = start.checkpoint;
    this.flushed = start.checkpoint;
    this.setAside = start.known.setAside;
    this.written = start.known;
  }

  /**
   * Applies everything up to the head of the log as it is now.
   * @param floor a position that was applied somewhere before this call: the checkpoint ends there at least
   * @throws EventFailed an event fails that belongs to no partition
   * @throws NamespaceGone, AbortError
   */
  async catchUp(floor: Position): Promise<void> {
    const { events, retry } = this.parts;
    this.skipped ??= await retry.retryUntilAvailable(() => readSkipped(events, this.projection.name));
    try {
      while (!(await this.foldAll(floor))) await this.beginAgain();
    } finally {
      await this.writing;
    }
  }

  /** False: a document cannot be encoded, and it is not known for certain since which event. */
  private async foldAll(floor: Position): Promise<boolean> {
    let page = this.page(this.read);
    try {
      for (;;) {
        const batch = await page;
        if (!batch.caughtUp) page = this.page(batch.position);
        await this.fold(batch);
        if (batch.caughtUp) break;
        await nextTurn();
      }
      // What was applied before we asked lies before the head that has been reached, though the head of these categories may be lower.
      await this.flush(this.read > floor ? this.read : floor);
      return true;
    } catch (error) {
      if (error instanceof EncodingFailed && !this.eager) return false;
      throw error instanceof EncodingFailed ? error.cause : error;
    }
  }

  /** From the last step on, with each event answering for its own documents. */
  private async beginAgain(): Promise<void> {
    await this.writing;
    this.set = new WorkingSet(this.projection, true);
    this.eager = true;
    this.read = this.flushed;
    this.setAside = this.written.setAside;
    this.trail.reset(this.trailed);
  }

  private page(after: Position): Promise<EventBatch> {
    const { events, retry } = this.parts;
    const categories = withOpenings(this.projection.categories);
    const page = retry.retryUntilAvailable(() => events.readAll({ after, categories, limit: PAGE_EVENTS }));
    // It is read ahead: should this replay end before it is awaited, its failure is of no interest.
    page.catch(() => undefined);
    return page;
  }

  private async fold({ events: passed, position }: EventBatch): Promise<void> {
    const events = withoutOpenings(passed);
    await this.apply(events);
    this.read = position;
    this.trail.passed(passed);
    this.encode(() => this.set.encodeUnread());
    if (this.set.size >= MAX_DOCUMENTS || this.set.bytes >= MAX_BYTES) await this.flush(position);
    const told = this.told;
    if (position > told) this.told = position;
    await this.progressed(position > told ? events.filter((event) => event.position > told).length : 0, position);
  }

  private async apply(events: EventBatch['events']): Promise<void> {
    const { store, decode, retry, now, log } = this.parts;
    const parts = { partitioning: this.projection.partitions, skipped: this.skipped ?? NONE, after: this.read, now: now() };
    const { draft, failure } = await retry.retryUntilAvailable(async () => {
      const draft = new SetAsideBatch(this.setAside, parts);
      return { draft, failure: await foldEvents(this.projection, decode, store.documents(this.namespace), this.set, events, draft) };
    });
    if (failure) throw failure;
    this.setAside = draft.state;
    for (const { partition, failure: cause } of draft.failures) {
      const { position, id, type } = cause.event;
      const facts = { projection: this.projection.name, partition, position: `${position}`, eventId: id, type, err: cause.cause };
      log.error(facts, 'partition set aside by a rebuild, at an event that fails');
    }
  }

  /** @throws EncodingFailed */
  private encode<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof EventFailed ? new EncodingFailed(error.message, { cause: error }) : error;
    }
  }

  /** Returns when the store is done with the step before this one. @throws EncodingFailed */
  private async flush(to: Position): Promise<void> {
    if (to <= this.flushed) return;
    const { store, retry } = this.parts;
    const set = this.set;
    const changes = this.encode(() => set.changes());
    const origin = this.trail.at(to);
    const before = this.written;
    const own = setAsideChanges(before.setAside, this.setAside);
    const marks = own.marked ? newMarks(this.setAside) : before.marks;
    const notes = this.setAside.isEmpty ? [] : contestedChanges(set.contestedWrites(this.projection.partitions?.contested ?? []));
    await this.writing;
    const all = own.changes.length + notes.length > 0 ? [...changes, ...notes, ...own.changes] : changes;
    this.writing = retry.commit(store, this.namespace, all, this.flushed, to, origin, { from: before.marks, to: marks });
    this.set = set.next(this.writing);
    this.eager = false;
    this.flushed = to;
    this.written = { setAside: this.setAside, marks };
    this.trailed = this.trail.state;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A document that several events may have written cannot be encoded. */
class EncodingFailed extends Error {
  override readonly name = 'EncodingFailed';
}
