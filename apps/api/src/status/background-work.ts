import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ACTS_BY_ITSELF, CLOCK, LIVE_CLOCK, LIVE_READ_STORE, LOGGER, READ_STORE, READS_ONLY } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { ChangeCounter } from '#infra/edges/push/change-counter.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import { LeasedWork, type LeasedWorkKind, type ReportItem } from '#infra/platform/coordination/leased-work.js';
import { Runners } from '#infra/platform/coordination/runners.js';
import { DEFAULT_LEASE_TIMING, workCondition } from '#infra/platform/coordination/work-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Background work of the service. Each kind runs on one node at a time, until the server ends. */
@Injectable()
export class BackgroundWork {
  private readonly ending: (() => unknown)[] = [];

  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly now: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(ACTS_BY_ITSELF) private readonly acts: boolean,
  ) {}

  /** Starts a kind of work, unless this process only answers calls. @param listen subscribes to changes, and returns how to unsubscribe */
  start(work: LeasedWorkKind, listen: () => readonly (() => void)[]): void {
    if (!this.acts) return;
    const leased = new LeasedWork({ ...work, store: this.store, now: this.now, log: this.log });
    this.ending.push(...listen(), () => leased.stop());
    leased.start();
  }

  /** Called by Nest when the server ends, before it waits for open requests. Resolves when no work is running. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.ending.splice(0).map((end) => end()));
  }
}

/** Problems of background work, for operators, on whichever node it runs. */
@Injectable()
export class WorkProblems {
  constructor(
    @Inject(LIVE_READ_STORE) private readonly store: ReadStore,
    @Inject(LIVE_CLOCK) private readonly clock: Clock,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
  ) {}

  /** The problem that blocks an item; empty if there is none, or for a call about the past. */
  async of(work: LeaseKey, item: string): Promise<string> {
    if (this.readsOnly) return '';
    return (await workCondition(this.store, work, this.clock(), DEFAULT_LEASE_TIMING, item)).problem ?? '';
  }
}

/** Items of tenants that each need a background loop. */
type Items<Target> = Readonly<{
  at: LeaseKey;
  /** Announced when items may have changed. */
  changes: ChangeCounter;
  /** The items by id. Reports those that have to wait for others. */
  all(report: ReportItem): Promise<ReadonlyMap<string, Target>>;
  /** Works on an item until the signal; never rejects. */
  run(id: string, target: Target, signal: AbortSignal, report: ReportItem): Promise<void>;
  /** Milliseconds between two lookups of the items, because changes come in bursts. */
  pauseMs(): number;
  /** True if items are expected while there are none. Default: false. */
  areAwaited?(): boolean;
  /** Called on the working node before each lookup of the items. */
  prepare?(): Promise<void>;
}>;

/** Work that keeps a loop for each item, until there are none. */
export const loopsFor = <Target>({ at, changes, all, run, pauseMs, areAwaited = () => false, prepare }: Items<Target>): LeasedWorkKind => ({
  at,
  needed: async (signal) => {
    for (;;) {
      const seen = changes.count;
      if (areAwaited() || (await all(() => undefined)).size > 0) return;
      await changes.since(seen, signal);
    }
  },
  work: async (over, report) => {
    const runners = new Runners<Target>((id, target, signal) => run(id, target, signal, report));
    try {
      while (!over.aborted) {
        const seen = changes.count;
        const pause = pauseMs();
        await prepare?.();
        const items = await all(report);
        for (const id of await runners.employ(items)) report(id, null);
        if (items.size === 0 && !areAwaited()) return;
        await changes.since(seen, over);
        await sleep(pause, undefined, { signal: over });
      }
    } finally {
      await runners.stop();
    }
  },
});
