import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage, StepRefused } from '#infra/platform/program/outage.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { OriginTrail, withoutOpenings } from '#infra/stores/log-identity/origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { DocumentsLost, type Namespace, NamespaceGone, type Progress, type ReadStore } from '#projections/shared/read-store.js';
import { EventFailed } from './failure.js';
import { LostEvents, readsExpiring } from './lost-events.js';
import { OpenStep } from './open-step.js';
import { RecentDocuments } from './recent-documents.js';
import type { Alike } from './set-aside/set-aside.js';
import { readSetAside } from './set-aside/set-aside-documents.js';
import type { KnownSetAside } from './set-aside/set-aside-tracker.js';
import { readSkipped } from './set-aside/skipped-events.js';
import { setAsideFacts, stepCommit } from './set-aside/step-commit.js';

type ApplyDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  decode: DecodeEvents;
  expiring: readonly string[];
  retry: OutageRetry;
  log: Pick<Logger, 'error'>;
  now: () => number;
  /** Failing events to leave out. Default: none. */
  alike?: Alike | undefined;
}>;

/**
 * Applies batches of the log to one namespace without other writers, in this order: pass over what is set aside or skipped → decode → fetch
 * what handlers read → fold, event by event → if the step is due: encode → commit documents, set-aside state, origin and checkpoint.
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

  private constructor(
    private readonly dependencies: ApplyDependencies,
    private readonly projection: Projection,
    readonly namespace: Namespace,
    /** State of the namespace in the store. */
    private stored: Readonly<{ checkpoint: Position; known: KnownSetAside }>,
    private readonly trail: OriginTrail,
    private readonly skipped: ReadonlySet<string>,
    private readonly lost: LostEvents | null,
  ) {
    this.recent = new RecentDocuments(projection.sealed);
    this.step = this.newStep();
  }

  /** Continues at the checkpoint of the namespace. @throws NamespaceGone, AbortError */
  static async open(dependencies: ApplyDependencies, projection: Projection, namespace: Namespace): Promise<Apply> {
    const { events, store, expiring, retry } = dependencies;
    const skipped = await retry.retryUntilAvailable(() => readSkipped(events, projection.name));
    const { checkpoint, origin } = await retry.retryUntilAvailable(() => store.progress(namespace));
    const known = await retry.retryUntilAvailable(() => readSetAside(store, namespace));
    const mayHaveLost = store.keepsPast?.(projection.name) && readsExpiring(projection, expiring);
    const lost = mayHaveLost ? new LostEvents(events, expiring, checkpoint > 0n) : null;
    return new Apply(dependencies, projection, namespace, { checkpoint, known }, new OriginTrail(origin, checkpoint), skipped, lost);
  }

  /** Position up to which everything is applied, perhaps in a step that is not committed yet. */
  get processed(): Position {
    return this.step.processed;
  }

  /** Position and origin of the log up to there. */
  get progress(): Progress {
    return { checkpoint: this.processed, origin: this.trail.at(this.processed) ?? null };
  }

  /**
   * Applies events of the batch after `processed`: all, or as many as the step may have. After a refusal `processed` is lower than before:
   * go on from there.
   * @throws EventFailed an event without a partition fails
   * @throws NamespaceGone, CheckpointConflict, DamagedLog, AbortError
   */
  async take({ events, position }: EventBatch): Promise<void> {
    const passed = events.filter((event) => event.position > this.processed);
    const all = withoutOpenings(passed);
    const room = Math.max(1, this.most - this.step.events);
    const fresh = all.length > room ? all.slice(0, room) : all;
    const to = (fresh.length < all.length && fresh.at(-1)?.position) || position;
    await this.noteLost(fresh);
    await this.orGoBack(fresh.length, async () => {
      await this.fold(fresh);
      this.trail.passed(passed.filter((event) => event.position <= to));
      this.step.reach(to, fresh.length);
      this.step.set.encodeUnread();
      if (this.step.isFull || this.step.events >= this.most) await this.commit(to);
    });
  }

  /** Commits what is applied. Returns `false` if it was refused: go on from `processed`. @param floor position that the checkpoint reaches */
  flush(floor: Position): Promise<boolean> {
    const to = this.processed > floor ? this.processed : floor;
    return to <= this.stored.checkpoint ? Promise.resolve(true) : this.orGoBack(0, () => this.commit(to));
  }

  private async fold(events: readonly RecordedEvent[]): Promise<void> {
    const { store, decode } = this.dependencies;
    const [first] = events;
    if (this.most < 1 && first) this.step.refuse(first, new EventFailed(first, this.refusal));
    else await this.step.fold(decode, store.documents(this.namespace), events);
  }

  private async noteLost(events: readonly RecordedEvent[]): Promise<void> {
    const { store, retry } = this.dependencies;
    const { lost } = this;
    const from = lost && (await retry.retryUntilAvailable(() => lost.last(events)));
    if (from) await store.setFrom?.(this.namespace, from);
  }

  private async commit(to: Position): Promise<void> {
    const { store, retry, log } = this.dependencies;
    const { step, stored } = this;
    const { setAside } = step;
    const { changes, marks } = stepCommit({ changes: step.set.changes(), setAside, leftOut: step.leftOut }, stored.known);
    step.set.remember();
    await retry.commit(store, this.namespace, changes, stored.checkpoint, to, this.trail.at(to), marks);
    for (const failure of step.failures)
      log.error(setAsideFacts(this.projection.name, failure), 'partition set aside by a rebuild, at an event that fails');
    this.stored = { checkpoint: to, known: { setAside, marks: marks.to } };
    this.most = Math.max(1, this.most) * 2;
    this.step = this.newStep();
  }

  /**
   * Returns `false` if the step is at its beginning again: the work was refused, or a store was away while it was folded.
   * @param more events beyond those of the step
   */
  private async orGoBack(more: number, work: () => Promise<void>): Promise<boolean> {
    const { step } = this;
    const count = step.events + more;
    try {
      await work();
      return true;
    } catch (error) {
      // Documents of this namespace do not come back, so waiting for them would never end.
      if (error instanceof DocumentsLost) throw new NamespaceGone(`the build of ${this.projection.name} has lost documents`);
      if (isOutage(error)) await this.dependencies.retry.pause(error);
      else this.narrow(error, count);
      this.trail.reset(step.trail);
      this.recent.clear();
      this.step = this.newStep();
      return false;
    }
  }

  /** @throws the error, unless it is a refusal of events of the step */
  private narrow(error: unknown, count: number): void {
    const isRefused = error instanceof StepRefused || (error instanceof EventFailed && error !== this.step.stop);
    if (!isRefused || count === 0) throw error;
    this.refusal = error.cause;
    this.most = Math.floor(Math.min(this.most, count) / 2);
  }

  private newStep(): OpenStep {
    const { dependencies, projection, skipped, recent, trail, stored } = this;
    const form = dependencies.store.keepsPast?.(projection.name) ? 'versions' : 'newest';
    const context = { skipped, alike: dependencies.alike, now: dependencies.now };
    return new OpenStep(projection, form, recent, context, trail.state, stored.known.setAside, stored.checkpoint);
  }
}
