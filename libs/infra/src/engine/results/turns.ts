import { FairQueue } from '#infra/platform/scheduling/fair-queue.js';

/** Lets one piece of work run at a time: first what somebody waits for, tenants in turn, then work in the background. */
export class PriorityTurns {
  private readonly awaited = new FairQueue<() => void>();
  private readonly background: (() => void)[] = [];
  private busy = false;

  /** @param tenantId of whom somebody waits; default: nobody does */
  async within<Result>(work: () => Promise<Result>, tenantId?: string): Promise<Result> {
    if (this.busy)
      await new Promise<void>((resolve) => {
        if (tenantId === undefined) this.background.push(resolve);
        else this.awaited.add(tenantId, resolve);
      });
    this.busy = true;
    try {
      return await work();
    } finally {
      const next = this.awaited.take() ?? this.background.shift();
      if (next) next();
      else this.busy = false;
    }
  }
}
