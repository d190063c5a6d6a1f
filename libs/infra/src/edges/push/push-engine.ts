import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import { LeasedWork, type ReportItem } from '#infra/platform/coordination/leased-work.js';
import { Runners } from '#infra/platform/coordination/runners.js';
import { type LeaseTiming, lastOf, sinceOf } from '#infra/platform/coordination/work-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { HttpSender } from '#infra/platform/outgoing/http-sender.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ChangeCounter } from './change-counter.js';
import { type PushFeed, type PushTarget, PushWorker } from './worker.js';

/** Lease that entitles one node to push, with the problems of subscriptions. */
export const PUSH_LEASE: LeaseKey = { name: 'messaging.push', collection: 'push', key: 'holder' };

type PushEngineDependencies = Readonly<{
  store: ReadStore;
  /** All subscriptions to push now. */
  targets: () => Promise<readonly PushTarget[]>;
  /** The messages of one of them, for a new worker. */
  feedOf: (target: PushTarget) => PushFeed;
  sender: Pick<HttpSender, 'send'>;
  /** Announced when the targets may have changed. */
  targetChanges: ChangeCounter;
  log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  now: () => number;
  timing?: LeaseTiming;
  /** Counts sent batches by outcome. Default: no callback. */
  sent?: (outcome: 'delivered' | 'failed') => void;
  /** Smallest period, in milliseconds. Default 100. */
  shortestPeriod?: number;
}>;

/** `leave`: aborted when the target has changed or gone, or all work is `over`, because the engine stops or its lease is `lost`. */
type Serving = Readonly<{ leave: AbortSignal; over: AbortSignal; lost: AbortSignal; report: (problem: string | null) => void }>;

/** Additional time for deliveries in flight when their worker must stop. */
const GRACE_MS = 5_000;

/** Pause after a failure of the stores. */
const RETRY_MS = 500;
/** Changes come in bursts: the engine waits this long before it reads the targets again. */
const GATHER_MS = 20;

/**
 * Pushes the messages of all push subscriptions, with one worker each, on one node at a time. All nodes with the role `push` run an engine;
 * the holder of the lease works. Unfinished work of a node, however it ends, is delivered by the next one.
 */
export class PushEngine {
  private pushing: LeasedWork | undefined;
  /** Consecutive reads of the targets that failed because of a store. */
  private failures = 0;

  constructor(private readonly dependencies: PushEngineDependencies) {}

  /**
   * Must be called once; it works in the background. Resolves when this node has the lease, or another node holds it. `node`: the address
   * that other nodes show for this one, `<host>:<port>`.
   */
  start(node: string): Promise<void> {
    const { store, log, now, timing } = this.dependencies;
    return new Promise((onTried) => {
      this.pushing = new LeasedWork({
        store,
        at: PUSH_LEASE,
        needed: async () => undefined,
        work: (over, report, lost) => this.push(over, report, lost),
        log,
        now,
        node,
        onTried,
        ...(timing && { timing }),
      });
      this.pushing.start();
    });
  }

  /** Stops permanently. Resolves when nothing is in flight, after a few seconds at most. */
  async stop(): Promise<void> {
    await this.pushing?.stop();
  }

  /** Resolves when nothing is in flight after the lease is lost or the engine is stopped. */
  private async push(over: AbortSignal, report: ReportItem, lost: AbortSignal): Promise<void> {
    setMaxListeners(0, lost); // one for each worker that stops
    const workers = new Runners<PushTarget>((id, target, leave) =>
      this.serve(target, { ...{ leave, over, lost }, report: this.reporterOf(id, report) }),
    );
    this.dependencies.log.info({}, 'pushing messages');
    try {
      await this.follow(workers, over, (gone) => report(lastOf(gone), null));
    } finally {
      await workers.stop();
    }
  }

  /** Reports the problem of a subscription, when it began, and the last one. */
  private reporterOf(id: string, report: ReportItem): Serving['report'] {
    let since: string | null = null;
    return (problem) => {
      since = problem === null ? null : (since ?? new Date(this.dependencies.now()).toISOString());
      report(id, problem);
      report(sinceOf(id), since);
      if (problem !== null) report(lastOf(id), problem);
    };
  }

  /** Runs a worker for each target. */
  private async follow(workers: Runners<PushTarget>, over: AbortSignal, gone: (id: string) => void): Promise<void> {
    const { targetChanges } = this.dependencies;
    while (!over.aborted) {
      const seen = targetChanges.count;
      try {
        const targets = await this.dependencies.targets();
        this.failures = 0;
        const wanted = new Map(targets.map((target) => [target.subscriptionId, target]));
        if (!over.aborted) for (const id of await workers.employ(wanted)) if (!wanted.has(id)) gone(id);
        await targetChanges.since(seen, over);
        await sleep(GATHER_MS, undefined, { signal: over });
      } catch (error) {
        if (over.aborted) return;
        await this.pause(error, over);
      }
    }
  }

  /** Logs at growing intervals, because read models that catch up with a long log are unavailable for minutes. */
  private async pause(error: unknown, signal: AbortSignal): Promise<void> {
    const attempt = ++this.failures;
    if (isLogged(attempt)) this.dependencies.log.warn({ attempt, err: error }, 'pushing waits for a store');
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }

  /** Works for a target until `leave`. If the engine stops, deliveries in flight may finish; if the target changes, they are repeated. */
  private async serve(target: PushTarget, { leave, over, lost, report }: Serving): Promise<void> {
    const worker = this.workerFor(target, report);
    await once(leave, 'abort');
    if (!over.aborted) {
      await worker.stop(0);
      report(null);
      return;
    }
    const stopped = worker.stop(lost.aborted ? 0 : GRACE_MS);
    lost.addEventListener('abort', () => worker.stop(0)); // meanwhile deliveries are awaited
    await stopped;
  }

  private workerFor(target: PushTarget, report: Serving['report']): PushWorker {
    const { feedOf, sender, now, sent, shortestPeriod } = this.dependencies;
    const wait = async (milliseconds: number, signal: AbortSignal): Promise<void> => sleep(milliseconds, undefined, { signal });
    return new PushWorker(target, { feed: feedOf(target), sender, now, wait, report, shortestPeriod, ...(sent && { sent }) });
  }
}
