import { type EventBatch, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { Projection } from '#projections/shared/projection.js';
import { type Change, CheckpointConflict, type Namespace } from '#projections/shared/read-store.js';
import { OriginTrail, withOpenings, withoutOpenings } from '../log-identity/origin.js';
import { applyBatch, type BatchOutcome } from './apply-batch.js';
import type { BatchTimes } from './batch-times.js';
import type { EventFailed } from './failure.js';
import { allReach, type PositionGate } from './position-gate.js';
import type { RunnerParts } from './rebuild.js';
import type { Patience } from './timing.js';

/** The store lost commits (a failover without the last writes, a restored copy): go on from what it has. */
export class CheckpointLost extends Error {
  override readonly name = 'CheckpointLost';
}

/** What the follower needs of the runner it works for. */
export type FollowerHost = Readonly<{
  gate: PositionGate;
  patience: Patience;
  times: BatchTimes;
  signal: AbortSignal;
  /** A batch is done, or belongs to another runner. */
  handled: (batch: EventBatch) => void;
  /** An event fails. Resolves when it makes sense to try again. */
  stopped: (failure: EventFailed) => Promise<void>;
}>;

const nothing: BatchOutcome = { changes: [], failure: null };

/**
 * Follows the log into one namespace: each batch is one commit that moves the checkpoint too, so every event counts exactly once.
 * When the checkpoint turns out to have moved without us, another runner is at work: from then on we only watch it,
 * batch by batch, until it stands still.
 */
export class Follower {
  /** The checkpoint in the store, as far as we know. */
  #stored: Position = 0n;
  /** Everything up to here is in the documents. Ahead of `#stored` by events that changed nothing. */
  #processed: Position = 0n;
  /** Events lie between the two. */
  #untold = false;
  #standby = false;
  #committedAt = 0;
  /** Of what is stored, and of what has been processed since. */
  #trail = new OriginTrail(null, 0n);

  constructor(
    private readonly parts: RunnerParts,
    private readonly projection: Projection,
    private readonly namespace: Namespace,
    private readonly host: FollowerHost,
  ) {}

  /**
   * Returns when the signal says so.
   * @throws NamespaceGone another build is served
   * @throws CheckpointLost
   * @throws EventStoreUnavailable the log was closed
   */
  async follow(): Promise<void> {
    const { events, now } = this.parts;
    const { gate, signal } = this.host;
    this.#stored = await this.#checkpoint();
    this.#processed = this.#stored;
    if (this.#stored < gate.position) gate.rewind(this.#stored);
    gate.advance(this.#stored, now());
    const categories = withOpenings(this.projection.categories);
    for await (const batch of events.subscribeAll({ after: this.#stored, categories, signal })) {
      if (signal.aborted) break; // it may be of another log
      await this.#handle(batch);
      this.host.handled(batch);
    }
    if (!signal.aborted) throw new EventStoreUnavailable('the subscription ended');
    if (this.#processed > this.#stored && !this.#standby) await this.#commit([], this.#processed);
  }

  async #handle(batch: EventBatch): Promise<void> {
    while (batch.position > this.#processed) {
      try {
        if (this.#standby && (await this.#watch(batch))) return;
        const failure = await this.#advance(batch);
        if (failure) {
          await this.host.stopped(failure);
          const actual = await this.#checkpoint();
          if (actual !== this.#stored) this.#overtaken(actual);
        }
      } catch (error) {
        if (!(error instanceof CheckpointConflict)) throw error;
        this.#overtaken(error.actual);
      }
    }
  }

  /** Applies what is new in the batch, up to the first event that fails. */
  async #advance(batch: EventBatch): Promise<EventFailed | null> {
    const { decode, store, now } = this.parts;
    const started = performance.now();
    const passed = batch.events.filter(({ position }) => position > this.#processed);
    const fresh = withoutOpenings(passed);
    const documents = store.documents(this.namespace);
    const fold = () => applyBatch(this.projection, decode, documents, fresh);
    const { changes, failure } = fresh.length > 0 ? await this.host.patience.persist(fold) : nothing;
    const to = failure ? this.#lastBefore(fresh, failure) : batch.position;
    if (to > this.#processed) {
      this.#trail.passed(failure ? passed.filter(({ position }) => position <= to) : passed);
      this.#untold ||= fresh.length > 0;
      const awaited = batch.caughtUp && this.#untold; // runners and waiters elsewhere learn from nothing but a commit how far we are
      if (changes.length > 0 || failure || awaited || now() - this.#committedAt >= this.parts.timing.idleCommit)
        await this.#commit(changes, to);
      this.#processed = to;
      this.host.gate.advance(to, now());
      if (fresh.length > 0) this.host.times.add((performance.now() - started) / 1000, fresh.length);
    }
    return failure;
  }

  #lastBefore(events: readonly RecordedEvent[], { event }: EventFailed): Position {
    return events.findLast(({ position }) => position < event.position)?.position ?? this.#processed;
  }

  async #commit(changes: readonly Change[], to: Position): Promise<void> {
    await this.host.patience.commit(this.parts.store, this.namespace, changes, this.#stored, to, this.#trail.at(to));
    this.#stored = to;
    this.#untold = false;
    this.#committedAt = this.parts.now();
  }

  /** What is stored, which is what the trail goes on from. */
  async #checkpoint(): Promise<Position> {
    const { checkpoint, origin } = await this.host.patience.persist(() => this.parts.store.progress(this.namespace));
    this.#trail = new OriginTrail(origin, checkpoint);
    return checkpoint;
  }

  #overtaken(actual: Position): void {
    if (actual < this.#stored)
      throw new CheckpointLost(`projection ${this.projection.name}: the checkpoint went back from ${this.#stored} to ${actual}`);
    if (!this.#standby)
      this.parts.log.info({ projection: this.projection.name, position: `${actual}` }, 'another runner is at work: standing by');
    this.#standby = true;
    this.#stored = actual;
    if (actual > this.#processed) this.#processed = actual;
    this.host.gate.advance(actual, this.parts.now());
  }

  /** Waits until the other runner is past this batch: true. False when its checkpoint stands still and we are at work again. */
  async #watch(batch: EventBatch): Promise<boolean> {
    const { gate, signal } = this.host;
    const { timing, log, now } = this.parts;
    const last = batch.events.at(-1)?.position ?? 0n;
    for (let seen = gate.position; last > this.#processed; seen = gate.position) {
      if (await allReach([gate], last, timing.takeover)) break;
      signal.throwIfAborted();
      if (gate.position > seen) continue;
      const actual = await this.#checkpoint();
      if (actual < seen) throw new CheckpointLost(`projection ${this.projection.name}: the checkpoint went back from ${seen} to ${actual}`);
      gate.advance(actual, now());
      if (actual > seen) continue;
      log.info({ projection: this.projection.name, position: `${actual}` }, 'the other runner stands still: taking over');
      this.#standby = false;
      this.#stored = actual;
      return false;
    }
    this.#processed = batch.position;
    return true;
  }
}
