import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '#infra/logging/logger.js';
import { Room } from '#infra/scheduling/room.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { ChangeCounter } from './change-counter.js';
import type { HttpSender } from './http-sender.js';
import { paceOf } from './pace.js';
import { DEFAULT_LEASE_TIMING, type LeaseTiming, PushLease } from './push-lease.js';
import { type PushSource, type PushTarget, PushWorker } from './worker.js';

/** What is to be pushed, and where its messages come from. */
export interface PushSubscriptions extends PushSource {
  /** All subscriptions that are to be pushed now. */
  targets(): Promise<readonly PushTarget[]>;
}

export type PushEngineDependencies = Readonly<{
  store: ReadStore;
  subscriptions: PushSubscriptions;
  sender: Pick<HttpSender, 'send'>;
  /** Announced after anything that may have changed the targets. */
  changes: ChangeCounter;
  /** Announced after anything that may have brought messages. */
  messages: ChangeCounter;
  log: Pick<Logger, 'info' | 'warn'>;
  now: () => number;
  timing?: LeaseTiming;
  /** Milliseconds that a period has at least. Default 100. */
  shortestPeriod?: number;
}>;

/** Bytes of messages that are sent at a time, over all subscriptions. */
const MAX_SENT_BYTES = 64 * 1024 * 1024;

/** How long deliveries under way may still take when their worker is to stop: milliseconds. */
const GRACE_MS = 5_000;

/** Pause after a failure of the stores: milliseconds. */
const RETRY_MS = 500;
/** Changes come in flocks: so long they are waited for before the targets are looked at again, in milliseconds. */
const GATHER_MS = 20;

/**
 * Pushes the messages of all push subscriptions, a worker for each, on one node at a time: all nodes of role `push` run an engine,
 * and whichever has the lease works. What a node leaves unfinished, however it ends, the next one delivers.
 */
export class PushEngine {
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private readonly room = new Room(MAX_SENT_BYTES);
  private done: Promise<void> = Promise.resolve();

  constructor(private readonly dependencies: PushEngineDependencies) {}

  /** Once; works in the background, resolves when this node has the lease or waits for another's. `node`: how others are told of this one, `<host>:<port>`. */
  start(node: string): Promise<void> {
    return new Promise((resolve) => {
      this.done = this.run(node, resolve);
    });
  }

  /** Resolves when nothing is under way any more, a few seconds at most. For good. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async run(node: string, tried: () => void): Promise<void> {
    const { store, log, now, timing = DEFAULT_LEASE_TIMING } = this.dependencies;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const lease = await PushLease.acquire({ store, id: this.id, node, now, timing }, signal, tried);
        log.info({}, 'pushing messages');
        tried();
        await this.work(lease);
        if (!signal.aborted) log.warn({ err: lease.lost.reason }, 'pushing has stopped: the lease was lost');
      } catch (error) {
        tried();
        if (!signal.aborted) log.warn({ err: error }, 'pushing waits for a store');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Until the lease is lost or the engine is stopped. */
  private async work(lease: PushLease): Promise<void> {
    const workers = new Map<string, PushWorker>();
    const over = AbortSignal.any([this.stopping.signal, lease.lost]);
    const kept = lease.keep();
    try {
      await this.follow(lease, workers, over);
    } finally {
      const grace = lease.lost.aborted ? 0 : GRACE_MS;
      const stopping = [...workers.values()].map((worker) => worker.stop(grace));
      // Deliveries may become unsafe while they are waited for.
      lease.lost.addEventListener('abort', () => [...workers.values()].map((worker) => worker.stop(0)));
      await Promise.all(stopping);
      lease.end();
      await kept;
      await lease.release();
    }
  }

  /** Keeps a worker for each target. */
  private async follow(lease: PushLease, workers: Map<string, PushWorker>, over: AbortSignal): Promise<void> {
    const { changes, subscriptions, log } = this.dependencies;
    while (!over.aborted) {
      const seen = changes.version;
      try {
        const targets = await subscriptions.targets();
        if (!over.aborted) await this.employ(lease, workers, targets);
        await changes.since(seen, over);
        await sleep(GATHER_MS, undefined, { signal: over });
      } catch (error) {
        if (over.aborted) return;
        log.warn({ err: error }, 'pushing waits for a store');
        await sleep(RETRY_MS, undefined, { signal: over }).catch(() => undefined);
      }
    }
  }

  /** A target that has changed gets a new worker once the old one has left: what that was about to deliver is delivered anew. */
  private async employ(lease: PushLease, workers: Map<string, PushWorker>, targets: readonly PushTarget[]): Promise<void> {
    const { subscriptions: source, sender, messages: news, now, shortestPeriod } = this.dependencies;
    const room = this.room;
    const wanted = new Map(targets.map((target) => [target.subscriptionId, target]));
    const leaving = [...workers].filter(([id, { target }]) => !isDeepStrictEqual(target, wanted.get(id)));
    await Promise.all(leaving.map(([, worker]) => worker.stop(0)));
    for (const [id] of leaving) {
      workers.delete(id);
      lease.report(id, null);
    }
    const report = ({ subscriptionId }: PushTarget, problem: string | null): void => lease.report(subscriptionId, problem);
    const wait = async (milliseconds: number, signal: AbortSignal): Promise<void> => sleep(milliseconds, undefined, { signal });
    for (const [id, target] of wanted) {
      if (workers.has(id)) continue;
      const pace = paceOf(target.push.retryPolicy, shortestPeriod);
      workers.set(id, new PushWorker(target, { source, sender, news, now, wait, report, pace, room }));
    }
  }
}
