import type { OutageRetry } from '#infra/coordination/outage-retry.js';
import { settleOrigin } from '#infra/log-identity/namespace-origin.js';
import type { RunnerDependencies } from '#infra/projection-runner/dependencies.js';
import type { PositionGate } from '#infra/projection-runner/progress/position-gate.js';
import type { Namespace } from '#projections/shared/read-store.js';

export type UpgradeHost = Readonly<{
  dependencies: RunnerDependencies;
  gate: PositionGate;
  retry: OutageRetry;
  /** Builds the documents of this version. */
  build: () => Promise<void>;
  /** The documents that are still served do not come from the log. */
  withhold: (why: string) => void;
}>;

/**
 * Replaces documents of another version, which stay served until those of this one are built beside them. Until then nobody waits for this process: the
 * documents are as fresh as other processes keep them.
 */
export class Upgrade {
  private served: Namespace | null = null;

  constructor(private readonly host: UpgradeHost) {}

  get isUnderWay(): boolean {
    return this.served !== null;
  }

  async from(served: Namespace): Promise<void> {
    const { gate, retry, dependencies, build } = this.host;
    this.served = served;
    try {
      gate.close();
      gate.advance(await retry.retryUntilAvailable(() => dependencies.store.checkpoint(served)), dependencies.now());
      await build();
    } finally {
      this.served = null;
      gate.open();
    }
  }

  /** The log may have been replaced. A build goes on through outages of the log, but the documents that are served meanwhile have to be checked. */
  async examine(): Promise<void> {
    const { served } = this;
    if (!served) return;
    const { retry, dependencies, withhold } = this.host;
    const settled = await retry.retryUntilAvailable(() => settleOrigin(dependencies, served)).catch(() => null); // gone, or stopping
    const why = settled?.why ?? null;
    if (why !== null && this.served === served) withhold(why);
  }
}
