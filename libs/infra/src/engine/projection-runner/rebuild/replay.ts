import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { foldEvents } from '#infra/engine/projection-runner/apply-batch.js';
import { EventFailed } from '#infra/engine/projection-runner/failure.js';
import { LostEvents, readsExpiring } from '#infra/engine/projection-runner/lost-events.js';
import { SetAside, SetAsideBatch } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { KnownSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { readSkipped } from '#infra/engine/projection-runner/set-aside/skipped-events.js';
import { setAsideFacts, stepCommit } from '#infra/engine/projection-runner/set-aside/step-commit.js';
import { WorkingSet } from '#infra/engine/projection-runner/working-set.js';
import { awaitedLater } from '#infra/platform/coordination/awaited-later.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { type OriginTrail, withOpenings, withoutOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';

/** Events per read: enough to be efficient, few enough not to block requests on the event loop. */
const PAGE_EVENTS = 200;

/**
 * A step is committed at this many documents, or bytes of them: documents changed by many events are then encoded once. Larger steps are
 * not faster, block other clients of Redis longer, and cost memory.
 */
const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 16 * 2 ** 20;

type ReplayDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  expiring: readonly string[];
  retry: OutageRetry;
  log: Pick<Logger, 'error'>;
  now: () => number;
  /** Default: an empty namespace. */
  start?: ReplayStart;
  /** Position up to which events have been counted. Default: 0. */
  countedTo?: Position;
}>;

/** State of an earlier replay of the namespace. */
export type ReplayStart = Readonly<{ checkpoint: Position; known: KnownSetAside }>;

/**
 * Fills a namespace without other writers from the log, in large steps and bounded memory. While the store writes one step, the next one is
 * computed, and reads documents of the previous step from memory. Partitions with failing events are set aside, as by a `DocumentsApplier`.
 */
export class Replay {
  private set: WorkingSet;
  private readonly lost: LostEvents | null;
  /** Set if each event of this step is encoded separately, so that an encoding failure can be assigned to one event. */
  private eager = false;
  private read: Position = 0n;
  /** End of the last step, written or being written. */
  private flushed: Position = 0n;
  private writing: Promise<void> = Promise.resolve();
  /** Set-aside state at `read`. */
  private setAside = SetAside.NONE;
  /** Set-aside state at `flushed`. */
  private written: KnownSetAside = { setAside: SetAside.NONE, marks: '' };
  private skipped: ReadonlySet<string> | null = null;
  private countedTo: Position;
  /** State of the trail at `flushed`. */
  private flushedTrail: OriginTrail['state'];

  /**
   * @param trail of the namespace
   * @param onPage called after each page with the number of its uncounted events and its end position
   */
  constructor(
    private readonly dependencies: ReplayDependencies,
    private readonly projection: Projection,
    private readonly namespace: Namespace,
    private readonly trail: OriginTrail,
    private readonly onPage: (events: number, position: Position) => Promise<void>,
  ) {
    this.set = new WorkingSet(projection, this.form);
    this.flushedTrail = trail.state;
    const { events, expiring, start, countedTo = 0n } = dependencies;
    const mayHaveLost = this.form === 'versions' && readsExpiring(projection, expiring);
    this.lost = mayHaveLost ? new LostEvents(events, expiring, start !== undefined) : null;
    this.countedTo = start && start.checkpoint > countedTo ? start.checkpoint : countedTo;
    if (!start) return;
    this.read = start.checkpoint;
    this.flushed = start.checkpoint;
    this.setAside = start.known.setAside;
    this.written = start.known;
  }

  /**
   * Applies everything up to the current head of the log.
   * @param floor a position applied elsewhere before this call: the checkpoint ends at or after it
   * @throws EventFailed an event without a partition fails
   * @throws NamespaceGone, DamagedLog, AbortError
   */
  async catchUp(floor: Position): Promise<void> {
    const { events, retry } = this.dependencies;
    this.skipped ??= await retry.retryUntilAvailable(() => readSkipped(events, this.projection.name));
    try {
      while (!(await this.foldAll(floor))) await this.restartStep();
    } finally {
      await this.writing;
    }
  }

