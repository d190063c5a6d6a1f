import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/config/configuration.js';
import type { Logger } from '#infra/logging/logger.js';
import { type AwayStore, probeStores, reasonOf, StoresAway, variablesOf } from '#infra/store-access/probe.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import type { WaitingServer } from './waiting-server.js';

/** Milliseconds between attempts, and between lines in the log. */
const PAUSE_MS = 500;
const TELL_MS = 5_000;

/** How long a start has waited for its stores, in one process: several waits share the time limit. */
export class StoreWait {
  private readonly since = performance.now();
  private told = Number.NEGATIVE_INFINITY;
  private away: readonly AwayStore[] = [];

  constructor(
    private readonly configuration: Configuration,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  private get goesOn(): boolean {
    return this.waitedMs < this.configuration.startTimeoutSeconds * 1_000 && !this.signal.aborted;
  }

  /**
   * Waits until the stores answer, and answers in the place of the server meanwhile.
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
        this.tell();
        server ??= await this.listen();
        await sleep(PAUSE_MS, undefined, { signal: this.signal });
      }
    } finally {
      await server?.close();
    }
  }

  /** Whether a store is away now, and there is time to wait for it. */
  async hasReason(): Promise<boolean> {
    return this.goesOn && (await probeStores(this.configuration)).length > 0;
  }

  private get waitedMs(): number {
    return performance.now() - this.since;
  }

  private async listen(): Promise<WaitingServer> {
    const { openWaitingServer } = await import('./waiting-server.js');
    return openWaitingServer(this.configuration, () => reasonOf(this.away));
  }

  private tell(): void {
    if (performance.now() - this.told < TELL_MS) return;
    this.told = performance.now();
    const waitedSeconds = Math.round(this.waitedMs / 1_000);
    const facts = { variable: variablesOf(this.away), waitedSeconds, atMostSeconds: this.configuration.startTimeoutSeconds };
    this.logger.warn(facts, `waiting for the stores: ${reasonOf(this.away)}`);
  }

  /** An attempt lasts seconds; whoever wants to end the process does not wait for it. */
  private unlessAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(this.signal.reason);
      if (this.signal.aborted) abort();
      this.signal.addEventListener('abort', abort, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', abort));
    });
  }
}

/** Starts once the stores answer. When one goes away meanwhile, waits again, within the same time limit. */
export const startWhenThere = async <Started>(wait: StoreWait, start: () => Promise<Started>): Promise<Started> => {
  for (;;) {
    await wait.untilThere();
    try {
      return await start();
    } catch (error) {
      const mayBeAway = error instanceof EventStoreUnavailable || error instanceof ReadStoreUnavailable;
      if (!mayBeAway || !(await wait.hasReason())) throw error;
    }
  }
};
