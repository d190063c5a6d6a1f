import { randomUUID } from 'node:crypto';
import type { Position } from '#domain/shared/events.js';
import { OutageRetry } from '#infra/coordination/outage-retry.js';
import { examine } from '#infra/log-identity/examine.js';
import { prepareForLog } from '#infra/log-identity/namespace-origin.js';
import { OriginTrail } from '#infra/log-identity/origin.js';
import type { RunnerDependencies } from '#infra/projection-runner/dependencies.js';
import { describeFailure, EventFailed } from '#infra/projection-runner/failure.js';
import { readSetAside } from '#infra/projection-runner/set-aside/set-aside-documents.js';
import type { Projection } from '#projections/shared/projection.js';
import { CheckpointConflict, type Namespace, NamespaceGone } from '#projections/shared/read-store.js';
import { RebuildLease, type RebuildProgress } from './rebuild-lease.js';
import { Replay, type ReplayStart } from './replay.js';

export type RebuildOptions = Readonly<{
  /** Default: a new UUID. */
  id?: string;
  /** How many events the log has in the projection's categories, where the caller knows. */
  total?: number | null;
  /** Where an earlier process was with it that has ended: goes on with its documents if they are still there and come from this log. */
  begun?: Readonly<{ namespace: Namespace; told: Position }>;
  /** Events that were read by then, and when it began: milliseconds since 1970-01-01 UTC. Default: none, now. */
  processed?: number;
  startedAt?: number;
  /** Called once it is known what is built. */
  onNamespace?: (namespace: Namespace) => void;
  /** Called after every page of events, with its end, and at every change of state. */
  onProgress?: (progress: RebuildProgress, position: Position | null) => void;
  /** Cancels: what is served stays untouched. */
  signal?: AbortSignal;
}>;

/** While the documents were built, the log was replaced by one that does not go on from what had been read. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
}

/**
 * Builds the documents of a projection anew beside those that are served, then switches in one step, so that readers never see less
 * than before; what is served and does not come from this log is replaced all the same. The runners of the projection, in whichever
 * process, go on in the new documents. Outages of the stores are waited out.
 * @returns the last progress, `done`
 * @throws RebuildUnderWay somebody else builds this projection
 * @throws EventFailed an event cannot be applied
 * @throws LogReplaced another log was found after an outage: start again
 * @throws AbortError cancelled, unless it had been too late: then it is done
 */
export const rebuild = (parts: RunnerDependencies, projection: Projection, options: RebuildOptions = {}): Promise<RebuildProgress> =>
  new Rebuild(parts, projection, options).run();

const COUNT_PAGE_EVENTS = 500;

/** Another build took the place of what was looked at: what is served now has to be asked again. */
const replaced = (error: unknown): undefined => {
  if (!(error instanceof NamespaceGone)) throw error;
};

/** What is built, and where to begin. */
type Begun = Readonly<{ namespace: Namespace; trail: OriginTrail; start?: ReplayStart }>;

class Rebuild {
  private readonly signal: AbortSignal;
  private readonly retry: OutageRetry;
  private readonly startedAt: number;
  private progress: RebuildProgress;
  private head: Position = 0n;
  /** The log that is read may be another one than before. */
  private interrupted = false;

  constructor(
    private readonly parts: RunnerDependencies,
    private readonly projection: Projection,
    private readonly options: RebuildOptions,
  ) {
    const { log, now, timing } = parts;
    const { name, version } = projection;
    this.signal = options.signal ?? new AbortController().signal;
    this.retry = new OutageRetry(timing, this.signal, (error, attempt) =>
      log.warn({ projection: name, attempt, err: error }, 'rebuild waits for a store'),
    );
    this.startedAt = options.startedAt ?? now();
    this.progress = {
      id: options.id ?? randomUUID(),
      projection: name,
      version,
      state: 'running',
      processed: options.processed ?? 0,
      total: options.total ?? null,
      eventsPerSecond: 0,
      remainingSeconds: null,
      startedAt: new Date(this.startedAt).toISOString(),
      endedAt: null,
      failure: null,
    };
  }

  async run(): Promise<RebuildProgress> {
    const { events, store, timing, now } = this.parts;
    const retry = this.retry;
    const lease = await RebuildLease.acquire({ store, timing, now, retry, signal: this.signal }, this.progress);
    const stopListening = events.onInterruption(() => {
      this.interrupted = true;
    });
    try {
      await this.build(lease);
      this.end('done');
      return this.progress;
    } catch (error) {
      this.end(this.signal.aborted ? 'cancelled' : 'failed', error);
      throw error;
    } finally {
      stopListening();
      await lease.release();
    }
  }

  private async build(lease: RebuildLease): Promise<void> {
    const { events, store, decode } = this.parts;
    const { name, version, categories } = this.projection;
    const retry = this.retry;
    this.report({});
    this.parts.log.info({ projection: name, version, id: this.progress.id }, 'rebuild begins beside what is served');
    this.head = await retry.retryUntilAvailable(() => events.head(categories));
    const { namespace, trail, start } = await this.begun();
    this.options.onNamespace?.(namespace);
    if ((await retry.retryUntilAvailable(() => store.served(name)))?.generation === namespace.generation) return; // it had been switched to already
    const { log, now } = this.parts;
    const replayParts = { events, store, decode, retry, log, now, start, told: this.options.begun?.told };
    const replay = new Replay(replayParts, this.projection, namespace, trail, async (count, position) => {
      this.advance(count, position);
      this.signal.throwIfAborted();
      if (this.interrupted) await this.expectSameLog(trail, position);
      await lease.beat(this.progress);
    });
    if (start && this.options.begun) await this.countBetween(this.options.begun.told, start.checkpoint);
    await replay.catchUp(0n);
    this.report({ state: 'switching' });
    await this.switch(replay, namespace);
  }

