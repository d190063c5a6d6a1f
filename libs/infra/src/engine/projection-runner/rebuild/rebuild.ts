import { randomUUID } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { EventReference } from '#infra/engine/projection-runner/failure.js';
import type { LeftOutEvents } from '#infra/engine/projection-runner/set-aside/set-aside.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { examine } from '#infra/stores/log-identity/examine.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, type Namespace, NamespaceGone, type Progress } from '#projections/shared/read-store.js';
import { type BegunBuild, Build, type FillBuild } from './build.js';
import { BEAT_MS, RebuildLease, type RebuildProgress, speedOf } from './rebuild-lease.js';

export type RebuildOptions = Readonly<{
  /** Default: a new UUID. */
  id?: string;
  /** Continues this build, if its namespace still exists and comes from this log. */
  begun?: BegunBuild;
  /** Number of events read before. Default: 0. */
  processed?: number;
  /** Start of the build: milliseconds since 1970-01-01 UTC. Default: now. */
  startedAt?: number;
  /** Called once the namespace of the build is known. */
  onNamespace?: (namespace: Namespace) => void;
  /** Called after every page of events, with its end position, and at every change of state. */
  onProgress?: (progress: RebuildProgress, position: Position | null) => void;
  /** Cancels the rebuild; the served documents stay unchanged. */
  signal?: AbortSignal;
  /** Default: the log is applied from its beginning. */
  fill?: FillBuild;
  /** Documents to replace: nothing is built if others are served by then, because another process was faster. Default: whatever is served. */
  instead?: Namespace;
  /** Failing events to leave out. They are passed to `onLeftOut` before the switch, which records them. Default: none. */
  alike?: LeftOutEvents;
  onLeftOut?: (events: readonly EventReference[]) => Promise<void>;
}>;

/** During the build, the log was replaced by one that does not continue it. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
}

/**
 * Rebuilds the documents of a projection beside the served ones, then switches in one step, so that readers never see less than before.
 * Served documents that do not come from this log are replaced in any case. The runners of the projection, in all processes, continue with
 * the new documents. Waits through outages of the stores.
 * @returns the last progress, in state `done`
 * @throws RebuildUnderWay another rebuild of this projection is running
 * @throws LogReplaced another log was found after an outage: start again
 * @throws DamagedLog the log cannot be read
 * @throws AbortError cancelled. A late cancellation has no effect.
 */
export const rebuild = (dependencies: RunnerDependencies, projection: Projection, options: RebuildOptions = {}): Promise<RebuildProgress> =>
  new Rebuild(dependencies, projection, options).run();

/** Handles a namespace that was replaced by another build during the check: check the served documents again. */
const undefinedIfGone = (error: unknown): undefined => {
  if (!(error instanceof NamespaceGone)) throw error;
};

class Rebuild {
  private readonly signal: AbortSignal;
  private readonly retry: OutageRetry;
  private readonly startedAt: number;
  private progress: RebuildProgress;
  private logEnd: Position = 0n;
  /** Set if the log may have been replaced since it was checked. */
  private interrupted = false;

  constructor(
    private readonly dependencies: RunnerDependencies,
    private readonly projection: Projection,
    private readonly options: RebuildOptions,
  ) {
    const { log, now, timing } = dependencies;
    const { name, version } = projection;
    this.signal = options.signal ?? new AbortController().signal;
    this.retry = new OutageRetry(timing, this.signal, (error, attempt) => {
      if (isLogged(attempt)) log.warn({ projection: name, attempt, err: error }, 'rebuild waits for a store');
    });
    this.startedAt = options.startedAt ?? now();
    this.progress = {
      id: options.id ?? randomUUID(),
      projection: name,
      version,
      state: 'running',
      processed: options.processed ?? 0,
      total: null,
      eventsPerSecond: 0,
      remainingSeconds: null,
      startedAt: new Date(this.startedAt).toISOString(),
      endedAt: null,
    };
  }

  async run(): Promise<RebuildProgress> {
    const { events, store, timing, now } = this.dependencies;
    const { retry, signal } = this;
    const lease = await RebuildLease.acquire({ store, timing, now, retry, signal }, this.progress);
    // The next page may take long to find. If the log is unreachable from here, another process may reach it.
    const beating = setInterval(() => {
      if (!retry.waiting) lease.beat(this.progress).catch(() => undefined); // the next page reveals a lost lease
    }, BEAT_MS).unref();
    const stopListening = events.onInterruption(() => {
      this.interrupted = true;
    });
    try {
      this.progress = { ...this.progress, total: await this.total() };
      if (await this.isWanted()) await this.build(lease);
      this.end('done');
      return this.progress;
    } catch (error) {
      this.end(signal.aborted ? 'cancelled' : 'failed', error);
      throw error;
    } finally {
      stopListening();
      clearInterval(beating);
      await lease.release();
    }
  }

  /** Number of events to read; `null`: it is not known. */
  private async total(): Promise<number | null> {
    if (this.options.fill) return null;
    return (await this.dependencies.count?.(this.projection.categories, this.signal)) ?? null;
  }

