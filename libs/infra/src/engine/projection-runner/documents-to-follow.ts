import { setTimeout as sleep } from 'node:timers/promises';
import { DamagedLog } from '#domain/shared/damaged-log.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import { rebuild } from '#infra/engine/projection-runner/rebuild/rebuild.js';
import { RebuildUnderWay, rebuildUnderWay } from '#infra/engine/projection-runner/rebuild/rebuild-lease.js';
import type { SetAsideTracker } from '#infra/engine/projection-runner/set-aside/set-aside-tracker.js';
import { isToRetry } from '#infra/engine/projection-runner/set-aside/to-retry.js';
import type { LogWatch } from '#infra/engine/projection-runner/trust/log-watch.js';
import { watchNewerVersion } from '#infra/engine/projection-runner/trust/newer-version.js';
import type { OriginTrust } from '#infra/engine/projection-runner/trust/origin-trust.js';
import { Upgrade } from '#infra/engine/projection-runner/trust/upgrade.js';
import { Alarm, LONGEST_TIMER_MS } from '#infra/platform/coordination/alarm.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { outOfStep } from '#infra/platform/coordination/own-namespace.js';
import { type OriginVerdict, prepareForLog, settleOrigin } from '#infra/stores/log-identity/namespace-origin.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import type { RunnerDependencies } from './dependencies.js';

/** Interface to the runner. */
type ChoiceHost = Readonly<{
  gate: PositionGate;
  tracker: SetAsideTracker;
  retry: OutageRetry;
  trust: OriginTrust;
  logWatch: LogWatch;
  /** Aborted when the runner ends. */
  signal: AbortSignal;
  /** Its signal is aborted when the log may have been replaced. */
  interrupted: () => AbortSignal;
  /** Called when documents start or cease to show the whole log. */
  onCaughtUp: (caughtUp: boolean) => void;
  /** Called when another build may be served. */
  onRenewed: () => void;
  /** Called before this process builds documents. */
  onApplying: () => void;
}>;

/**
 * Chooses the documents that a runner follows: the served ones, if they come from its log and have its version. Others are replaced, or
 * left to the processes that maintain them.
 */
