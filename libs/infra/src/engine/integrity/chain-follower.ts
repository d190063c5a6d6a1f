import { setTimeout as sleep } from 'node:timers/promises';
import { LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import {
  AppendOutcomeUnknown,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  WrongExpectedRevision,
} from '#domain/shared/event-store.js';
import type { NewEvent, Position } from '#domain/shared/events.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import { directAccess, Lease, type LeaseKey, LeaseLost } from '#infra/platform/coordination/lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { systemEvent } from '#infra/stores/event-store/system-events.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { Chain } from './chain.js';
import { findResumePoint, type ResumePoint } from './chain-end.js';
import { ANCHOR_LEAVES, type LeafBatch } from './leaf-batch.js';

/** Makes leaves of the events of a log, starting at the end of the chain: in this thread or another one. */
export interface LeafSource {
  batches(): AsyncIterable<LeafBatch>;
  hurry(position: Position): void;
}

export type FollowerDependencies = Readonly<{
  events: EventStore;
  store: ReadStore;
  chain: Chain;
  /** Signs an anchor of this size once this node's chain has reached it. */
  anchor: (size: number) => Promise<unknown>;
  source: (resume: ResumePoint, signal: AbortSignal) => LeafSource;
  /** Id of this process, new at every start. */
  id: string;
  log: Pick<Logger, 'warn' | 'error'>;
  timing?: FollowerTiming;
}>;

/** In milliseconds: `beatMs` between two heartbeats; without one for `silenceMs`, a holder has lost the lease. */
export type FollowerTiming = Readonly<{ beatMs: number; silenceMs: number }>;

const LEASE: LeaseKey = { name: 'integrity.chain', collection: 'chain', key: 'holder' };
const DEFAULT_TIMING: FollowerTiming = { beatMs: 500, silenceMs: 1_500 };

type Holder = Readonly<{ id: string; released: boolean }>;

const retryPauseMs = backOff(100, 2_000);
const MAX_ATTEMPTS = 5;

/** Another node has appended leaves, so those prepared by this node are useless. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * Chains the events of the log, on one node at a time. The exact revision of every append keeps two nodes from chaining the same event. The
 * lease only saves work; a node that works alone takes none.
 */
export class ChainFollower {
  private readonly stopping = new AbortController();
  private source: LeafSource | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly dependencies: FollowerDependencies) {}

  /** True while this node chains. */
  get isLeading(): boolean {
    return this.source !== undefined;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Requests that events up to this position are chained at once, if this node chains. */
  hurry(position: Position): void {
    this.source?.hurry(position);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let [failures, troubles] = [0, 0]; !signal.aborted; ) {
      const started = performance.now();
      try {
        await this.lead();
      } catch (error) {
        if (performance.now() - started > 60_000) [failures, troubles] = [0, 0];
        failures += 1;
        const isTrouble = !signal.aborted && !(error instanceof Superseded || error instanceof LeaseLost);
        if (isTrouble && isLogged(++troubles)) this.report(error);
      } finally {
        this.source = undefined;
      }
      await sleep(retryPauseMs(failures + 1), undefined, { signal }).catch(() => undefined);
    }
  }

  private report(error: unknown): void {
    const { log } = this.dependencies;
    if (isOutage(error)) log.warn({ err: error }, 'events cannot be chained now');
    else log.error({ err: error }, 'events cannot be chained');
  }

  private async lease({ silenceMs }: FollowerTiming): Promise<Lease<Holder> | undefined> {
    const { store, id } = this.dependencies;
    if (store.isAlone) return undefined;
    return Lease.acquire<Holder>(directAccess(store), LEASE, () => ({ holder: { id, released: false } }), {
      isFree: (holder) => holder.released || holder.id === id,
      onHeld: () => undefined,
      silenceMs,
      pollMs: silenceMs,
      signal: this.stopping.signal,
    });
  }

  /** Takes the lease and chains until it is lost, or stopped. */
  private async lead(): Promise<void> {
    const { id, timing = DEFAULT_TIMING } = this.dependencies;
    const lease = await this.lease(timing);
    const ending = new AbortController();
    const release = this.dependencies.events.onInterruption(() => ending.abort());
    const kept = lease && this.keep(lease, ending, timing);
    try {
      await this.chain(AbortSignal.any([this.stopping.signal, ending.signal]));
    } finally {
      release();
      ending.abort();
      await kept;
      await lease?.release({ id, released: true });
    }
  }

  private async keep(lease: Lease<Holder>, ending: AbortController, { beatMs }: FollowerTiming): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      await sleep(beatMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await lease.beat({ id: this.dependencies.id, released: false }).catch(() => ending.abort());
    }
  }

  private async chain(signal: AbortSignal): Promise<void> {
    const { events, chain, anchor } = this.dependencies;
    const resume = await findResumePoint(events);
    const source = this.dependencies.source(resume, signal);
    this.source = source;
    chain.expect(resume.end.size, resume.after);
    // The process that appended these leaves may have ended before it signed their anchor.
    if (resume.end.size > 0 && resume.end.size % ANCHOR_LEAVES === 0) await anchor(resume.end.size);
    let { expected } = resume;
    for await (const { data, position } of source.batches()) {
      const size = data.from + data.count;
      chain.expect(size, BigInt(position));
      const { revision } = await this.append(systemEvent('chain', 'LeavesChained', data, null), expected);
      expected = revision;
      if (size % ANCHOR_LEAVES === 0) await anchor(size);
    }
  }

  /** Repeats an append with an unknown outcome: the log recognises the event by its id. @throws Superseded, EventStoreUnavailable */
  private async append(event: NewEvent, last: ExpectedRevision): Promise<AppendResult> {
    const { events } = this.dependencies;
    for (let [attempt, expected] = [1, last]; ; attempt++) {
      try {
        return await events.append(LEAVES_STREAM, [event], expected);
      } catch (error) {
        if (error instanceof WrongExpectedRevision) {
          expected = await this.behindIntruders(error, last);
          continue;
        }
        if (!(error instanceof AppendOutcomeUnknown) || attempt === MAX_ATTEMPTS) throw error;
        await sleep(retryPauseMs(attempt), undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /**
   * Revision to expect after events of another program, which are not shown. @param last revision of the newest leaves of this node
   * @throws Superseded another node has appended leaves
   */
  private async behindIntruders(conflict: WrongExpectedRevision, last: ExpectedRevision): Promise<ExpectedRevision> {
    const [newest] = await this.dependencies.events.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 });
    const isIntruder = conflict.actual !== conflict.expected && (newest?.revision ?? 'no-stream') === last;
    if (!isIntruder) throw new Superseded('another node has appended leaves', { cause: conflict });
    return conflict.actual;
  }
}
