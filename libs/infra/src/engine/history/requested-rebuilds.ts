import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DEFAULT_TIMING } from '#infra/engine/projection-runner/runner-timing.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { atomically, ownNamespace } from '#infra/platform/coordination/own-namespace.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isMarkedLog, type LogMark } from '#infra/stores/log-identity/log-mark.js';
import type { ReadStore } from '#projections/shared/read-store.js';

type RequestedRebuildsOptions = Readonly<{
  events: Pick<EventStore, 'readStream' | 'end'>;
  /** The store of the documents, which also records the event of the last request for each projection. */
  store: ReadStore;
  readModels: () => Pick<ReadModels, 'rebuild' | 'names' | 'storedSetAside'>;
  log: Pick<Logger, 'warn' | 'error'>;
}>;

type Request = Parameters<NonNullable<RunnerDependencies['onRebuildRequested']>>[0];

const NAME = 'history.rebuilds';
const COLLECTION = 'marks';

/**
 * Rebuilds the history of this node when operators have requested a rebuild of a projection: once for each request, one projection after another, also if
 * the node was not running then. They wait through outages of the store.
 */
export class RequestedRebuilds {
  private readonly abort = new AbortController();
  private readonly retry = new OutageRetry(DEFAULT_TIMING, this.abort.signal, (error, attempt) => {
    if (isLogged(attempt)) this.options.log.warn({ attempt, err: error }, 'a requested rebuild of the history waits for its store');
  });
  private queue: Promise<void> = Promise.resolve();
  /** Requests that wait, by projection: later ones join them. */
  private readonly waiting = new Map<string, { request: Request; done: Promise<void> }>();

  constructor(private readonly options: RequestedRebuildsOptions) {}

  /** Resolves once the request is carried out, or has failed. */
  async request(request: Request): Promise<void> {
    const { readModels, log } = this.options;
    const { projection } = request;
    if (!readModels().names.includes(projection)) return;
    const waiting = this.waiting.get(projection);
    if (waiting) {
      waiting.request = joined(waiting.request, request);
      return waiting.done;
    }
    const next = { request, done: Promise.resolve() };
    next.done = this.queue
      .then(() => {
        this.waiting.delete(projection);
        return this.carryOut(next.request);
      })
      .catch((error: unknown) => {
        if (!this.abort.signal.aborted) log.error({ projection, err: error }, 'the history was not rebuilt as requested');
      });
    this.waiting.set(projection, next);
    this.queue = next.done;
    return next.done;
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.queue;
  }

  private async carryOut({ projection, stream, revision, id, position, isEarlier, isResumption }: Request): Promise<void> {
    const { signal } = this.abort;
    signal.throwIfAborted();
    const { store, readModels } = this.options;
    const last = await this.retry.retryUntilAvailable(() => this.last(projection));
    if (last !== null && position <= last) return;
    const { groups } = await this.retry.retryUntilAvailable(() => readModels().storedSetAside(projection));
    const isPaused = [...groups.values()].some(({ failure }) => failure.position < position);
    // Without a last one, earlier requests are not made again: the history is new, or the log was restored.
    const isToRebuild = isPaused || (!isResumption && (last !== null || !isEarlier));
    if (isToRebuild) await readModels().rebuild(projection, { signal });
    const mark = { stream, revision: `${revision}`, id, position: `${position}` } satisfies LogMark;
    const put = { kind: 'put', collection: COLLECTION, key: projection, value: JSON.stringify(mark) } as const;
    await this.retry.retryUntilAvailable(() =>
      atomically(store, NAME, (namespace, changes) => store.commit(namespace, [put], changes, changes + 1n)),
    );
  }

  /** Position of the last request carried out; `null` if there was none in this log. */
  private async last(projection: string): Promise<Position | null> {
    const { store, events } = this.options;
    const stored = await store.documents(await ownNamespace(store, NAME)).get(COLLECTION, projection);
    if (!stored) return null;
    const mark: LogMark & { position: string } = JSON.parse(stored.toString('utf8'));
    const position = BigInt(mark.position);
    return (await isMarkedLog(events, mark, position)) ? position : null;
  }
}

/** Both requests in one, of which the later has the greater position. */
const joined = (one: Request, other: Request): Request => ({
  ...(one.position > other.position ? one : other),
  isEarlier: one.isEarlier && other.isEarlier,
  isResumption: one.isResumption && other.isResumption,
});
