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
import { backOff } from '#infra/platform/coordination/back-off.js';
import type { LeaseKey } from '#infra/platform/coordination/lease.js';
import { LeasedWork } from '#infra/platform/coordination/leased-work.js';
import type { LeaseTiming } from '#infra/platform/coordination/work-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
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
  log: Pick<Logger, 'debug' | 'warn' | 'error'>;
  /** Milliseconds since 1970-01-01 UTC. */
  now: () => number;
  timing?: LeaseTiming | undefined;
}>;

const LEASE: LeaseKey = { name: 'integrity.chain', collection: 'chain', key: 'holder' };
/**
 * The contract allows five seconds until an event is chained, also if the chaining node fails. Grace may exceed silence: appends are fenced by their
 * revision, so a holder may wait longer for the read store.
 */
const DEFAULT_TIMING: LeaseTiming = { beatMs: 500, graceMs: 5_000, silenceMs: 1_500 };

/** Pause after an interruption of the log, or after another node has appended leaves. */
const PAUSE_MS = 500;
const retryPauseMs = backOff(100, 2_000);
const MAX_ATTEMPTS = 5;

/** Another node has appended leaves, so those prepared by this node are useless. */
class Superseded extends Error {
  override readonly name = 'Superseded';
}

/**
 * Chains the events of the log, on one node at a time. The exact revision of every append keeps two nodes from chaining the same event. The
 * lease only saves work.
 */
export class ChainFollower {
  private readonly work: LeasedWork;
  private source: LeafSource | undefined;

  constructor(private readonly dependencies: FollowerDependencies) {
    const { store, log, now, timing = DEFAULT_TIMING } = dependencies;
    this.work = new LeasedWork({
      ...{ store, log, now, timing },
      at: LEASE,
      needed: async () => undefined,
      work: async (over) => {
        while (!over.aborted) await this.lead(over);
      },
    });
  }

  /** True while this node chains. */
  get isLeading(): boolean {
    return this.source !== undefined;
  }

  /** To be called once. */
  start(): void {
    this.work.start();
  }

  /** Requests that events up to this position are chained at once, if this node chains. */
  hurry(position: Position): void {
    this.source?.hurry(position);
  }

  stop(): Promise<void> {
    return this.work.stop();
  }

  /** Chains until `over`, or until the log is interrupted or another node chains, too. */
  private async lead(over: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const release = this.dependencies.events.onInterruption(() => ending.abort());
    try {
      await this.chain(AbortSignal.any([over, ending.signal]), over);
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    } finally {
      this.source = undefined;
      release();
      ending.abort();
    }
    await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }

  private async chain(signal: AbortSignal, over: AbortSignal): Promise<void> {
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
      const { revision } = await this.append(systemEvent('chain', 'LeavesChained', data, null), expected, over);
      expected = revision;
      if (size % ANCHOR_LEAVES === 0) await anchor(size);
    }
  }

  /** Repeats an append with an unknown outcome: the log recognises the event by its id. @throws Superseded, EventStoreUnavailable */
  private async append(event: NewEvent, last: ExpectedRevision, over: AbortSignal): Promise<AppendResult> {
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
        await sleep(retryPauseMs(attempt), undefined, { signal: over }).catch(() => undefined);
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
