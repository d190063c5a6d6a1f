import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage, StepRefused } from '#infra/platform/program/outage.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { OriginTrail, withoutOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import {
  type Change,
  DocumentsLost,
  type Namespace,
  NamespaceGone,
  type Progress,
  type ReadStore,
} from '#projections/shared/read-store.js';
import { EventFailed } from './failure.js';
import { LostEvents, readsExpiring } from './lost-events.js';
import type { TimedEvent } from './progress/pace.js';
import type { RunnerTiming } from './runner-timing.js';
import type { LeftOutEvents, PartitionFailure } from './set-aside/set-aside.js';
import { newToken, readSetAside } from './set-aside/set-aside-documents.js';
import type { KnownSetAside } from './set-aside/set-aside-tracker.js';
import { readSkipped } from './set-aside/skipped-events.js';
import { OpenStep } from './steps/open-step.js';
import { RecentDocuments } from './steps/recent-documents.js';

type ApplyDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  expiring: readonly string[];
  retry: OutageRetry;
  log: Pick<Logger, 'error'>;
  now: () => number;
  timing: Pick<RunnerTiming, 'idleCommitMs'>;
  /** Failing events to leave out. Default: none. */
  alike?: LeftOutEvents | undefined;
}>;

/** Events that were applied together. `position`: everything up to there is applied. `seconds`: from their arrival to the end of the commit. */
type Applied = Readonly<{ events: readonly RecordedEvent[]; position: Position; slowest: TimedEvent | null; seconds: number }>;

/** The documents to which events are applied: those that are served, or a build beside them. */
export type Target = Readonly<{
  /**
   * Each batch is a step. Its changes are committed at once, for readers, but may be lost in a crash; progress alone is committed at times.
   * Otherwise steps are large, and committed durably.
   */
  isServed: boolean;
  /** Makes a commit after which the set-aside state is the given one. */
  setAside: (known: KnownSetAside, commit: () => Promise<void>) => Promise<void>;
  /** Called after each part of a batch, whether it was due for a commit or not. */
  applied: (applied: Applied) => void;
}>;

/**
 * Applies batches of the log to one namespace, served or built, in this order: pass over what is set aside or skipped → decode → fetch what
 * handlers read → fold, event by event → if the step is due: encode → commit documents, set-aside state, origin and checkpoint → tell the target.
 * Every event counts exactly once, because the commit moves the checkpoint.
 *
 * A failing event sets its partition aside. A step that cannot be encoded, or that the store refuses, goes back to its beginning and is
 * repeated with half as many events, down to the one that fails.
 */
export class Apply {
  private step: OpenStep;
  private readonly recent: RecentDocuments;
  /** Maximum events of a step; 0: the next event was refused, and fails. */
  private most = Number.POSITIVE_INFINITY;
  private refusal: unknown;
  /** By the monotonic clock. */
  private committedAt = Number.NEGATIVE_INFINITY;
  /** Set if events were applied since the last commit. */
  private isUncommitted = false;
  /** First position that the documents can show, as far as this process has raised it. */
  private from: Position = 0n;

  private constructor(
    private readonly dependencies: ApplyDependencies,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly target: Target,
    /** State of the namespace in the store. */
    private stored: Readonly<{ checkpoint: Position; known: KnownSetAside }>,
    private readonly trail: OriginTrail,
    private readonly skipped: ReadonlySet<string>,
    /** Present while the past of the documents may have to begin later than the log. */
    private lost: LostEvents | null,
  ) {
    this.recent = new RecentDocuments(projection.sealed);
    this.step = this.newStep(stored.checkpoint);
  }