  /** Returns false if a document cannot be encoded and the responsible event is unknown. */
  private async foldAll(floor: Position): Promise<boolean> {
    let page = this.readPage(this.read);
    try {
      for (;;) {
        const batch = await page;
        if (!batch.caughtUp) page = this.readPage(batch.position);
        await this.fold(batch);
        if (batch.caughtUp) break;
        await nextTurn();
      }
      // Events applied before this call come before the head just reached, though the head of these categories may be lower.
      await this.flush(this.read > floor ? this.read : floor);
      return true;
    } catch (error) {
      if (error instanceof EncodingFailed && !this.eager) return false;
      throw error instanceof EncodingFailed ? error.cause : error;
    }
  }

  /** Returns to the end of the last step, and encodes the documents of each event separately. */
  private async restartStep(): Promise<void> {
    await this.writing;
    this.set = new WorkingSet(this.projection, this.form === 'versions' ? 'versions' : 'eager');
    this.eager = true;
    this.read = this.flushed;
    this.setAside = this.written.setAside;
    this.trail.reset(this.flushedTrail);
  }

  private get form(): 'versions' | 'newest' {
    return this.dependencies.store.keepsPast?.(this.projection.name) ? 'versions' : 'newest';
  }

  private readPage(after: Position): Promise<EventBatch> {
    const { events, retry } = this.dependencies;
    const categories = withOpenings(this.projection.categories);
    // It is read ahead: if this replay ends before it is awaited, its failure is irrelevant.
    return awaitedLater(retry.retryUntilAvailable(() => events.readAll({ after, categories, limit: PAGE_EVENTS })));
  }

  private async fold({ events: passed, position }: EventBatch): Promise<void> {
    const events = withoutOpenings(passed);
    const { lost, namespace } = this;
    const from = lost && (await this.dependencies.retry.retryUntilAvailable(() => lost.last(events)));
    if (from) await this.dependencies.store.setFrom?.(namespace, from);
    await this.apply(events);
    this.read = position;
    this.trail.passed(passed);
    this.encode(() => this.set.encodeUnread());
    if (this.set.size >= MAX_DOCUMENTS || this.set.bytes >= MAX_BYTES) await this.flush(position);
    const { countedTo } = this;
    if (position > countedTo) this.countedTo = position;
    await this.onPage(position > countedTo ? events.filter((event) => event.position > countedTo).length : 0, position);
  }

  private async apply(events: EventBatch['events']): Promise<void> {
    const { store, decode, retry, now, log } = this.dependencies;
    const context = { partitioning: this.projection.partitions, skipped: this.skipped ?? NONE, after: this.read, now: now() };
    const { batch, failure } = await retry.retryUntilAvailable(async () => {
      const batch = new SetAsideBatch(this.setAside, context);
      return { batch, failure: await foldEvents(this.projection, decode, store.documents(this.namespace), this.set, events, batch) };
    });
    if (failure) throw failure;
    this.setAside = batch.state;
    for (const one of batch.failures)
      log.error(setAsideFacts(this.projection.name, one), 'partition set aside by a rebuild, at an event that fails');
  }

  /** @throws EncodingFailed */
  private encode<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof EventFailed ? new EncodingFailed(error.message, { cause: error }) : error;
    }
  }

  /** Begins to write the step. Returns when the previous step is written. @throws EncodingFailed */
  private async flush(to: Position): Promise<void> {
    if (to <= this.flushed) return;
    const { store, retry } = this.dependencies;
    const { set, setAside } = this;
    const changes = this.encode(() => set.changes());
    const origin = this.trail.at(to);
    const contested = setAside.isEmpty ? [] : set.contestedWrites(this.projection.partitions?.contested ?? []);
    const commit = stepCommit({ changes, contested, setAside }, this.written);
    await this.writing;
    this.writing = retry.commit(store, this.namespace, commit.changes, this.flushed, to, origin, commit.marks);
    this.set = set.next(this.writing);
    this.eager = false;
    this.flushed = to;
    this.written = { setAside, marks: commit.marks.to };
    this.flushedTrail = this.trail.state;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A document possibly written by several events cannot be encoded. */
class EncodingFailed extends Error {
  override readonly name = 'EncodingFailed';
}