export class DocumentsToFollow {
  /** Replaces documents of another version. */
  readonly upgrade: Upgrade;
  private readonly commits = new Alarm();
  private renewal: Promise<void> | undefined;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    private readonly host: ChoiceHost,
  ) {
    const { gate, retry, logWatch, trust } = host;
    this.upgrade = new Upgrade({
      ...{ dependencies, gate, retry, logWatch, version: projection.version },
      build: (served, signal) => this.build(served, signal),
      withhold: (why) => this.withhold(why),
      release: (settled) => trust.release(settled),
    });
  }

  /** Resolves when all builds beside the followed documents have ended. */
  async settled(): Promise<void> {
    await this.renewal;
  }

  /** Must be called after every commit to the served documents. */
  onCommit(): void {
    this.commits.ring();
  }

  /** The served documents if this runner may follow them; `null`: check again. @throws NamespaceGone, AbortError */
  async choose(): Promise<Namespace | null> {
    const { dependencies, host } = this;
    const { store, events } = dependencies;
    const { name, version, readsFrom = 1 } = this.projection;
    const { gate, tracker, retry, trust } = host;
    const { shown } = trust.reading;
    const served = await retry.retryUntilAvailable(() => store.served(name));
    if (served === null) {
      if (dependencies.seats !== null && !(await this.isBuiltElsewhere())) return await this.begin();
      trust.lose();
      return await this.waitForOthers();
    }
    const settled = await retry.retryUntilAvailable(() => this.examine(served));
    if (settled === null || host.interrupted().aborted) return null; // part of the answer may come from another log
    if (settled.why !== null) return await this.replace(served, settled.why);
    if (served.version < readsFrom) return await this.replaceUnreadable(served);
    await retry.retryUntilAvailable(() => tracker.load(store, served));
    if (gate.isOwing) gate.forgive(await retry.retryUntilAvailable(() => events.end()));
    if (host.interrupted().aborted) return null;
    trust.give(settled, shown);
    if (served.version === version) return this.renewed(served);
    trust.settle(); // a build of another version is shown unchanged
    if (dependencies.seats === null) return served;
    if (served.version < version || (await this.isAbandoned(served))) {
      host.onCaughtUp(false);
      await this.upgrade.from(served);
    }
    return null;
  }

  /** Checks the origin once the log has answered, so that no unchecked read model is shown. `null`: it was interrupted meanwhile. */
  private async examine(served: Namespace): Promise<OriginVerdict | null> {
    const { logWatch, signal, interrupted } = this.host;
    await logWatch.answers(signal);
    return interrupted().aborted ? null : await settleOrigin(this.dependencies, served);
  }

  /** Replaces documents that come from another log, or from later events that this log does not have. */
  private async replace(served: Namespace, why: string): Promise<null> {
    const { store, timing } = this.dependencies;
    const { retry, signal } = this.host;
    this.withhold(why);
    if (served.version > this.projection.version) {
      // A newer process does it, if there is one.
      await sleep(timing.takeoverMs, undefined, { signal });
      const now = await retry.retryUntilAvailable(() => store.served(this.projection.name));
      if (now?.generation !== served.generation) return null;
    }
    await this.build(served);
    return null;
  }

  /** Returns whether another process builds what is lost: it may have the documents. */
  private async isBuiltElsewhere(): Promise<boolean> {
    const { store, timing, now } = this.dependencies;
    if (store.isAlone) return false;
    return (await this.host.retry.retryUntilAvailable(() => rebuildUnderWay(store, this.projection.name, timing, now()))) !== null;
  }

  private async begin(): Promise<Namespace | null> {
    const { store } = this.dependencies;
    const { tracker, trust } = this.host;
    try {
      const { namespace } = await prepareForLog(this.dependencies, this.projection.name, this.projection.version, true);
      await store.serve(namespace);
      await tracker.load(store, namespace);
      trust.give({ checkpoint: 0n, building: true }, trust.reading.shown);
      return namespace;
    } catch (error) {
      if (!(error instanceof NamespaceGone || error instanceof CheckpointConflict)) throw error;
      await outOfStep(this.host.signal); // another process began at the same moment
      return null;
    }
  }

  private async isAbandoned(served: Namespace): Promise<boolean> {
    const { retry, gate, interrupted, onCaughtUp } = this.host;
    const signal = AbortSignal.any([this.host.signal, interrupted()]);
    const watched = await watchNewerVersion(this.dependencies, this.projection, served, { retry, gate, signal, onLook: onCaughtUp });
    onCaughtUp(watched.caughtUp);
    return watched.isAbandoned;
  }

  /** Replaces documents of a version that this one cannot read. */
  private async replaceUnreadable(served: Namespace): Promise<null> {
    this.withhold(`its documents are of version ${served.version}`, 'this version cannot read the documents of the read model');
    await this.build(served);
    return null;
  }

  /** Must be called when this process begins to apply the log to the documents: rebuilds them if an event that failed is to be tried again. */
  retry(served: Namespace): void {
    const { dependencies, projection, host } = this;
    this.renew(served, () => isToRetry(dependencies, projection, host.tracker.known.setAside));
  }

  /** Rebuilds outdated documents while the current ones are followed. */
  private renewed(served: Namespace): Namespace {
    const { store, seats } = this.dependencies;
    if (seats !== null && store.isOutdated?.(served)) this.renew(served, async () => true);
    return served;
  }

  /** A failure is logged, and the next choice retries. */
  private renew(served: Namespace, isDue: () => Promise<boolean>): void {
    this.renewal ??= isDue()
      .then(async (isSo) => {
        if (isSo) await rebuild(this.dependencies, this.projection, { signal: this.host.signal, instead: served });
      })
      .catch(() => undefined)
      .finally(() => {
        this.renewal = undefined;
        this.host.onRenewed();
      });
  }

  private withhold(why: string, reason?: string): void {
    this.host.onCaughtUp(false);
    this.host.trust.withhold(why, reason);
  }

  /** Returns when this version is served, or the served documents must be checked again. @param instead documents to replace */
  private async build(instead: Namespace, moved?: AbortSignal): Promise<void> {
    const { dependencies, projection, host } = this;
    if (dependencies.seats === null) await this.waitForOthers();
    else {
      host.onApplying();
      const signal = moved ? AbortSignal.any([host.signal, moved]) : host.signal;
      await rebuild(dependencies, projection, { signal, instead }).catch((error: unknown) => this.afterFailure(error, signal));
    }
  }

  private async afterFailure(error: unknown, signal: AbortSignal): Promise<void> {
    if (error instanceof RebuildUnderWay) await sleep(this.dependencies.timing.takeoverMs, undefined, { signal });
    // Only a restart helps: every attempt would rebuild everything up to the damage.
    else if (error instanceof DamagedLog) await sleep(LONGEST_TIMER_MS, undefined, { signal });
    else throw error;
  }

  /** Waits until a commit or a new served build, or for a while. */
  private async waitForOthers(): Promise<null> {
    const { signal, interrupted } = this.host;
    await this.commits.pause(this.dependencies.timing.takeoverMs, AbortSignal.any([signal, interrupted()]));
    return null;
  }
}