  /** Continues at the checkpoint of the namespace. @throws NamespaceGone, AbortError */
  static async open(dependencies: ApplyDependencies, projection: Projection, namespace: Namespace, target: Target): Promise<Apply> {
    const { events, store, expiring, retry } = dependencies;
    const skipped = await retry.retryUntilAvailable(() => readSkipped(events, projection.name));
    const { checkpoint, origin } = await retry.retryUntilAvailable(() => store.progress(namespace));
    const known = await retry.retryUntilAvailable(() => readSetAside(store, namespace)); // a change after the checkpoint has moved it
    const trail = new OriginTrail(origin, checkpoint);
    const isFirst = !target.isServed || trail.isBuilding;
    const mayHaveLost = isFirst && store.keepsPast?.(projection.name) && readsExpiring(projection, expiring);
    const lost = mayHaveLost ? new LostEvents(events, expiring, checkpoint > 0n) : null;
    return new Apply(dependencies, projection, namespace, target, { checkpoint, known }, trail, skipped, lost);
  }

  /** Position up to which everything is applied, perhaps in a step that is not committed yet. */
  get processed(): Position {
    return this.step.processed;
  }

  /** Position and origin of the log up to there. */
  get progress(): Progress {
    return { checkpoint: this.processed, origin: this.trail.at(this.processed) ?? null };
  }

  /** Returns whether the documents are served, but have never shown the whole log: they do once a batch is taken that has caught up with it. */
  get isBuilding(): boolean {
    return this.target.isServed && this.trail.isBuilding;
  }

  /** The stored set-aside state. */
  get known(): KnownSetAside {
    return this.stored.known;
  }

  /**
   * Applies events of the batch after `processed`: all, or as many as the step may have. After a refusal or an outage `processed` may be
   * lower than before: go on from there.
   * @throws NamespaceGone, CheckpointConflict, DamagedLog, AbortError
   */
  async take(batch: EventBatch): Promise<void> {
    const { step } = this;
    const passed = batch.events.filter(({ position }) => position > step.processed);
    const all = withoutOpenings(passed);
    const room = Math.max(1, this.most - step.events);
    const fresh = all.length > room ? all.slice(0, room) : all;
    const to = (fresh.length < all.length && fresh.at(-1)?.position) || batch.position;
    const { lost } = this;
    if (lost) await this.raiseFrom(await this.dependencies.retry.retryUntilAvailable(() => lost.last(fresh)));
    await this.orGoBack(fresh.length, () => this.advance(batch, passed, fresh, to));
  }

  /** Skips to a position without events. Returns `false` if that must be committed: take it as a batch. */
  pass(position: Position): boolean {
    const isPassed = !this.isProgressDue(true);
    if (isPassed) this.step.reach(position, 0);
    return isPassed;
  }

  /** Commits what is applied. Returns `false` if it was refused: go on from `processed`. @param floor position that the checkpoint reaches */
  async flush(floor: Position): Promise<boolean> {
    this.step.reach(floor, 0);
    return this.processed <= this.stored.checkpoint || (await this.orGoBack(0, () => this.end(true)));
  }

  /** Applies the events `fresh` of those that are `passed` on the way to a position of the batch. */
  private async advance(batch: EventBatch, passed: readonly RecordedEvent[], fresh: readonly RecordedEvent[], to: Position): Promise<void> {
    const begun = performance.now();
    const { step, trail, target } = this;
    await this.fold(fresh);
    await this.raiseFrom(step.set.lost);
    trail.passed(to < batch.position ? passed.filter(({ position }) => position <= to) : passed);
    step.reach(to, fresh.length);
    this.isUncommitted ||= fresh.length > 0;
    const isWhole = batch.caughtUp && to >= batch.position && trail.isBuilding;
    if (isWhole) trail.complete();
    if (!target.isServed) step.set.encodeUnread();
    const isFull = step.isFull || step.events >= this.most;
    const isDue = isWhole || (target.isServed ? this.isProgressDue(batch.caughtUp) : isFull);
    if (target.isServed || isDue) await this.end(isDue, isWhole);
    if (isWhole) this.lost = null;
    target.applied({ events: fresh, position: to, slowest: step.set.slowest, seconds: (performance.now() - begun) / 1000 });
  }

  private async fold(events: readonly RecordedEvent[]): Promise<void> {
    const { store, decode } = this.dependencies;
    const [first] = events;
    if (this.most < 1 && first) this.step.refuse(first, new EventFailed(first, this.refusal));
    else if (first) await this.step.fold(decode, store.documents(this.namespace), events);
  }

