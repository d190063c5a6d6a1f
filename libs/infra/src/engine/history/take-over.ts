import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { OutageRetry, type RetryTiming } from '#infra/platform/coordination/outage-retry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { PastStore } from '#infra/stores/document-store/document-store.js';
import { EarlierHistory } from '#infra/stores/document-store/earlier/earlier-history.js';
import type { EarlierBuild } from '#infra/stores/document-store/earlier/rows.js';
import { Damaged } from '#infra/stores/document-store/texts/record.js';
import { isMarkedLog } from '#infra/stores/log-identity/log-mark.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Change } from '#projections/shared/read-store.js';
import { isIrreplaceable } from './irreplaceable.js';

export type TakeOverOptions = Readonly<{
  dataDirectory: string;
  /** Absent: this node shows no past, and does not move an earlier history. */
  past?: Pick<PastStore, 'importBuild'>;
  /** Resolves when the current read models have been built. Absent: they are not in the data directory. */
  built?: () => Promise<unknown>;
  events: Pick<EventStore, 'readStream' | 'end'>;
  projections: readonly Projection[];
  expiring: readonly string[];
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  timing: RetryTiming;
}>;

const [READ_MODELS, HISTORY] = ['read-models', 'history'];
const REMOVED = '.removed';

/** Returns whether the data directory holds a history of an earlier release that is not in the document store yet. */
export const hasEarlierHistory = (dataDirectory: string): boolean => existsSync(join(dataDirectory, HISTORY));

/**
 * Moves the history of earlier releases out of directories of their own: only the past that cannot be rebuilt from the log. Everything else
 * is rebuilt. A directory is removed when nothing in it is needed; after a kill the next start continues.
 */
export class TakeOver {
  private readonly abort = new AbortController();
  private readonly retry: OutageRetry;
  private running: Promise<void> | undefined;

  constructor(private readonly options: TakeOverOptions) {
    const { timing, log } = options;
    this.retry = new OutageRetry(timing, this.abort.signal, (error, attempt) => {
      if (isLogged(attempt)) log.warn({ attempt, err: error }, 'what an earlier release has kept cannot be taken over now');
    });
  }

  /** Resolves when nothing is left to do, or on `stop`. */
  start(): Promise<void> {
    this.running ??= this.run().catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.options.log.error({ err: error }, 'what an earlier release has kept was not taken over');
    });
    return this.running;
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { past, built } = this.options;
    for (const name of [READ_MODELS, HISTORY]) await rm(this.path(name + REMOVED), { recursive: true, force: true });
    if (past && this.has(HISTORY)) await this.takeHistory(past);
    if (!built || !this.has(READ_MODELS)) return;
    await Promise.race([built(), this.stopped()]);
    if (!this.abort.signal.aborted) await this.remove(READ_MODELS);
  }

  private async takeHistory(past: Pick<PastStore, 'importBuild'>): Promise<void> {
    const { log } = this.options;
    for (;;)
      try {
        await this.convert(past);
        await this.remove(HISTORY);
        log.info({}, 'the history of an earlier release was taken over');
        return;
      } catch (error) {
        this.abort.signal.throwIfAborted();
        if (error instanceof Damaged) return await this.putAside(error);
        await this.retry.pause(error);
      }
  }

  /** @throws Damaged some of it cannot be read; the rest was taken over @throws EnvironmentError */
  private async convert(past: Pick<PastStore, 'importBuild'>): Promise<void> {
    const { events, projections, expiring, log } = this.options;
    const history = EarlierHistory.open(this.path(HISTORY), (message) => log.warn({}, message));
    try {
      const { log: mark } = history;
      if (!(await isMarkedLog(events, mark, BigInt(mark?.position ?? 0)))) {
        log.warn({}, 'the history of an earlier release comes from another log, and is not taken over');
        return;
      }
      let damage: Damaged | undefined;
      for (const projection of projections)
        for (const build of history.builds(projection.name))
          if (isIrreplaceable(projection, expiring, build))
            await past.importBuild(projection.name, { ...build, changes: this.changes(history, build) }).catch((error: unknown) => {
              if (!(error instanceof Damaged)) throw error;
              damage = error;
            });
      if (damage) throw damage;
    } finally {
      await history.close();
    }
  }

  private *changes(history: EarlierHistory, build: EarlierBuild): Generator<Change> {
    for (const change of history.changes(build)) {
      this.abort.signal.throwIfAborted();
      yield change;
    }
  }

  private async putAside(error: unknown): Promise<void> {
    const kept = this.path(`${HISTORY}.damaged`);
    this.options.log.error({ err: error, path: kept }, 'the history of an earlier release cannot be read: moved aside and no longer shown');
    await rm(kept, { recursive: true, force: true });
    await rename(this.path(HISTORY), kept);
  }

  /** Removes it in one step, so that no part of it is ever taken for the whole. */
  private async remove(name: string): Promise<void> {
    await rename(this.path(name), this.path(name + REMOVED));
    await rm(this.path(name + REMOVED), { recursive: true });
  }

  private has(name: string): boolean {
    return existsSync(this.path(name));
  }

  private path(name: string): string {
    return join(this.options.dataDirectory, name);
  }

  private stopped(): Promise<void> {
    const { signal } = this.abort;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
