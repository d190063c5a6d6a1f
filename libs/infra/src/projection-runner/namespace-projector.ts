import { type EventBatch, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { refuseUnlessOutage, StepRefused } from '#infra/coordination/outage.js';
import { OriginTrail, withOpenings, withoutOpenings } from '#infra/log-identity/origin.js';
import { Resumption } from '#infra/projection-runner/set-aside/resumption.js';
import type { SetAside } from '#infra/projection-runner/set-aside/set-aside.js';
import { contestedChanges, newMarks, setAsideChanges } from '#infra/projection-runner/set-aside/set-aside-documents.js';
import type { KnownSetAside } from '#infra/projection-runner/set-aside/set-aside-tracker.js';
import { readSkipped } from '#infra/projection-runner/set-aside/skipped-events.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, MarksConflict, type Namespace } from '#projections/shared/read-store.js';
import { applyBatch, type BatchOutcome, batchOf, type StepOutcome } from './apply-batch.js';
import type { RunnerDependencies } from './dependencies.js';
import { EventFailed } from './failure.js';
import { Mutex } from './mutex.js';
import { allReach } from './position-gate.js';
import { CheckpointLost, type ProjectorHost } from './projector-host.js';

/**
 * Follows the log into one namespace: each batch is one commit that moves the checkpoint too, so every event counts exactly once. A partition whose
 * event fails is set aside in that same commit, and its later events are held back; see {@link Resumption} for how it comes back.
 * When the checkpoint mutex out to have moved without us, another runner is at work: from then on we only watch it,
 * batch by batch, until it stands still.
 */
export class NamespaceProjector {
  /** The checkpoint in the store, as far as we know. */
  private stored: Position = 0n;
  /** Everything up to here is in the documents, or held back. Ahead of `stored` by events that changed nothing. */
  private processed: Position = 0n;
  /** Events lie between the two. */
  private uncommitted = false;
  private standby = false;
  private committedAt = 0;
  /** Of what is stored, and of what has been processed since. */
  private trail = new OriginTrail(null, 0n);
  /** Events taken in one step at most: fewer and fewer while one of them is looked for that cannot be taken. */
  private most = Number.POSITIVE_INFINITY;
  /** Why it cannot. */
  private refusal: unknown;
  private skipped: ReadonlySet<string> = new Set();
  private readonly mutex = new Mutex();
  private readonly leaving = new AbortController();
  private readonly signal: AbortSignal;

  constructor(
    private readonly parts: RunnerDependencies,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    private readonly host: ProjectorHost,
  ) {
    this.signal = AbortSignal.any([host.signal, this.leaving.signal]);
  }

  /**
   * Returns when the signal says so, or after `leave`.
   * @throws NamespaceGone another build is served
   * @throws CheckpointLost
   * @throws EventStoreUnavailable the log was closed
   */
  async follow(): Promise<void> {
    const { signal } = this.host;
    await this.begin();
    let lost: unknown;
    const resumption = this.resumption()
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
  }

  /** Ends `follow` soon: these documents are not those to follow. */
  leave(): void {
    this.leaving.abort();
  }

  /** What is set aside is read after the checkpoint: whoever changes it in between makes our first commit fail. */
  private async begin(): Promise<void> {
    const { events, store, now } = this.parts;
    const { gate, tracker, retry } = this.host;
    this.skipped = await retry.retryUntilAvailable(() => readSkipped(events, this.projection.name));
    this.stored = await this.checkpoint();
    await retry.retryUntilAvailable(() => tracker.load(store, this.namespace));
    this.processed = this.stored;
    if (this.stored < gate.position) gate.rewind(this.stored);
    gate.advance(this.stored, now());
  }

  private async followLog(): Promise<void> {
    const categories = withOpenings(this.projection.categories);
    const signal = this.signal;
    for await (const batch of this.parts.events.subscribeAll({ after: this.stored, categories, signal })) {
      if (signal.aborted) break; // it may be of another log
      await this.handle(batch);
      this.host.handled(batch);
    }
    if (!signal.aborted) throw new EventStoreUnavailable('the subscription ended');
  }

  private resumption(): Resumption {
    const { parts, projection, namespace } = this;
    return new Resumption({
      parts,
      projection,
      documents: parts.store.documents(namespace),
      tracker: this.host.tracker,
      retry: this.host.retry,
      signal: this.signal,
      alone: (work) => this.mutex.run(work),
      processed: () => this.processed,
      commit: (outcome, known) => this.commit(outcome, this.processed, known),
      overtaken: (actual) => this.overtaken(actual),
      isStandby: () => this.standby,
      takeOver: () => this.mutex.run(() => this.takeOver()),
      readAgain: () => this.readSetAside(),
    });
  }

  private async handle(batch: EventBatch): Promise<void> {
    while (batch.position > this.processed) {
      try {
        const failure = await this.mutex.run(() => this.step(batch));
        if (failure === 'done') return;
        if (failure) {
          await this.host.stopped(failure);
          const actual = await this.checkpoint();
          if (actual !== this.stored) this.overtaken(actual);
        }
      } catch (error) {
        if (error instanceof MarksConflict) await this.readSetAside();
        else if (error instanceof CheckpointConflict) this.overtaken(error.actual);
        else if (error instanceof StepRefused) this.narrow(batch, error);
        else throw error;
      }
    }
  }

  /** Half as many at a time, until the event is alone that cannot be taken. */
  private narrow(batch: EventBatch, { cause }: StepRefused): void {
    this.refusal = cause;
    const left = batch.events.filter(({ position }) => position > this.processed).length;
    this.most = Math.floor(Math.min(this.most, left) / 2);
  }

  private async step(batch: EventBatch): Promise<EventFailed | 'done' | null> {
    return this.standby && (await this.watch(batch)) ? 'done' : await this.advance(batch);
  }

  /** Applies what is new in the batch, up to the first event that fails without telling its partition. */
  private async advance(batch: EventBatch): Promise<EventFailed | null> {
    const { now } = this.parts;
    const started = performance.now();
    const { known } = this.host.tracker;
    const passed = batch.events.filter(({ position }) => position > this.processed);
    const all = withoutOpenings(passed);
    const fresh = this.most < all.length ? all.slice(0, Math.max(1, this.most)) : all;
    const outcome = fresh.length > 0 ? await this.apply(fresh, known.setAside) : null;
    const failure = outcome?.failure ?? null;
    const reached = fresh.length < all.length ? (fresh.at(-1)?.position ?? batch.position) : batch.position;
    const to = failure ? this.lastBefore(fresh, failure) : reached;
    if (to > this.processed) {
      const step = outcome ?? { changes: [], contested: [], setAside: known.setAside };
      const { state } = this.trail;
      this.trail.passed(to < batch.position ? passed.filter(({ position }) => position <= to) : passed);
      this.uncommitted ||= fresh.length > 0;
      const awaited = batch.caughtUp && this.uncommitted; // runners and waiters elsewhere learn from nothing but a commit how far we are
      const changed = step.changes.length > 0 || step.setAside !== known.setAside || failure !== null;
      if (changed || awaited || now() - this.committedAt >= this.parts.timing.idleCommitMs)
        await this.commit(step, to, known).catch((error: unknown) => {
          this.trail.reset(state); // what was passed will be passed again
          throw error;
        });
      for (const event of outcome?.failures ?? []) this.tell(event);
      this.processed = to;
      this.host.gate.advance(to, now());
      this.most = Number.POSITIVE_INFINITY;
      if (fresh.length > 0) this.host.times.add((performance.now() - started) / 1000, fresh.length);
    }
    return failure;
  }

  private apply(fresh: readonly RecordedEvent[], setAside: SetAside): Promise<BatchOutcome> {
    const { decode, store, now } = this.parts;
    const start = { setAside, skipped: this.skipped, after: this.processed, now: now() };
    const [first] = fresh;
    if (this.most < 1 && first) return Promise.resolve(batchOf(new EventFailed(first, this.refusal), first, this.projection, start));
    return this.host.retry.retryUntilAvailable(() =>
      applyBatch(this.projection, decode, store.documents(this.namespace), fresh, start).catch(refuseUnlessOutage),
    );
  }

  private tell({ partition, failure }: BatchOutcome['failures'][number]): void {
    const { position, id, type } = failure.event;
    this.parts.log.error(
      { projection: this.projection.name, partition, position: `${position}`, eventId: id, type, err: failure.cause },
      'partition set aside at an event that fails',
    );
  }

  private lastBefore(events: readonly RecordedEvent[], { event }: EventFailed): Position {
    return events.findLast(({ position }) => position < event.position)?.position ?? this.processed;
  }

  /** @param known what was set aside before the step, with the marks of then: when they have changed since, nothing is written */
  private async commit(
    { changes, contested, setAside }: StepOutcome,
    to: Position,
    known: KnownSetAside = this.host.tracker.known,
  ): Promise<void> {
    const { tracker, retry } = this.host;
    const own = setAsideChanges(known.setAside, setAside);
    const marks = own.marked ? newMarks(setAside) : known.marks;
    const notes = setAside.isEmpty ? [] : contestedChanges(contested);
    const all = own.changes.length + notes.length > 0 ? [...changes, ...notes, ...own.changes] : changes;
    tracker.announce(marks);
    try {
      const move = { from: known.marks, to: marks };
      await retry.commit(this.parts.store, this.namespace, all, this.stored, to, this.trail.at(to), move);
      this.stored = to;
      this.uncommitted = false;
      this.committedAt = this.parts.now();
      if (setAside === known.setAside) return;
      // Somebody may have heard of changes that came after ours.
      if (tracker.known === known) tracker.take({ setAside, marks });
      else await this.readSetAside();
    } finally {
      tracker.announce(null);
    }
  }

  /** What is stored, which is what the trail goes on from. */
  private async checkpoint(): Promise<Position> {
    const { checkpoint, origin } = await this.host.retry.retryUntilAvailable(() => this.parts.store.progress(this.namespace));
    this.trail = new OriginTrail(origin, checkpoint);
    return checkpoint;
  }

  private readSetAside(): Promise<void> {
    return this.host.retry.retryUntilAvailable(() => this.host.tracker.load(this.parts.store, this.namespace));
  }

  private overtaken(actual: Position): void {
    if (actual < this.stored)
      throw new CheckpointLost(`projection ${this.projection.name}: the checkpoint went back from ${this.stored} to ${actual}`);
    if (!this.standby)
      this.parts.log.info({ projection: this.projection.name, position: `${actual}` }, 'another runner is at work: standing by');
    this.standby = true;
    this.stored = actual;
    if (actual > this.processed) this.processed = actual;
    this.host.gate.advance(actual, this.parts.now());
  }

  /** The other runner is gone, though there is something to do. */
  private async takeOver(): Promise<void> {
    if (!this.standby) return;
    const actual = await this.checkpoint();
    if (actual < this.stored) this.overtaken(actual);
    await this.work(actual);
  }

  /** At work again from here on. */
  private async work(actual: Position): Promise<void> {
    const { log, now } = this.parts;
    log.info({ projection: this.projection.name, position: `${actual}` }, 'the other runner stands still: taking over');
    await this.readSetAside();
    this.standby = false;
    this.stored = actual;
    this.processed = actual;
    this.host.gate.advance(actual, now());
  }

  /** Waits until the other runner is past this batch: true. False when its checkpoint stands still and we are at work again. */
  private async watch(batch: EventBatch): Promise<boolean> {
    const { gate } = this.host;
    const { timing, now } = this.parts;
    const last = batch.events.at(-1)?.position ?? 0n;
    for (let seen = gate.position; last > this.processed; seen = gate.position) {
      if (await allReach([gate], last, timing.takeoverMs)) break;
      this.signal.throwIfAborted();
      if (gate.position > seen) continue;
      const actual = await this.checkpoint();
      if (actual < seen) throw new CheckpointLost(`projection ${this.projection.name}: the checkpoint went back from ${seen} to ${actual}`);
      gate.advance(actual, now());
      if (actual > seen) continue;
      await this.work(actual);
      return false;
    }
    this.processed = batch.position;
    return true;
  }
}