  /** Makes the position of an event before which others are lost the first that the documents can show. */
  private async raiseFrom(position: Position | null): Promise<void> {
    if (!this.lost || position === null || position <= this.from) return;
    await this.dependencies.store.setFrom?.(this.namespace, position);
    this.from = position;
  }

  /** Returns whether progress without changes must be committed: other processes learn of it only from commits. */
  private isProgressDue(caughtUp: boolean): boolean {
    const { timing } = this.dependencies;
    return (caughtUp && this.isUncommitted) || performance.now() - this.committedAt >= timing.idleCommitMs;
  }

  /** Ends the step: commits it if it has changed anything, if its progress is due, or that the documents show the whole log. */
  private async end(isDue: boolean, isWhole = false): Promise<void> {
    const { step, stored } = this;
    const { changes, isMarked } = step.changes(stored.known.setAside);
    step.set.remember();
    const { setAside } = step;
    const known =
      setAside === stored.known.setAside ? stored.known : { setAside, token: isMarked ? newToken(setAside) : stored.known.token };
    if (changes.length > 0 || isWhole || (isDue && step.processed > stored.checkpoint)) await this.commit(changes, known);
    this.step = this.newStep(step.processed);
  }

  private async commit(changes: readonly Change[], known: KnownSetAside): Promise<void> {
    const { store, retry, log } = this.dependencies;
    const { namespace, step, stored, target } = this;
    const to = step.processed;
    const content = [namespace, changes, stored.checkpoint, to, this.trail.at(to)] as const;
    const isSoon = target.isServed && known.token === stored.known.token;
    const commit = () => (isSoon ? retry.commitSoon(store, ...content) : retry.commit(store, ...content, known.token));
    await (known === stored.known ? commit() : target.setAside(known, commit));
    const moment = target.isServed ? '' : ' by a rebuild';
    for (const failure of step.failures)
      log.error(factsOf(this.projection.name, failure), `partition set aside${moment} at an event that fails`);
    this.stored = { checkpoint: to, known };
    this.most = Math.max(1, this.most) * 2;
    this.committedAt = performance.now();
    this.isUncommitted = false;
  }

  /**
   * Returns `false` if the step is at its beginning again: the work was refused, or a store was away while it was folded.
   * @param more events beyond those of the step
   */
  private async orGoBack(more: number, work: () => Promise<void>): Promise<boolean> {
    const { step } = this;
    const { retry } = this.dependencies;
    const count = step.events + more;
    try {
      await work();
      retry.reset();
      return true;
    } catch (error) {
      // Documents of a build do not come back, so waiting for them would never end. Served ones are built again.
      if (error instanceof DocumentsLost && !this.target.isServed)
        throw new NamespaceGone(`the build of ${this.projection.name} has lost documents`);
      if (isOutage(error)) await retry.pause(error);
      else this.narrow(error, count);
      this.trail.reset(step.trail);
      this.recent.clear();
      this.step = this.newStep(step.from);
      return false;
    }
  }

  /** @throws the error, unless it is a refusal of events of the step */
  private narrow(error: unknown, count: number): void {
    if (!(error instanceof StepRefused || error instanceof EventFailed) || count === 0) throw error;
    this.refusal = error.cause;
    this.most = Math.floor(Math.min(this.most, count) / 2);
  }

  private newStep(from: Position): OpenStep {
    const { dependencies, projection, skipped, recent, trail, stored } = this;
    const form = dependencies.store.keepsPast?.(projection.name) ? 'versions' : 'newest';
    const context = { skipped, alike: dependencies.alike, now: dependencies.now };
    return new OpenStep(projection, form, recent, context, trail.state, stored.known.setAside, from);
  }
}

/** Members of a log line about a partition that was set aside. */
const factsOf = (projection: string, { partition, failure }: PartitionFailure): object => {
  const { position, id, type } = failure.event;
  return { projection, partition, position: `${position}`, eventId: id, type, err: failure.cause };
};