  /** Runs under the lease, so that no other process replaces them meanwhile. */
  private async isWanted(): Promise<boolean> {
    const { instead } = this.options;
    if (!instead) return true;
    const served = await this.retry.retryUntilAvailable(() => this.dependencies.store.served(this.projection.name));
    return served?.generation === instead.generation;
  }

  private async build(lease: RebuildLease): Promise<void> {
    const { events, store, log } = this.dependencies;
    const { name, version } = this.projection;
    const { retry } = this;
    this.report({});
    log.info({ projection: name, projectionVersion: version, id: this.progress.id }, 'rebuild begins beside the served documents');
    this.logEnd = await retry.retryUntilAvailable(() => events.end());
    const onPage = async (count: number, position: Position): Promise<void> => {
      this.advance(count, position);
      this.signal.throwIfAborted();
      if (this.interrupted) await this.expectSameLog(build.progress);
      await lease.beat(this.progress);
    };
    const { alike, fill, begun } = this.options;
    const build = await Build.open({ ...this.dependencies, retry, onPage, alike, fill }, this.projection, begun);
    const { namespace } = build;
    if (fill) await this.expectSameLog(build.progress); // what it was filled with came from elsewhere
    this.options.onNamespace?.(namespace);
    const served = await retry.retryUntilAvailable(() => store.served(name));
    if (served?.generation === namespace.generation) return; // the switch was already made
    await build.countStored();
    await build.catchUp(0n);
    this.report({ state: 'switching' });
    await this.switchTo(build);
  }

  /** @throws LogReplaced */
  private async expectSameLog(progress: Progress): Promise<void> {
    this.interrupted = false;
    const finding = await this.retry.retryUntilAvailable(() => examine(this.dependencies, progress));
    if (finding.kind === 'other' || finding.kind === 'ahead')
      throw new LogReplaced(`projection ${this.projection.name}: the log was replaced during a rebuild: ${finding.why}`);
  }

  /** The served namespace, if it comes from another log or its checkpoint is ahead of the log. */
  private async foreignServed(): Promise<Namespace | undefined> {
    const { store } = this.dependencies;
    const served = await store.served(this.projection.name);
    if (!served) return undefined;
    const { kind } = await examine(this.dependencies, await store.progress(served));
    return kind === 'other' || kind === 'ahead' ? served : undefined;
  }

  /** Other runners keep writing to the served namespace, so the store compares the checkpoints during the switch. */
  private async switchTo(build: Build): Promise<void> {
    let foreign: Namespace | undefined;
    for (;;) {
      const leftOut = this.options.onLeftOut ? await this.retry.retryUntilAvailable(() => build.leftOut()) : [];
      if (leftOut.length > 0) await this.retry.retryUntilAvailable(async () => this.options.onLeftOut?.(leftOut));
      const refused = await this.trySwitch(build.namespace, foreign);
      if (refused === 'done') return;
      if (refused === 'again') continue;
      this.signal.throwIfAborted();
      foreign = await this.retry.retryUntilAvailable(() => this.foreignServed()).catch(undefinedIfGone);
      if (!foreign) await build.catchUp(refused.actual);
    }
  }

  /** Returns a conflict if the namespace is behind the served one. @throws NamespaceGone, AbortError */
  private async trySwitch(namespace: Namespace, foreign: Namespace | undefined): Promise<CheckpointConflict | 'done' | 'again'> {
    try {
      await this.dependencies.store.serve(namespace, foreign);
      return 'done';
    } catch (error) {
      if (error instanceof NamespaceGone) throw error;
      if (error instanceof CheckpointConflict) return error;
      // The outcome is unknown.
      await this.retry.pause(error);
      const served = await this.retry.retryUntilAvailable(() => this.dependencies.store.served(namespace.projection));
      return served?.generation === namespace.generation ? 'done' : 'again';
    }
  }

  private advance(count: number, position: Position): void {
    const processed = this.progress.processed + count;
    const { total } = this.progress;
    // By the number of events if it is known, otherwise by the share of the log's positions.
    const share = total ? processed / total : Number(position) / Number(this.logEnd);
    this.report({ processed, ...speedOf(processed, this.dependencies.now() - this.startedAt, share) }, position);
  }

  private end(state: RebuildProgress['state'], error?: unknown): void {
    const now = this.dependencies.now();
    const { projection, version, processed } = this.progress;
    const known = state === 'done' && { total: processed };
    this.report({ state, remainingSeconds: null, endedAt: new Date(now).toISOString(), ...known });
    if (state === 'failed') this.dependencies.log.error({ projection, projectionVersion: version, err: error }, 'rebuild failed');
    else this.dependencies.log.info({ projection, projectionVersion: version, processed }, `rebuild ${state}`);
  }

  private report(change: Partial<RebuildProgress>, position: Position | null = null): void {
    this.progress = { ...this.progress, ...change };
    this.options.onProgress?.(this.progress, position);
  }
}
