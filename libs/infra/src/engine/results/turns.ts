import { FairQueue } from '#infra/platform/scheduling/fair-queue.js';

/** Runs one task at a time: first requested ones, taking turns by tenant, then background work. */
export class PriorityTurns {
  private readonly awaited = new FairQueue<() => void>();
  private readonly background: (() => void)[] = [];
  private busy = false;

  /** @param tenantId of the waiting caller; default: background work */
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
