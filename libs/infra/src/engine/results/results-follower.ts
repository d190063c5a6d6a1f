import { join } from 'node:path';
import type { Follower, FollowerContext } from '#infra/engine/followers/follower.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { RESULTS } from '#projections/status/metric-results/documents.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { STATUS_SOURCES } from '#projections/status/results/status-sources.js';
import type { ReaderParts } from '#projections/status/results/stored-report-reader.js';
import { BackgroundDays } from './background.js';
import { DayComputer, type DayRequest } from './day-computer.js';
import { ResultsOrigin } from './origin.js';
import type { ResultsProgress } from './progress.js';
import { ResultsStore } from './results-store.js';
import { PriorityTurns } from './turns.js';

/** Name of the follower. */
export const RESULTS_FOLLOWER = 'results';

export const resultsPath = (dataDirectory: string): string => join(dataDirectory, 'results');

/** Dependencies of the thread. */
export type ResultsSources = Readonly<{
  /** Opened by the thread itself. */
  store: ReadStore;
  reader: ReaderParts;
  close(): Promise<void>;
}>;

/** Delay after a change, because changes come in bursts. */
const GATHER_MS = 300;
/** Points arrive all the time, so their changes of past days may wait this long. */
const POINTS_MS = 10_000;
/** Interval for the end of a day and for retries. */
const TICK_MS = 60_000;

/** Longest time for which a requested day holds the event loop, in milliseconds: a caller waits for it, while two large calls take ten each. */
const REQUESTED_SLICE_MS = 200;

/** Computes results of large reports, on request and after inputs of stored ones have changed. */
export class ResultsFollower implements Follower {
  readonly name = RESULTS_FOLLOWER;
  private readonly turns = new PriorityTurns();
  private readonly computer: DayComputer;
  private readonly background: BackgroundDays;
  private readonly ending = new AbortController();
  private readonly listening: (() => void)[] = [];
  private running: Promise<void> | undefined;
  private readonly sooner = new Waiters<void>();
  /** Start of the next round, on the monotonic clock. */
  private due = 0;
  private isInterrupted = false;
  private lastMs = 0;

  private constructor(
    private readonly context: FollowerContext,
    private readonly sources: ResultsSources,
    /** Days on disk. None of them is of another log. */
    readonly kept: ResultsStore,
    private readonly origin: ResultsOrigin,
  ) {
    const { reader, store } = sources;
    const { now, log } = context;
    const reports = new ReportQueries(store);
    this.computer = new DayComputer({ reader, reports, store: kept, origin, now });
    this.background = new BackgroundDays({
      reader,
      reports,
      now,
      store: kept,
      computer: this.computer,
      turns: this.turns,
      report: (message, error) => log.warn({ err: error }, message),
      onProgress: () => this.tell(),
    });
  }

  /** Opens the stored results, and removes those of another log. @throws EnvironmentError, EventStoreUnavailable */
  static async open(context: FollowerContext, sources: ResultsSources): Promise<ResultsFollower> {
    const path = resultsPath(context.settings.dataDirectory);
    const kept = ResultsStore.open({ path, report: (message) => context.log.warn({ path }, message) });
    const versions = JSON.stringify(
      context.projections.filter(({ service }) => service === 'status').map(({ name, version }) => [name, version]),
    );
    const origin = new ResultsOrigin(context.events, kept, versions);
    const why = await origin.examine();
    if (why !== undefined) context.log.warn({ path }, `stored results are discarded: ${why}`);
    return new ResultsFollower(context, sources, kept, origin);
  }

  start(): void {
    const { store } = this.sources;
    for (const name of STATUS_SOURCES)
      this.listening.push(store.onCommit(name, () => this.expect(name === RESULTS ? POINTS_MS : GATHER_MS, name !== RESULTS)));
    this.listening.push(this.context.events.onInterruption(() => void this.examine()));
    this.running ??= this.follow();
    this.tell();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    this.sooner.wakeAll();
    for (const stop of this.listening.splice(0)) stop();
    await this.running;
    await this.turns.within(async () => {});
    await this.kept.close();
    await this.sources.close();
  }

  async answer(request: unknown): Promise<null> {
    const wanted = request as DayRequest;
    const began = performance.now();
    const proof = await this.turns.within(() => this.computer.compute(wanted, REQUESTED_SLICE_MS), wanted.tenantId);
    this.lastMs = Math.round(performance.now() - began);
    if (proof && this.background.learn({ tenantId: wanted.tenantId, name: wanted.name, report: proof.report }))
      this.expect(GATHER_MS, true);
    return null;
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    let failures = 0;
    this.expect(GATHER_MS, true);
    while (!signal.aborted) {
      await this.untilDue(signal);
      if (signal.aborted) return;
      this.due = performance.now() + TICK_MS;
      this.isInterrupted = false;
      try {
        await this.background.round(() => this.isInterrupted || signal.aborted);
        failures = 0;
      } catch (error) {
        if (!signal.aborted && isLogged(++failures))
          this.context.log.warn({ err: error }, 'results cannot be updated in the background now');
      }
      this.tell();
    }
  }

  private async untilDue(signal: AbortSignal): Promise<void> {
    for (let left = this.due - performance.now(); left > 0 && !signal.aborted; left = this.due - performance.now())
      await this.sooner.wait(left);
  }

  /** @param interrupts a running round starts again */
  private expect(withinMs: number, interrupts: boolean): void {
    this.due = Math.min(this.due, performance.now() + withinMs);
    this.isInterrupted ||= interrupts;
    this.sooner.wakeAll();
  }

  /** Checks the log after an interruption, because it may be another one. */
  private async examine(): Promise<void> {
    try {
      const why = await this.turns.within(async () => {
        const found = await this.origin.examine();
        if (found !== undefined) this.computer.forget(() => false);
        return found;
      });
      if (why !== undefined) this.context.log.warn({ why }, 'stored results are discarded');
    } catch (error) {
      this.context.log.warn({ err: error }, 'stored results could not be compared with the log');
    }
  }

  private tell(): void {
    const { runs, waiting } = this.background;
    const facts: ResultsProgress = { runs, daysWaiting: waiting, bytes: this.kept.bytes, lastMs: this.lastMs };
    const state = waiting > 0 ? 'catching-up' : 'live';
    this.context.report(RESULTS_FOLLOWER, { state, facts });
  }
}
