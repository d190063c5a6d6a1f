import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import type { PositionGate } from '#infra/engine/projection-runner/progress/position-gate.js';
import type { OutageRetry } from '#infra/platform/coordination/outage-retry.js';
import { type OriginVerdict, settleOrigin } from '#infra/stores/log-identity/namespace-origin.js';
import type { Namespace } from '#projections/shared/read-store.js';
import type { LogWatch } from './log-watch.js';

type UpgradeHost = Readonly<{
  /** Version of this process. */
  version: number;
  dependencies: RunnerDependencies;
  gate: PositionGate;
  retry: OutageRetry;
  logWatch: LogWatch;
  /** Builds the documents of this version in place of others. @throws AbortError on the signal */
  build: (instead: Namespace, signal: AbortSignal) => Promise<void>;
  /** Called when the served documents do not come from the log. */
  withhold: (why: string) => void;
  /** Called when they do, so that they may be shown. */
  release: (settled: OriginVerdict) => void;
}>;

/**
 * Replaces documents of another version, which stay served until those of this version are built beside them. Until then no caller waits
 * for this process: the documents are as fresh as other processes keep them.
 */
export class Upgrade {
  private served: Namespace | null = null;
  private moved = new AbortController();

  constructor(private readonly host: UpgradeHost) {}

  get isUnderWay(): boolean {
    return this.served !== null;
  }

  async from(served: Namespace): Promise<void> {
    const { gate, retry, dependencies, build } = this.host;
    this.served = served;
    this.moved = new AbortController();
    const { signal } = this.moved;
    try {
      gate.close();
      gate.advance(await retry.retryUntilAvailable(() => dependencies.store.checkpoint(served)), dependencies.now());
      await build(served, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.served = null;
      gate.open();
    }
  }

  /**
   * Called when another process has moved the served documents. Callers can wait for them again, and newer ones are not replaced: their
   * process was only slow, and would have to build them again.
   */
  onMoved(): void {
    this.host.gate.open();
    if (this.served && this.served.version > this.host.version) this.moved.abort();
  }

  /**
   * Called when the log answers again, and may have been replaced. A build continues through outages of the log, but the documents served
   * meanwhile must be checked.
   */
  async examine(): Promise<void> {
    const { served } = this;
    if (!served) return;
    const { retry, dependencies, logWatch, withhold, release } = this.host;
    const { interruptions } = logWatch;
    const settled = await retry.retryUntilAvailable(() => settleOrigin(dependencies, served)).catch(() => null); // gone or stopping
    if (settled === null || this.served !== served) return;
    if (settled.why !== null) withhold(settled.why);
    else if (logWatch.interruptions === interruptions) release(settled); // otherwise it is checked again
  }
}
