import type { EventBatch } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { KnownSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { readSkipped } from '#infra/engine/projection-runner/set-aside/skipped-events.js';
import { type StepOutcome, setAsideFacts, stepCommit } from '#infra/engine/projection-runner/set-aside/step-commit.js';
import { refuseUnlessOutage, StepRefused } from '#infra/platform/program/outage.js';
import { OriginTrail, withoutOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, MarksConflict, type Namespace } from '#projections/shared/read-store.js';
import { applyBatch, type BatchOutcome, batchOf } from './apply-batch.js';
import type { RunnerDependencies } from './dependencies.js';
import { EventFailed } from './failure.js';
import { LostEvents, readsExpiring } from './lost-events.js';
import type { MailboxMember } from './mailbox.js';
import type { Projector } from './projector.js';
import { type ProjectorHost } from './projector-host.js';
import { RecentDocuments } from './recent-documents.js';
import { StepSize } from './step-size.js';

/**
 * A part of a batch that is applied in one commit and reaches the position `to`. `passed`: unprocessed events, including openings of the
 * log. `fresh`: the events to apply; without any there is no outcome.
 */
type Part = Readonly<{
  passed: readonly RecordedEvent[];
  fresh: readonly RecordedEvent[];
  outcome: BatchOutcome | null;
  to: Position;
}>;

/**
 * Applies the log to one namespace. Each batch is one commit that also moves the checkpoint, so every event counts exactly once. If an
 * event fails, the same commit sets its partition aside, and its later events are held back until a rebuild.
 */
export class DocumentsApplier implements MailboxMember {
  /** Last known checkpoint in the store. */
  private stored: Position = 0n;
  /** Ahead of `stored` by events without changes. */
  private applied: Position = 0n;
  /** True if there are events between `stored` and `applied`. */
  private uncommitted = false;
  private committedAt = 0;
  /** Origin of the stored state and of what was applied since. */
  private trail = new OriginTrail(null, 0n);
  private readonly steps = new StepSize();
  private skipped: ReadonlySet<string> = new Set();
  /** Present for a first build, whose past may have to begin later than the log. */
  private lost: LostEvents | null = null;
  private readonly recent: RecentDocuments;
  private readonly leaving = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projector: Projector,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly host: ProjectorHost,
  ) {
    this.recent = new RecentDocuments(projection.sealed);
    this.signal = AbortSignal.any([host.signal, this.leaving.signal]);
  }

  get categories(): readonly string[] {
    return this.projection.categories;
  }

  get processed(): Position {
    return this.applied;
  }

  /**
   * Returns on the signal, or after `leave`.
   * @throws NamespaceGone another build is served
   * @throws CheckpointConflict another runner is active
   * @throws EventStoreUnavailable the log was closed
   */
  async follow(): Promise<void> {
    const { signal } = this.host;
    await this.begin();
    await this.projector.follow(this, this.signal);
    if (signal.aborted) await this.rest();
    await this.dependencies.store.flush().catch(() => undefined); // for the next process
  }

  /** Ends `follow` soon, because the documents of this namespace are no longer followed. */
  leave(): void {
    this.leaving.abort();
  }

  async take(batch: EventBatch): Promise<void> {
    while (batch.position > this.applied) {
      try {
        const failure = await this.advance(batch);
        if (failure) await this.stopAt(failure);
      } catch (error) {
        await this.recover(error, batch);
      }
    }
    this.host.onBatch(batch);
  }

  pass(position: Position): boolean {
    if (this.isProgressDue(true)) return false;
    if (position > this.applied) {
      this.applied = position;
      this.host.gate.advance(position, this.dependencies.now());
    }
    return true;
  }

  async rest(): Promise<void> {
    const { setAside } = this.host.tracker.known;
    if (this.applied > this.stored) await this.commit({ changes: [], setAside }, this.applied);
  }

  /** Reads the set-aside state after the checkpoint, so that a change in between makes our first commit fail. */
  private async begin(): Promise<void> {
    const { events, store, now } = this.dependencies;
    const { gate, tracker, retry } = this.host;
    this.recent.clear();
    this.skipped = await retry.retryUntilAvailable(() => readSkipped(events, this.projection.name));
    const { checkpoint, origin } = await retry.retryUntilAvailable(() => store.progress(this.namespace));
    this.stored = checkpoint;
    this.trail = new OriginTrail(origin, checkpoint);
    const { expiring } = this.dependencies;
    const mayHaveLost = this.trail.isBuilding && this.keepsPast && readsExpiring(this.projection, expiring);
    this.lost = mayHaveLost ? new LostEvents(events, expiring, checkpoint > 0n) : null;
    await retry.retryUntilAvailable(() => tracker.load(store, this.namespace));
    this.applied = checkpoint;
    if (checkpoint < gate.position) gate.rewind(checkpoint);
    gate.advance(checkpoint, now());
  }

  private async stopAt(failure: EventFailed): Promise<void> {
    await this.host.stopAt(failure);
    const { checkpoint } = await this.host.retry.retryUntilAvailable(() => this.dependencies.store.progress(this.namespace));
    if (checkpoint !== this.stored) throw new CheckpointConflict(this.projection.name, this.stored, checkpoint);
  }

  /** Handles a step that was not committed. @throws the error, unless the step is to be repeated */
  private async recover(error: unknown, batch: EventBatch): Promise<void> {
    this.recent.clear();
    if (error instanceof MarksConflict) await this.loadSetAside();
    else if (error instanceof StepRefused)
      this.steps.narrow(batch.events.filter(({ position }) => position > this.applied).length, error.cause);
    else throw error;
  }

  /** Applies the new events of the batch. @returns the failure of an event without a partition; everything before it is applied */
  private async advance(batch: EventBatch): Promise<EventFailed | null> {
    const started = performance.now();
    const { known } = this.host.tracker;
    const passed = batch.events.filter(({ position }) => position > this.applied);
    const all = withoutOpenings(passed);
    const fresh = this.steps.first(all);
    const outcome = fresh.length > 0 ? await this.apply(fresh, known.setAside) : null;
    const failure = outcome?.failure ?? null;
    const reached = fresh.length < all.length ? (fresh.at(-1)?.position ?? batch.position) : batch.position;
    const to = failure ? (fresh.findLast(({ position }) => position < failure.event.position)?.position ?? this.applied) : reached;
    if (to > this.applied) {
      await this.noteLost(fresh);
      await this.finish(batch, { passed, fresh, outcome, to }, known);
      if (fresh.length > 0) {
        this.host.times.add((performance.now() - started) / 1000, fresh.length);
        this.host.pace.add(fresh, outcome?.slowest ?? null, this.dependencies.now());
      }
    }
    return failure;
  }

  private get keepsPast(): boolean {
    return this.dependencies.store.keepsPast?.(this.projection.name) ?? false;
  }

  private async noteLost(events: readonly RecordedEvent[]): Promise<void> {
    const { lost } = this;
    const from = lost && (await this.host.retry.retryUntilAvailable(() => lost.last(events)));
    if (from) await this.dependencies.store.setFrom?.(this.namespace, from);
  }

  /** Commits the step if that is due, and counts it as processed. */
  private async finish(batch: EventBatch, { passed, fresh, outcome, to }: Part, known: KnownSetAside): Promise<void> {
    const step = outcome ?? { changes: [], setAside: known.setAside, failure: null };
    const { state } = this.trail;
    this.trail.passed(to < batch.position ? passed.filter(({ position }) => position <= to) : passed);
    this.uncommitted ||= fresh.length > 0;
    const isWhole = batch.caughtUp && to === batch.position && this.trail.isBuilding;
    if (isWhole) {
      this.trail.complete();
      this.lost = null;
    }
    const hasChanged = step.changes.length > 0 || step.setAside !== known.setAside || step.failure !== null || isWhole;
    if (hasChanged || this.isProgressDue(batch.caughtUp))
      await this.commit(step, to, known).catch((error: unknown) => {
        this.trail.reset(state); // the events will be read again
        throw error;
      });
    for (const failure of outcome?.failures ?? [])
      this.dependencies.log.error(setAsideFacts(this.projection.name, failure), 'partition set aside at an event that fails');
    this.applied = to;
    this.host.gate.advance(to, this.dependencies.now());
    this.steps.widen();
  }

  /** Returns whether progress without changes must be committed: other runners and processes learn of it only from commits. */
  private isProgressDue(caughtUp: boolean): boolean {
    const { now, timing } = this.dependencies;
    return (caughtUp && this.uncommitted) || now() - this.committedAt >= timing.idleCommitMs;
  }

  private apply(fresh: readonly RecordedEvent[], setAside: SetAside): Promise<BatchOutcome> {
    const { store, now } = this.dependencies;
    const { decode } = this.projector;
    const start = { setAside, skipped: this.skipped, now: now(), versions: this.keepsPast, recent: this.recent };
    const [first] = fresh;
    if (this.steps.isRefused && first)
      return Promise.resolve(batchOf(new EventFailed(first, this.steps.refusal), first, this.projection, start));
    return this.host.retry.retryUntilAvailable(() =>
      applyBatch(this.projection, decode, store.documents(this.namespace), fresh, start).catch(refuseUnlessOutage),
    );
  }

  /** @param known set-aside state before the step, with its marks: if these have changed, nothing is written */
  private async commit(outcome: StepOutcome, to: Position, known: KnownSetAside = this.host.tracker.known): Promise<void> {
    const { tracker, retry } = this.host;
    const { changes, marks } = stepCommit(outcome, known);
    tracker.announce(marks.to);
    try {
      const { store } = this.dependencies;
      const step = [this.namespace, changes, this.stored, to, this.trail.at(to)] as const;
      await (marks.from === marks.to ? retry.commitSoon(store, ...step, marks.from) : retry.commit(store, ...step, marks));
      this.stored = to;
      this.uncommitted = false;
      this.committedAt = this.dependencies.now();
      if (outcome.setAside === known.setAside) return;
      // The tracker may already know of changes later than ours.
      if (tracker.known === known) tracker.take({ setAside: outcome.setAside, marks: marks.to });
      else await this.loadSetAside();
    } finally {
      tracker.announce(null);
    }
  }

  private loadSetAside(): Promise<void> {
    return this.host.retry.retryUntilAvailable(() => this.host.tracker.load(this.dependencies.store, this.namespace));
  }
}
