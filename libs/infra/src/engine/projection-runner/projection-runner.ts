import type { Position } from '#domain/shared/events.js';
import { type Lag, LagLook } from '#infra/engine/projection-runner/progress/lag.js';
import { Pace, type PaceSnapshot } from '#infra/engine/projection-runner/progress/pace.js';
import { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import { SetAsideRefresh } from '#infra/engine/projection-runner/set-aside/set-aside-refresh.js';
import { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import type { LogWatch } from '#infra/engine/projection-runner/trust/log-watch.js';
import { OriginTrust } from '#infra/engine/projection-runner/trust/origin-trust.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import type { Seat } from '#infra/platform/coordination/seats/seats.js';
import type { ReadGate } from '#infra/stores/log-identity/read-gate.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { newRetry, type RunnerDependencies } from './dependencies.js';
import { DocumentsToFollow } from './documents-to-follow.js';
import { pauseAfter } from './pause-after.js';
import type { Projector } from './projector.js';
import type { RunnerSnapshot } from './runner-snapshot.js';
import { Serving, type ServingHost } from './serving.js';
import { Standby } from './standby.js';

/** Time that a replacement build has to apply the events that arrived during the switch. */
const REPLACEMENT_MS = 10_000;

/**
 * Keeps the served documents of one projection up to date with the log while this process has the seat for it. Otherwise it follows the
 * commits of the process that has it.
 *
 * If nothing is served, it builds at once. Documents of an older version stay served until this version is built beside them. Documents of
 * a newer version belong to a newer process: this runner stands by, and rebuilds its own version only if the newer ones stand still
 * although the log has grown.
 *
 * Before it follows the log, and again after an outage of the log, it checks that the documents come from this log. They are not readable
 * until then, nor before they show the whole log, nor once they are lost or show less than before. Documents of another log are rebuilt.
 * While the log is away, documents shown before remain readable.
 */
export class ProjectionRunner {
  readonly gate = new PositionGate();
  /** Set-aside partitions of the served documents. */
  readonly tracker = new SetAsideTracker();
  private readonly pace: Pace;
  private readonly abort = new AbortController();
  private readonly retry: OutageRetry;
  private done: Promise<void> = Promise.resolve();
  private caughtUp = false;
  private started = false;
  /** Generation of the followed documents, and the time at which they replaced others that had caught up. */
  private followed: number | undefined;
  private replacedAt = Number.NEGATIVE_INFINITY;
  /** Current follower of the served documents. */
  private following: Serving | Standby | null = null;
  private readonly refresh: SetAsideRefresh;
  private readonly trust: OriginTrust;
  private readonly documents: DocumentsToFollow;
  readonly lag = new LagLook();
  /** Aborted when the log may have been replaced: everything then starts again with a check of the log. */
  private interruption = new AbortController();

  constructor(
    private readonly dependencies: RunnerDependencies,
    readonly projection: Projection,
    private readonly logWatch: LogWatch,
    private readonly projector: Projector,
    /** Called before this process applies or builds the projection. */
    private readonly onApplying: () => void,
  ) {
    const { store, log, now } = dependencies;
    const { gate, tracker } = this;
    this.pace = new Pace(now());
    const { signal } = this.abort;
    this.retry = newRetry(dependencies, projection, signal);
    this.trust = new OriginTrust(projection.name, gate, log, () => this.note(false));
    this.documents = new DocumentsToFollow(dependencies, projection, {
      ...{ gate, tracker, signal, logWatch, retry: this.retry, trust: this.trust },
      interrupted: () => this.interruption.signal,
      onCaughtUp: (caughtUp) => this.note(caughtUp),
      onRenewed: () => void this.look().catch(() => undefined),
      onApplying,
    });
    this.refresh = new SetAsideRefresh({
      ...{ store, log, signal, tracker, projection: projection.name },
      retry: newRetry(dependencies, projection, signal),
      logEpoch: () => this.interruption,
      onRefreshed: (namespace, checkpoint) => {
        if (this.following && this.following.namespace.generation !== namespace.generation) this.following.leave();
        this.reached(checkpoint);
      },
    });
  }

  /** Open while the served documents are known to come from this log. */
  get reading(): ReadGate {
    return this.trust.reading;
  }

  /** Returns whether the documents are filled or replaced, and not shown. */
  get isLacking(): boolean {
    return this.trust.isLacking;
  }

  /** Returns whether this process has not shown the documents yet. */
  get isOpening(): boolean {
    return this.trust.isOpening;
  }

  /** Returns whether this process follows the documents. */
  get isStarted(): boolean {
    return this.started;
  }

  /** Must be called once, before anything else. */
  start(): void {
    this.started = true;
    this.gate.open();
    this.done = this.run();
  }

  /** Stops permanently at a batch boundary. Waits for positions are refused. */
  async stop(): Promise<void> {
    this.abort.abort();
    this.gate.close();
    await this.done;
  }

  snapshot(): RunnerSnapshot {
    const { position, movedAt } = this.gate;
    const shown = this.caughtUp || performance.now() - this.replacedAt < REPLACEMENT_MS;
    const live = shown && this.trust.isGiven && this.reading.isOpen && !this.retry.waiting;
    return {
      state: live ? 'live' : 'catching-up',
      position,
      appliedAt: movedAt > 0 ? new Date(movedAt).toISOString() : null,
      mismatch: this.trust.mismatch,
      batchSeconds: this.pace.batchSeconds,
    };
  }

  /** `null` unless this process applies the log to the documents. @param lag of now */
  paceAt(lag: Lag): PaceSnapshot | null {
    return this.following instanceof Serving ? this.pace.snapshot(lag, this.dependencies.now()) : null;
  }

  private async run(): Promise<void> {
    const { store, events } = this.dependencies;
    const { signal } = this.abort;
    const restarts = newRetry(this.dependencies, this.projection, signal);
    const stops = [
      store.onCommit(this.projection.name, (checkpoint, token) => this.onCommit(checkpoint, token)),
      events.onInterruption(() => this.interrupt(), 'reads'),
      this.logWatch.onReturn(() => this.examineAgain(restarts)),
    ];
    while (!signal.aborted) {
      this.interruption = new AbortController();
      const { signal: interrupted } = this.interruption;
      try {
        await this.followServed(restarts, interrupted);
      } catch (error) {
        if (signal.aborted || interrupted.aborted) continue;
        const { gate, retry } = this;
        const ended = AbortSignal.any([signal, interrupted]);
        const onLevel = (): void => this.advance(true);
        await pauseAfter(error, this.dependencies, this.projection, { gate, retry, restarts, signal: ended, onLevel });
      } finally {
        this.following = null;
      }
    }
    for (const stop of stops) stop();
    await this.documents.settled();
    await this.refresh.settled;
    this.gate.close();
  }

  /** Returns when the served documents must be checked again. */
  private async followServed(restarts: OutageRetry, interrupted: AbortSignal): Promise<void> {
    const namespace = await this.documents.choose();
    if (!namespace || interrupted.aborted) return;
    if (this.followed !== undefined && this.followed !== namespace.generation && this.caughtUp) this.replacedAt = performance.now();
    this.followed = namespace.generation;
    const host = this.host(restarts, AbortSignal.any([this.abort.signal, interrupted]));
    if (this.dependencies.seats === undefined) return await this.project(namespace, host);
    const seat = await this.standBy(namespace, host);
    try {
      if (seat) await this.project(namespace, host, seat);
    } finally {
      seat?.release(); // even if the log is unreachable from here: another process may reach it
    }
  }

  private async project(namespace: Namespace, host: ServingHost, seat?: Seat): Promise<void> {
    const serving = new Serving(this.dependencies, this.projector, this.projection, namespace, host);
    this.following = serving;
    this.onApplying();
    if (seat?.lost.aborted) return;
    this.documents.retry(namespace);
    seat?.lost.addEventListener('abort', () => serving.leave(), { once: true });
    await serving.follow();
  }

  /** Resolves once this process may apply the log to the documents; with `null` when the served documents must be checked again. */
  private async standBy(namespace: Namespace, { gate, retry, signal }: ServingHost): Promise<Seat | null> {
    const { dependencies, projection, trust } = this;
    const { searches } = this.projector;
    const onLook = (caughtUp: boolean): void => this.advance(caughtUp);
    const standby = new Standby(dependencies, projection, namespace, {
      ...{ gate, retry, signal, searches, onLook },
      onStill: () => trust.settle(),
    });
    this.following = standby;
    return await standby.follow();
  }

  /**
   * Compares the served documents with what readers have seen: a store that lost its documents sends no notification, and an idle projector
   * would notice only at its next commit.
   * @throws ReadStoreUnavailable
   */
  async look(): Promise<void> {
    const { trust, following, interruption } = this;
    const { shown } = trust.reading;
    if (!trust.isGiven) return;
    const served = await this.dependencies.store.standing(this.projection.name);
    if (!trust.isGiven || this.interruption !== interruption || this.following !== following) return;
    if (served === null || trust.isLess(served.checkpoint, shown)) trust.lose();
    else if (!following || served.namespace.generation === following.namespace.generation) {
      // The other process has committed without a notification to this one.
      if (following instanceof Standby && served.checkpoint > this.gate.position) this.refresh.request();
      return;
    }
    following?.leave();
  }

  /** Called when the documents have advanced. @param caughtUp whether they show the whole log */
  private advance(caughtUp: boolean): void {
    this.caughtUp = caughtUp;
    this.trust.advance(caughtUp);
  }

  /** Handles documents that start or cease to show the whole log for another reason than a new build. */
  private note(caughtUp: boolean): void {
    this.caughtUp = caughtUp;
    if (!caughtUp) this.replacedAt = Number.NEGATIVE_INFINITY;
  }

  private interrupt(): void {
    this.interruption.abort();
    this.trust.suspend();
  }

  /** Called when the log answers again: it may be another one. */
  private examineAgain(restarts: OutageRetry): void {
    this.trust.hold();
    for (const retry of [this.retry, restarts]) retry.hurry();
    void this.documents.upgrade.examine();
  }

  private host(restarts: OutageRetry, signal: AbortSignal): ServingHost {
    const { gate, tracker, retry, pace } = this;
    return {
      ...{ gate, tracker, retry, pace, signal },
      onBatch: ({ caughtUp }) => {
        restarts.reset();
        this.advance(caughtUp);
      },
    };
  }

  /** Called after every commit to the served documents, including our own. */
  private onCommit(checkpoint: Position, token: string): void {
    this.documents.onCommit();
    // Without trust it may be a position of another log. An announced commit is our own, whose maker updates the tracker.
    if (!this.trust.isGiven) return;
    this.trust.raise(checkpoint);
    if (this.tracker.isAnnounced(token)) return;
    // The set-aside state is loaded before waiters are notified of the position.
    if (this.tracker.isUnknown(token)) this.refresh.request();
    else this.reached(checkpoint);
  }

  private reached(checkpoint: Position): void {
    if (!this.trust.isGiven) return;
    if (this.documents.upgrade.isUnderWay && checkpoint > this.gate.position) this.documents.upgrade.onMoved();
    this.gate.advance(checkpoint, this.dependencies.now());
    if (this.caughtUp && this.following instanceof Standby) this.trust.advance(true);
  }
}

const neededOf = ({ projection }: ProjectionRunner): number => Number(projection.needed !== undefined);

/** Needed ones first, which are then first to catch up. */
export const neededFirst = (runners: Iterable<ProjectionRunner>): readonly ProjectionRunner[] =>
  [...runners].sort((one, other) => neededOf(other) - neededOf(one));
