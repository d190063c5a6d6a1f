import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { DirectoryInUse } from '#infra/platform/lmdb/environment-error.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { probeStores } from '#infra/stores/probing/probe.js';
import { type AwayStore, reasonOf, StoresAway, variablesOf } from '#infra/stores/store-access/store-trouble.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { WaitingServer } from './waiting-server.js';

/** Milliseconds between attempts, and between log lines. */
const PAUSE_MS = 500;
const BETWEEN_LINES_MS = 5_000;
/** Attempts while another process uses the data directory. It may be about to end, as after a signal; if not, this one is superfluous. */
const DIRECTORY_ATTEMPTS = 10;

/** Time that a start has waited for its stores. Several waits of a process share the limit. */
export class StoreWait {
  private readonly since = performance.now();
  private loggedAt = Number.NEGATIVE_INFINITY;
  private away: readonly AwayStore[] = [];
  private refusals = 0;

  constructor(
    private readonly configuration: Configuration,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  private get goesOn(): boolean {
    return this.waitedMs < this.configuration.startTimeoutSeconds * 1_000 && !this.signal.aborted;
  }

  /**
   * Waits until the stores answer. Meanwhile it answers in place of the server.
   * @throws StoreRefusal a store refuses this configuration
   * @throws StoresAway they do not answer within the time limit
   * @throws CannotListen
   * @throws AbortError on the signal
   */
  async untilThere(): Promise<void> {
    let server: WaitingServer | undefined;
    try {
      for (;;) {
        this.away = await this.unlessAborted(probeStores(this.configuration));
        if (this.away.length === 0) return;
        if (!this.goesOn) throw new StoresAway(this.away, Math.round(this.waitedMs / 1_000));
        this.logWait();
        server ??= await this.listen();
        await sleep(PAUSE_MS, undefined, { signal: this.signal });
      }
    } finally {
      await server?.close();
    }
  }

  /**
   * Pauses after a start that failed because a store became unavailable, or another process uses the data directory.
   * @returns false if a wait is useless: another failure, an embedded store, no time left
   * @throws AbortError on the signal
   */
  async outlasts(error: unknown): Promise<boolean> {
    const { eventStoreUrl, redisUrl } = this.configuration;
    const isInUse = error instanceof DirectoryInUse && ++this.refusals <= DIRECTORY_ATTEMPTS;
    const away: readonly AwayStore['variable'][] = [
      ...(isJust(error, EventStoreUnavailable) && eventStoreUrl !== undefined ? ['EVENTSTORE_URL' as const] : []),
      ...(isJust(error, ReadStoreUnavailable) && redisUrl !== undefined ? ['REDIS_URL' as const] : []),
      ...(isInUse ? ['LOGBOOK_DATA_DIR' as const] : []),
    ];
    if (away.length === 0 || !this.goesOn) return false;
    this.away = away.map((variable) => ({ variable, reason: (error as Error).message }));
    this.logWait();
    await sleep(PAUSE_MS, undefined, { signal: this.signal });
    return true;
  }

  private get waitedMs(): number {
    return performance.now() - this.since;
  }

  private async listen(): Promise<WaitingServer> {
    const { openWaitingServer } = await import('./waiting-server.js');
    return openWaitingServer(this.configuration, () => reasonOf(this.away));
  }

  private logWait(): void {
    if (performance.now() - this.loggedAt < BETWEEN_LINES_MS) return;
    this.loggedAt = performance.now();
    const waitedSeconds = Math.round(this.waitedMs / 1_000);
    const facts = { variable: variablesOf(this.away), waitedSeconds, atMostSeconds: this.configuration.startTimeoutSeconds };
    this.logger.warn(facts, `waiting for the stores: ${reasonOf(this.away)}`);
  }

  /** An attempt lasts seconds; a signal must not wait for it. */
  private unlessAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(this.signal.reason);
      if (this.signal.aborted) abort();
      this.signal.addEventListener('abort', abort, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', abort));
    });
  }
}

/** Subclasses of an outage have other reasons: a refusal, or an unfinished import. */
const isJust = (error: unknown, outage: new (...given: never[]) => Error): boolean =>
  error instanceof outage && Object.getPrototypeOf(error) === outage.prototype;

/** Starts once the stores answer. If one becomes unavailable meanwhile, it starts again, within the same time limit. */
export const startWhenThere = async <Started>(wait: StoreWait, start: () => Promise<Started>): Promise<Started> => {
  for (;;) {
    await wait.untilThere();
    try {
      return await start();
    } catch (error) {
      if (!(await wait.outlasts(error))) throw error;
    }
  }
};
