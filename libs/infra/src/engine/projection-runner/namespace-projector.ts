import { type EventBatch, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { allReach } from '#infra/engine/projection-runner/progress/position-gate.js';
import { outlastHold } from '#infra/engine/projection-runner/set-aside/commit-hold.js';
import { Resumption } from '#infra/engine/projection-runner/set-aside/resumption.js';
import type { SetAside } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import type { KnownSetAside } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { readSkipped } from '#infra/engine/projection-runner/set-aside/skipped-events.js';
import { setAsideFacts, stepCommit } from '#infra/engine/projection-runner/set-aside/step-commit.js';
import { refuseUnlessOutage, StepRefused } from '#infra/platform/coordination/outage.js';
import { OriginTrail, withOpenings, withoutOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, isHold, MarksConflict, type Namespace } from '#projections/shared/read-store.js';
import { applyBatch, type BatchOutcome, batchOf, type StepOutcome } from './apply-batch.js';
import type { RunnerDependencies } from './dependencies.js';
import { EventFailed } from './failure.js';
import { Mutex } from './mutex.js';
import { assertNotLost, type ProjectorHost } from './projector-host.js';
import { StepSize } from './step-size.js';

/**
 * A part of a batch that is applied in one commit and reaches the position `to`. `passed`: events that have not been processed, openings of the log
 * among them. `fresh`: the events to apply; without any there is no outcome.
 */
type Part = Readonly<{
  passed: readonly RecordedEvent[];
  fresh: readonly RecordedEvent[];
  outcome: BatchOutcome | null;
  to: Position;
}>;

/**
 * Applies the log to one namespace. Each batch is one commit that moves the checkpoint too, so every event counts exactly once. A partition whose
 * event fails is set aside in that same commit, and its later events are held back; {@link Resumption} brings it back.
 * When the checkpoint turns out to have moved without us, another runner is at work: from then on we only watch it, batch by batch, until it
 * stands still.
 */
export class NamespaceProjector {
  /** The checkpoint in the store, as far as we know. */
  private stored: Position = 0n;
  /** Everything up to here is in the documents, or held back. Ahead of `stored` by events that changed nothing. */
  private processed: Position = 0n;
  /** There are events between `stored` and `processed`. */
  private uncommitted = false;
  private standby = false;
  private committedAt = 0;
  /** Origin of what is stored, and of what has been processed since. */
  private trail = new OriginTrail(null, 0n);
  private readonly steps = new StepSize();
  private skipped: ReadonlySet<string> = new Set();
  private readonly mutex = new Mutex();
  private readonly leaving = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly host: ProjectorHost,
  ) {
    this.signal = AbortSignal.any([host.signal, this.leaving.signal]);
  }

  /**
   * Returns on the signal, or after `leave`.
   * @throws NamespaceGone another build is served
   * @throws CheckpointLost
   * @throws EventStoreUnavailable the log was closed
   */
  async follow(): Promise<void> {
    const { signal } = this.host;
    await this.begin();
    let lost: unknown;
    const resumption = this.newResumption()
      .run()
      .catch((error: unknown) => {
        lost = error;
        this.leave();
      });
    try {
      await this.followLog();
    } finally {
      this.leave();
      await resumption;
    }
    if (lost !== undefined && !signal.aborted) throw lost;
    if (signal.aborted && this.processed > this.stored && !this.standby)
      await this.commit({ changes: [], contested: [], setAside: this.host.tracker.known.setAside }, this.processed);
    await this.dependencies.store.flush().catch(() => undefined); // for whoever goes on
  }

  /** Ends `follow` soon: the documents of this namespace are no longer those to follow. */
  leave(): void {
    this.leaving.abort();
  }

  /** Reads the set-aside state after the checkpoint: a change of it in between makes our first commit fail. */
  private async begin(): Promise<void> {
    const { events, store, now } = this.dependencies;
    const { gate, tracker, retry } = this.host;
    this.skipped = await retry.retryUntilAvailable(() => readSkipped(events, this.projection.name));
    this.stored = await this.readCheckpoint();
    await retry.retryUntilAvailable(() => tracker.load(store, this.namespace));
    this.processed = this.stored;
    if (this.stored < gate.position) gate.rewind(this.stored);
    gate.advance(this.stored, now());
  }

  private async followLog(): Promise<void> {
    const categories = withOpenings(this.projection.categories);
    const { signal } = this;
    for await (const batch of this.dependencies.events.subscribeAll({ after: this.stored, categories, signal })) {
      if (signal.aborted) break; // the batch may come from another log
      await this.handle(batch);
      this.host.onBatch(batch);
    }
    if (!signal.aborted) throw new EventStoreUnavailable('the subscription ended');
  }

  private newResumption(): Resumption {
    const { dependencies, projection, namespace } = this;
    return new Resumption({
      dependencies,
      projection,
      documents: dependencies.store.documents(namespace),
      tracker: this.host.tracker,
      retry: this.host.retry,
      signal: this.signal,
      exclusively: (work) => this.mutex.run(work),
      processed: () => this.processed,
      commit: (outcome, known) => this.commit(outcome, this.processed, known),
      overtaken: (actual) => this.overtaken(actual),
      isStandby: () => this.standby,
      takeOver: () => this.mutex.run(() => this.takeOver()),
      reload: () => this.loadSetAside(),
    });
  }

  private async handle(batch: EventBatch): Promise<void> {
    while (batch.position > this.processed) {
      try {
        const failure = await this.mutex.run(async () => (this.standby && (await this.watch(batch)) ? 'done' : this.advance(batch)));
        if (failure === 'done') return;
        if (failure) await this.stopAt(failure);
      } catch (error) {
        await this.recover(error, batch);
      }
    }
  }

  private async stopAt(failure: EventFailed): Promise<void> {
    await this.host.stopAt(failure);
    const actual = await this.readCheckpoint();
    if (actual !== this.stored) this.overtaken(actual);
  }

  /** After a step that was not committed. @throws the error, unless the step is to be tried again */
  private async recover(error: unknown, batch: EventBatch): Promise<void> {
    if (error instanceof MarksConflict) await this.loadSetAside();
    else if (error instanceof CheckpointConflict) this.overtaken(error.actual);
    else if (error instanceof StepRefused)
      this.steps.narrow(batch.events.filter(({ position }) => position > this.processed).length, error.cause);
    else throw error;
  }

  /** Applies what is new in the batch. @returns the failure of an event that belongs to no partition: everything before it is applied */
  private async advance(batch: EventBatch): Promise<EventFailed | null> {
    const started = performance.now();
    const { known } = this.host.tracker;
    const passed = batch.events.filter(({ position }) => position > this.processed);
    const all = withoutOpenings(passed);
    const fresh = this.steps.first(all);
    const outcome = fresh.length > 0 ? await this.apply(fresh, known.setAside) : null;
    const failure = outcome?.failure ?? null;
    const reached = fresh.length < all.length ? (fresh.at(-1)?.position ?? batch.position) : batch.position;
    const to = failure ? (fresh.findLast(({ position }) => position < failure.event.position)?.position ?? this.processed) : reached;
    if (to > this.processed) {
      await this.finish(batch, { passed, fresh, outcome, to }, known);
      if (fresh.length > 0) this.host.times.add((performance.now() - started) / 1000, fresh.length);
    }
    return failure;
  }

  /** Commits the step if that is due, and counts it as processed. */
  private async finish(batch: EventBatch, { passed, fresh, outcome, to }: Part, known: KnownSetAside): Promise<void> {
    const step = outcome ?? { changes: [], contested: [], setAside: known.setAside, failure: null };
    const { state } = this.trail;
    this.trail.passed(to < batch.position ? passed.filter(({ position }) => position <= to) : passed);
    this.uncommitted ||= fresh.length > 0;
    const isWhole = batch.caughtUp && to === batch.position && this.trail.isBuilding;
    if (isWhole) this.trail.complete();
    const hasChanged = step.changes.length > 0 || step.setAside !== known.setAside || step.failure !== null || isWhole;
    if (hasChanged || this.isProgressDue(batch))
      await this.commit(step, to, known).catch((error: unknown) => {
        this.trail.reset(state); // the events will pass again
        throw error;
      });
    for (const failure of outcome?.failures ?? [])
      this.dependencies.log.error(setAsideFacts(this.projection.name, failure), 'partition set aside at an event that fails');
    this.processed = to;
    this.host.gate.advance(to, this.dependencies.now());
    this.steps.widen();
  }

  /** Whether progress without a change has to be committed: other runners, and waiters in other processes, learn of it only from commits. */
  private isProgressDue(batch: EventBatch): boolean {
    const { now, timing } = this.dependencies;
    return (batch.caughtUp && this.uncommitted) || now() - this.committedAt >= timing.idleCommitMs;
  }

  private apply(fresh: readonly RecordedEvent[], setAside: SetAside): Promise<BatchOutcome> {
    const { decode, store, now } = this.dependencies;
    const start = { setAside, skipped: this.skipped, after: this.processed, now: now() };
    const [first] = fresh;
    if (this.steps.isRefused && first)
      return Promise.resolve(batchOf(new EventFailed(first, this.steps.refusal), first, this.projection, start));
    return this.host.retry.retryUntilAvailable(() =>
      applyBatch(this.projection, decode, store.documents(this.namespace), fresh, start).catch(refuseUnlessOutage),
    );
  }

  /** @param known the set-aside state before the step, with its marks: if they have changed since, nothing is written */
  private async commit(outcome: StepOutcome, to: Position, known: KnownSetAside = this.host.tracker.known): Promise<void> {
    const { tracker, retry } = this.host;
    if (isHold(known.marks)) await outlastHold(this.dependencies.store, this.namespace, known.marks, this.signal);
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
      // The tracker may have learned already of changes that came after ours.
      if (tracker.known === known) tracker.take({ setAside: outcome.setAside, marks: marks.to });
      else await this.loadSetAside();
    } finally {
      tracker.announce(null);
    }
  }

  /** Reads the checkpoint in the store. The trail goes on from there. */
  private async readCheckpoint(): Promise<Position> {
    const { checkpoint, origin } = await this.host.retry.retryUntilAvailable(() => this.dependencies.store.progress(this.namespace));
    this.trail = new OriginTrail(origin, checkpoint);
    return checkpoint;
  }

  private loadSetAside(): Promise<void> {
    return this.host.retry.retryUntilAvailable(() => this.host.tracker.load(this.dependencies.store, this.namespace));
  }

  private overtaken(actual: Position): void {
    assertNotLost(this.projection, this.stored, actual);
    if (!this.standby)
      this.dependencies.log.info({ projection: this.projection.name, position: `${actual}` }, 'another runner is at work: standing by');
    this.standby = true;
    this.stored = actual;
    this.processed = actual > this.processed ? actual : this.processed;
    this.host.gate.advance(actual, this.dependencies.now());
  }

  /** Called when the other runner is gone although there is work to do. */
  private async takeOver(): Promise<void> {
    if (!this.standby) return;
    const actual = await this.readCheckpoint();
    assertNotLost(this.projection, this.stored, actual);
    await this.workFrom(actual);
  }

  /** Ends the standby. */
  private async workFrom(actual: Position): Promise<void> {
    const { log, now } = this.dependencies;
    log.info({ projection: this.projection.name, position: `${actual}` }, 'the other runner stands still: taking over');
    await this.loadSetAside();
    this.standby = false;
    this.stored = actual;
    this.processed = actual;
    this.host.gate.advance(actual, now());
  }

  /** Waits until the other runner is past this batch. @returns false when its checkpoint stands still, and we are at work again */
  private async watch(batch: EventBatch): Promise<boolean> {
    const { gate, takeoverMs } = this.host;
    const { now } = this.dependencies;
    const last = batch.events.at(-1)?.position ?? 0n;
    for (let seen = gate.position; last > this.processed; seen = gate.position) {
      if (await allReach([gate], last, takeoverMs)) break;
      this.signal.throwIfAborted();
      if (gate.position > seen) continue;
      const actual = await this.readCheckpoint();
      assertNotLost(this.projection, seen, actual);
      gate.advance(actual, now());
      if (actual > seen) continue;
      await this.workFrom(actual);
      return false;
    }
    this.processed = batch.position;
    return true;
  }
}
