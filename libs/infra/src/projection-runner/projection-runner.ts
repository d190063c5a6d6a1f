import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { OutageRetry } from '#infra/coordination/outage-retry.js';
import { prepareForLog, settleOrigin } from '#infra/log-identity/namespace-origin.js';
import type { ReadGate } from '#infra/log-identity/read-gate.js';
import { rebuild } from '#infra/projection-runner/rebuild/rebuild.js';
import { RebuildUnderWay } from '#infra/projection-runner/rebuild/rebuild-lease.js';
import { SetAsideRefresh } from '#infra/projection-runner/set-aside/set-aside-refresh.js';
import { SetAsideTracker } from '#infra/projection-runner/set-aside/set-aside-tracker.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { BatchTimes } from './batch-times.js';
import type { RunnerDependencies } from './dependencies.js';
import { EventFailed } from './failure.js';
import { FailureStop } from './failure-stop.js';
import { NamespaceProjector } from './namespace-projector.js';
import { OriginTrust } from './origin-trust.js';
import { PositionGate } from './position-gate.js';
import { CheckpointLost, type ProjectorHost } from './projector-host.js';
import type { RunnerSnapshot } from './runner-snapshot.js';

/**
 * Keeps the served documents of one projection up with the log.
 *
 * With nothing served it begins at once; documents of an older version stay served until those of this version are built beside them.
 * Documents of a newer version belong to a newer process: this one stands by, and goes back to its own version only when nobody
 * moves the newer ones although the log has gone on.
 *
 * Before it follows the log, and again after every outage of it, it makes sure that the documents come from this log. Until then nobody may
 * read them; those that do not are built anew.
 */
export class ProjectionRunner {
  readonly gate = new PositionGate();
  /** What is set aside in the documents that are served. */
  readonly tracker = new SetAsideTracker();
  private readonly times = new BatchTimes();
  private readonly abort = new AbortController();
  private readonly retry: OutageRetry;
  private done: Promise<void> = Promise.resolve();
  private caughtUp = false;
  private upgrading = false;
  private projector: NamespaceProjector | null = null;
  private readonly news: SetAsideRefresh;
  private readonly trust: OriginTrust;
  private readonly failureStop: FailureStop;
  /** What is served while this version is built beside it. */
  private besides: Namespace | null = null;
  /** Aborted when the log may have become another one: everything begins again with a look at it. */
  private interrupted = new AbortController();

  constructor(
    private readonly parts: RunnerDependencies,
    readonly projection: Projection,
  ) {
    this.retry = this.newRetry();
    const { log, now } = parts;
    this.trust = new OriginTrust(projection.name, this.gate, log);
    this.failureStop = new FailureStop({ projection: projection.name, gate: this.gate, log, now, signal: this.abort.signal });
    this.news = new SetAsideRefresh({
      store: parts.store,
      tracker: this.tracker,
      retry: this.newRetry(),
      projection: projection.name,
      log,
      signal: this.abort.signal,
      era: () => this.interrupted,
      read: (namespace, checkpoint) => {
        if (this.projector && this.projector.namespace.generation !== namespace.generation) this.projector.leave();
        this.reached(checkpoint);
      },
    });
  }

  /** Open while what is served is known to come from this log. */
  get reading(): ReadGate {
    return this.trust.reading;
  }

  /** Once, before anything else. */
  start(): void {
    this.gate.open();
    this.done = this.run();
  }

  /** Ends at a batch boundary; whoever waits for a position is refused. For good. */
  async stop(): Promise<void> {
    this.abort.abort();
    this.gate.close();
    this.failureStop.end();
    await this.done;
  }

  /** Tries the failing event again. False when the runner was not stopped. */
  resume(): boolean {
    return this.failureStop.end();
  }