  /** An empty namespace, or that of an earlier process. */
  private async begun(): Promise<Begun> {
    const { name, version } = this.projection;
    const { begun } = this.options;
    const goingOn = begun && (await this.retry.retryUntilAvailable(() => this.goingOn(begun)).catch(replaced));
    return goingOn ?? (await this.retry.retryUntilAvailable(() => prepareForLog(this.parts, name, version)));
  }

  private async goingOn({ namespace }: NonNullable<RebuildOptions['begun']>): Promise<Begun | undefined> {
    const { store } = this.parts;
    if (namespace.version !== this.projection.version) return undefined;
    const progress = await store.progress(namespace);
    if ((await examine(this.parts, progress)).kind !== 'same') return undefined;
    const { checkpoint, origin } = progress;
    const known = await readSetAside(store, namespace);
    return { namespace, trail: new OriginTrail(origin, checkpoint), start: { checkpoint, known } };
  }

  /** An earlier process stored more than it told of: events that are not read again, but count. */
  private async countBetween(told: Position, stored: Position): Promise<void> {
    const { events } = this.parts;
    const { categories } = this.projection;
    for (let after = told; after < stored; ) {
      const batch = await this.retry.retryUntilAvailable(() => events.readAll({ after, categories, limit: COUNT_PAGE_EVENTS }));
      after = batch.caughtUp || batch.position > stored ? stored : batch.position;
      this.advance(batch.events.filter(({ position }) => position <= stored).length, after);
      this.signal.throwIfAborted();
    }
  }

  /** @throws LogReplaced */
  private async expectSameLog(trail: OriginTrail, checkpoint: Position): Promise<void> {
    this.interrupted = false;
    const origin = trail.at(checkpoint) ?? null;
    const finding = await this.retry.retryUntilAvailable(() => examine(this.parts, { checkpoint, origin }));
    if (finding.kind === 'other' || finding.kind === 'ahead')
      throw new LogReplaced(`projection ${this.projection.name}: the log was replaced during a rebuild: ${finding.why}`);
  }

  /** What is served, if it does not come from this log, or not all of what its checkpoint says. */
  private async alien(): Promise<Namespace | undefined> {
    const { store } = this.parts;
    const served = await store.served(this.projection.name);
    if (!served) return undefined;
    const { kind } = await examine(this.parts, await store.progress(served));
    return kind === 'other' || kind === 'ahead' ? served : undefined;
  }

  /** Other runners go on writing to what is served: it is the store that says whether we are level with them at the moment of the switch. */
  private async switch(replay: Replay, namespace: Namespace): Promise<void> {
    for (let alien: Namespace | undefined; ; ) {
      try {
        await this.parts.store.serve(namespace, alien);
        return;
      } catch (error) {
        if (error instanceof NamespaceGone) throw error;
        if (error instanceof CheckpointConflict) {
          this.signal.throwIfAborted();
          alien = await this.retry.retryUntilAvailable(() => this.alien()).catch(replaced);
          if (!alien) await replay.catchUp(error.actual);
        } else if (await this.isServed(namespace, error)) return;
      }
    }
  }

  /** After a switch of unknown outcome. */
  private async isServed({ projection, generation }: Namespace, cause: unknown): Promise<boolean> {
    await this.retry.pause(cause);
    const served = await this.retry.retryUntilAvailable(() => this.parts.store.served(projection));
    return served?.generation === generation;
  }

  private advance(count: number, position: Position): void {
    const processed = this.progress.processed + count;
    const seconds = Math.max(0.001, (this.parts.now() - this.startedAt) / 1000);
    const eventsPerSecond = Math.round(processed / seconds);
    this.report({ processed, eventsPerSecond, remainingSeconds: this.remaining(processed, seconds, position) }, position);
  }

  /** By the count where it is known, else by the share of the log's positions. */
  private remaining(processed: number, seconds: number, position: Position): number | null {
    const { total } = this.progress;
    const share = total ? processed / total : Number(position) / Number(this.head);
    return share > 0 ? Math.max(0, Math.round(seconds / share - seconds)) : null;
  }

  private end(state: RebuildProgress['state'], error?: unknown): void {
    const now = this.parts.now();
    const failure = error instanceof EventFailed ? describeFailure(error, now) : null;
    this.report({ state, remainingSeconds: null, endedAt: new Date(now).toISOString(), failure });
    const { projection, version, processed } = this.progress;
    if (state === 'failed') this.parts.log.error({ projection, version, err: error }, 'rebuild failed');
    else this.parts.log.info({ projection, version, processed }, `rebuild ${state}`);
  }

  private report(change: Partial<RebuildProgress>, position: Position | null = null): void {
    this.progress = { ...this.progress, ...change };
    this.options.onProgress?.(this.progress, position);
  }
}
