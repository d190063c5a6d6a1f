import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { NamespaceGone, ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { isLogged } from './back-off.js';
import type { LeaseKey } from './lease.js';
import { DEFAULT_LEASE_TIMING, type LeaseTiming, WorkLease } from './work-lease.js';

/** A kind of work. */
export type LeasedWorkKind = Readonly<{
  /** Key of its lease, which also names the work. */
  at: LeaseKey;
  /** Resolves when there is something to do: no node holds the lease for nothing. Rejects on the signal. */
  needed: (signal: AbortSignal) => Promise<void>;
  /**
   * Works until `over`, or until there is nothing to do any more. What it throws ends this attempt, and is logged. What is still under way when `lost` is
   * aborted, perhaps later, another node may do, too.
   */
  work: (over: AbortSignal, report: ReportItem, lost: AbortSignal) => Promise<void>;
  timing?: LeaseTiming;
}>;

type LeasedWorkDependencies = LeasedWorkKind &
  Readonly<{
    store: ReadStore;
    log: Pick<Logger, 'debug' | 'warn' | 'error'>;
    /** Milliseconds since 1970-01-01 UTC. */
    now: () => number;
    /** Name of this node for the others. Default: the random id of this object. */
    node?: string;
    /** Called, perhaps several times, when this node has the lease, another node holds it, or the attempt has failed. */
    onTried?: () => void;
  }>;

/** Stores what all nodes may know of an item: how far it is, or in words for operators what keeps it from being worked on; `null`: nothing. */
export type ReportItem = (item: string, report: object | string | null) => void;

/** Pause after a failure. */
const RETRY_MS = 500;
/** Work that went on for so long was no failure. */
const STEADY_MS = 60_000;

/** Work in the background that one node at a time does, from `start` until `stop`. */
export class LeasedWork {
  private readonly id = randomUUID();
  private readonly stopping = new AbortController();
  private done: Promise<void> = Promise.resolve();
  /** Failed attempts in a row that did not work for long. */
  private failures = 0;

  constructor(private readonly dependencies: LeasedWorkDependencies) {}

  /** To be called once; does not wait for the lease. */
  start(): void {
    this.done = this.run();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async run(): Promise<void> {
    const { needed, onTried } = this.dependencies;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await needed(signal);
        await this.attempt(signal);
        this.failures = 0;
      } catch (error) {
        onTried?.();
        if (signal.aborted) return;
        this.report(error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private report(error: unknown): void {
    const { at, log } = this.dependencies;
    // At every start the work waits for read models: that is no trouble.
    if (error instanceof ReadModelsUnavailable) log.debug({ work: at.name, why: error.message }, 'work in the background waits');
    else if (isLogged(++this.failures))
      log[isOutage(error) || error instanceof NamespaceGone ? 'warn' : 'error'](
        { err: error, work: at.name, attempt: this.failures },
        'work in the background is interrupted',
      );
  }

  private async attempt(signal: AbortSignal): Promise<void> {
    const { store, at, work, log, now, timing = DEFAULT_LEASE_TIMING, node = this.id, onTried = () => undefined } = this.dependencies;
    const lease = await WorkLease.acquire({ store, at, id: this.id, node, now, timing }, signal, onTried);
    onTried();
    const begun = performance.now();
    const kept = lease.keep();
    try {
      await work(AbortSignal.any([signal, lease.lost]), (item, report) => lease.report(item, report), lease.lost).catch(
        (error: unknown) => {
          if (!lease.lost.aborted) throw error;
        },
      );
      if (lease.lost.aborted && !signal.aborted)
        log.warn({ err: lease.lost.reason, work: at.name }, 'the lease of work in the background was lost');
    } finally {
      if (performance.now() - begun > STEADY_MS) this.failures = 0;
      lease.end();
      await kept;
      await lease.release();
    }
  }
}