  snapshot(): RunnerSnapshot {
    const { position, movedAt } = this.gate;
    const live = this.caughtUp && !this.retry.waiting;
    return {
      state: this.failureStop.failure ? 'stopped' : live ? 'live' : 'catching-up',
      position,
      appliedAt: movedAt > 0 ? new Date(movedAt).toISOString() : null,
      failure: this.failureStop.failure,
      mismatch: this.trust.mismatch,
      times: this.times.snapshot(),
    };
  }

  private async run(): Promise<void> {
    const { store, events, log, timing } = this.parts;
    const { name } = this.projection;
    const { signal } = this.abort;
    const restarts = this.newRetry();
    const stops = [
      store.onCommit(name, (checkpoint, marks) => this.heard(checkpoint, marks)),
      events.onInterruption(() => this.interrupt()),
    ];
    const watch = setInterval(() => void this.missDocuments(), timing.idleCommitMs);
    while (!signal.aborted) {
      this.interrupted = new AbortController();
      const { signal: interrupted } = this.interrupted;
      try {
        const namespace = await this.namespace();
        if (!namespace || interrupted.aborted) continue;
        const host = this.host(restarts, AbortSignal.any([signal, interrupted]));
        this.projector = new NamespaceProjector(this.parts, this.projection, namespace, host);
        await this.projector.follow();
      } catch (error) {
        if (signal.aborted) break;
        if (interrupted.aborted) continue;
        const moved = error instanceof NamespaceGone || error instanceof CheckpointLost;
        if (moved) log.info({ projection: name, err: error }, 'going on with the documents that are served now');
        await (moved ? sleep(timing.firstRetryMs, undefined, { signal }) : restarts.pause(error)).catch(() => undefined);
      } finally {
        this.projector = null;
      }
    }
    clearInterval(watch);
    for (const stop of stops) stop();
    await this.news.settled;
    this.gate.close();
  }

  /** A store that lost its documents tells nobody, and a projector with nothing to apply would not notice before its next commit. */
  private async missDocuments(): Promise<void> {
    const projector = this.projector;
    const served = projector && (await this.parts.store.served(this.projection.name).catch(() => projector.namespace)); // an outage is none of it
    if (!projector || this.projector !== projector || served?.generation === projector.namespace.generation) return;
    this.caughtUp = false;
    projector.leave();
  }

  private interrupt(): void {
    this.interrupted.abort();
    this.trust.suspend();
    this.failureStop.end();
    if (this.besides) void this.examineBesides(this.besides);
  }

  /** A build goes on over outages, and what is served meanwhile has to be looked at all the same. */
  private async examineBesides(served: Namespace): Promise<void> {
    const why = await this.retry.retryUntilAvailable(() => settleOrigin(this.parts, served)).catch(() => null); // gone, or the end
    if (why !== null && this.besides === served) this.withhold(why);
  }

  private host(restarts: OutageRetry, signal: AbortSignal): ProjectorHost {
    const { gate, tracker } = this;
    return {
      ...{ gate, tracker, retry: this.retry, times: this.times, signal },
      handled: ({ caughtUp }) => {
        restarts.reset();
        this.caughtUp = caughtUp;
      },
      stopped: async (failure) => {
        await this.failureStop.at(failure, failure.event.position);
        signal.throwIfAborted();
      },
    };
  }

  /** ChangeCounter of a commit to the served documents, our own included. */
  private heard(checkpoint: Position, marks: string): void {
    // It may be a position of another log; or it is our own commit, which whoever makes it takes note of.
    if (!this.trust.isGiven || this.tracker.isAnnounced(marks)) return;
    // What is set aside is known before anybody is told that a position is reached.
    if (this.tracker.isUnknown(marks)) this.news.read();
    else this.reached(checkpoint);
  }

  private reached(checkpoint: Position): void {
    if (!this.trust.isGiven) return;
    if (this.upgrading && checkpoint > this.gate.position) this.gate.open(); // a process of the old version is still at work
    this.gate.advance(checkpoint, this.parts.now());
    this.failureStop.reached(checkpoint);
  }

  /** The served namespace when it is ours to follow; `null`: look again. */
  private async namespace(): Promise<Namespace | null> {
    const { store } = this.parts;
    const { name, version } = this.projection;
    const served = await this.retry.retryUntilAvailable(() => store.served(name));
    if (served === null) return await this.begin();
    const why = await this.retry.retryUntilAvailable(() => settleOrigin(this.parts, served));
    if (this.interrupted.signal.aborted) return null; // half of the answer may be that of another log
    if (why !== null) return await this.replace(served, why);
    await this.retry.retryUntilAvailable(() => this.tracker.load(store, served));
    this.trust.give();
    if (served.version === version) return served;
    if (served.version < version || (await this.isAbandoned(served))) await this.upgrade(served);
    return null;
  }

  private withhold(why: string): void {
    this.caughtUp = false;
    this.trust.withhold(why);
  }

  /** The documents come from another log, or from a future that this one does not have. */
  private async replace(served: Namespace, why: string): Promise<null> {
    const { store, timing } = this.parts;
    const { name, version } = this.projection;
    this.withhold(why);
    if (served.version > version) {
      // A newer process will do it, if there is one.
      await sleep(timing.takeoverMs, undefined, { signal: this.abort.signal });
      const now = await this.retry.retryUntilAvailable(() => store.served(name));
      if (now?.generation !== served.generation) return null;
    }
    await this.build();
    return null;
  }

  private async begin(): Promise<Namespace | null> {
    const { store } = this.parts;
    try {
      const { namespace } = await prepareForLog(this.parts, this.projection.name, this.projection.version);
      await store.serve(namespace);
      await this.tracker.load(store, namespace);
      this.trust.give();
      return namespace;
    } catch (error) {
      // Another process began at the same moment.
      if (error instanceof NamespaceGone || error instanceof CheckpointConflict) return null;
      throw error;
    }
  }

  /** Nobody moves the documents of the newer version although the log has gone on. */
  private async isAbandoned(served: Namespace): Promise<boolean> {
    const { store, events, timing, now } = this.parts;
    const checkpoint = () => this.retry.retryUntilAvailable(() => store.checkpoint(served));
    const before = await checkpoint();
    this.gate.advance(before, now());
    const head = await this.retry.retryUntilAvailable(() => events.head(this.projection.categories));
    await sleep(timing.takeoverMs, undefined, { signal: this.abort.signal });
    const after = await checkpoint();
    this.caughtUp = after >= head;
    return after === before && head > before;
  }

  /** Builds this version beside the other one. Until then nobody waits for it: the documents are as fresh as the others keep them. */
  private async upgrade(served: Namespace): Promise<void> {
    const { store, now } = this.parts;
    this.caughtUp = false;
    this.upgrading = true;
    this.gate.close();
    this.gate.advance(await this.retry.retryUntilAvailable(() => store.checkpoint(served)), now());
    this.besides = served;
    try {
      await this.build();
    } finally {
      this.besides = null;
      this.upgrading = false;
      this.gate.open();
    }
  }

  /** Returns when the documents of this version are served, or it is time to look again. */
  private async build(): Promise<void> {
    const { signal } = this.abort;
    try {
      await rebuild(this.parts, this.projection, { signal });
    } catch (error) {
      if (error instanceof EventFailed) await this.failureStop.at(error, null);
      else if (error instanceof RebuildUnderWay) await sleep(this.parts.timing.takeoverMs, undefined, { signal });
      else throw error;
    }
  }

  private newRetry(): OutageRetry {
    const { timing, log } = this.parts;
    const { signal } = this.abort;
    const { name } = this.projection;
    return new OutageRetry(timing, signal, (error, attempt) => {
      // Said at the 1st, 2nd, 4th, 8th … attempt: enough to know that it lasts.
      if ((attempt & (attempt - 1)) === 0) log.warn({ projection: name, attempt, err: error }, 'projection waits for a store');
    });
  }
}
