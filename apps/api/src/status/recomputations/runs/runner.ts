import { setTimeout as sleep } from 'node:timers/promises';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { backOff, isLogged } from '#infra/platform/coordination/back-off.js';
import type { ReportItem } from '#infra/platform/coordination/leased-work.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { FairQueue } from '#infra/platform/scheduling/fair-queue.js';
import type { DueRecomputation, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import type { ReportDocument, ReportQueries } from '#projections/status/reports/queries.js';
import { Run, type RunParts } from './run.js';

type RunnerParts = RunParts &
  Readonly<{
    queries: Pick<RecomputationQueries, 'due' | 'dueOne'>;
    reports: Pick<ReportQueries, 'byNames'>;
    /** Announced when recomputations or reports have changed. */
    changes: ChangeCounter;
    log: Pick<Logger, 'warn'>;
  }>;

/** Steps of different runs that run in parallel: while one computes, others begin and complete. */
const LANES = 4;
/** Maximum number of runs of a tenant, and of recomputations in one: if thousands wait, their days are computed together. */
const [MOST_RUNS, MOST_MEMBERS] = [4, 64];
/** Number of recomputations of all tenants in runs, beyond which each report has one. */
const PLENTY = 20_000;
/** Changes come in bursts: pause before the next look, in addition to ten times the duration of the last one. */
const GATHER_MS = 20;
const REST = 10;
/** Interval of the check for failed runs. */
const RETRY_LOOK_MS = 500;
const pauseMs = backOff(500, 60_000);

const PROFILES = ['metric', 'operations', 'aggregation'];

/** Returns whether a report can have results: two levels of groups, and the three profiles (results contract 1 and 11). */
const isComputable = (report: ReportDocument | undefined): boolean =>
  report?.types.length === 2 && PROFILES.every((type) => report.profiles.some((profile) => profile.type === type));

const keyOf = ({ tenantId, id }: Pick<DueRecomputation, 'tenantId' | 'id'>): string => `${tenantId}/${id}`;

type Batch = [DueRecomputation, ...DueRecomputation[]];

/** Failures in a row. `isAlone`: one was no outage, so that the recomputation must not fail others of its report. */
type Failed = Readonly<{ failures: number; until: number; isAlone: boolean }>;

/** Recomputations by report. */
class Batches {
  private readonly byReport = new Map<string, Batch>();

  /** @param room number of recomputations, beyond which each report has one */
  constructor(private room: number) {}

  /** Ignored if the report has no more room. @param isAlone gets a batch of its own */
  add(due: DueRecomputation, isAlone: boolean): void {
    const key = JSON.stringify([due.tenantId, due.report, ...(isAlone ? [due.id] : [])]);
    const known = this.byReport.get(key);
    if (!known) this.byReport.set(key, [due]);
    else if (known.length < (this.room > 0 ? MOST_MEMBERS : 1)) known.push(due);
    else return;
    this.room--;
  }

  all(): Iterable<Readonly<Batch>> {
    return this.byReport.values();
  }
}

/**
 * Runs due recomputations: approved or found running, of a report that can be computed. Tenants take turns after each portion of days. So
 * neither ten years of days nor thousands of recomputations of one tenant delay those of others.
 */
export class RecomputationRunner {
  private readonly queue = new FairQueue<Run>();
  /** Recomputations in runs, and the number of runs, by tenant. */
  private readonly known = new Set<string>();
  private readonly runs = new Map<string, number>();
  private readonly failed = new Map<string, Failed>();
  private readonly added = new ChangeCounter();

  constructor(
    private readonly parts: RunnerParts,
    private readonly report: ReportItem,
  ) {}

  /** Resolves some time after the signal. @throws errors of the look for due recomputations */
  async work(over: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const ended = AbortSignal.any([over, ending.signal]);
    const lanes = Array.from({ length: LANES }, () => this.lane(ended));
    try {
      await this.follow(ended);
    } finally {
      ending.abort();
      await Promise.all(lanes);
    }
  }

  private async follow(over: AbortSignal): Promise<void> {
    const { changes } = this.parts;
    while (!over.aborted) {
      const seen = changes.count;
      const before = performance.now();
      await this.look(over);
      const rest = GATHER_MS + REST * (performance.now() - before);
      await sleep(rest, undefined, { signal: over }).catch(() => undefined);
      await this.untilChange(seen, over);
    }
  }

  /** Waits for a change, or for the retry of a failed run. */
  private async untilChange(seen: number, over: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const ended = AbortSignal.any([over, ending.signal]);
    const changed = this.parts.changes.since(seen, ended).catch(() => undefined);
    const isRetried = [...this.failed.keys()].some((key) => !this.known.has(key));
    const retry = isRetried ? [sleep(RETRY_LOOK_MS, undefined, { signal: ended }).catch(() => undefined)] : [];
    await Promise.race([changed, ...retry]);
    ending.abort();
  }

  /** Creates runs of due recomputations: one for each report, as far as there is room. */
  private async look(over: AbortSignal): Promise<void> {
    const failed = new Set(this.failed.keys());
    const batches = new Batches(PLENTY - this.known.size);
    for await (const page of this.parts.queries.due(new TimeSlice())) {
      if (over.aborted) return;
      for (const due of page) failed.delete(keyOf(due));
      await this.gather(page, batches);
    }
    for (const dues of batches.all()) if (this.hasRoom(dues[0])) this.add(dues);
    for (const key of failed) this.failed.delete(key);
  }

  private async gather(page: readonly DueRecomputation[], batches: Batches): Promise<void> {
    const wanted = page.filter((due) => this.isWanted(due));
    const reports = await this.parts.reports.byNames(wanted.map(({ tenantId, report: name }) => ({ tenantId, name })));
    for (const [index, due] of wanted.entries())
      if (isComputable(reports[index])) batches.add(due, this.failed.get(keyOf(due))?.isAlone === true);
  }

  private isWanted(due: DueRecomputation): boolean {
    const key = keyOf(due);
    return !this.known.has(key) && this.hasRoom(due) && (this.failed.get(key)?.until ?? 0) <= performance.now();
  }

  private hasRoom({ tenantId }: DueRecomputation): boolean {
    return (this.runs.get(tenantId) ?? 0) < MOST_RUNS;
  }

  private add(dues: Readonly<Batch>): void {
    const run = new Run(dues, this.parts);
    for (const due of dues) this.known.add(keyOf(due));
    this.runs.set(run.tenantId, (this.runs.get(run.tenantId) ?? 0) + 1);
    this.queue.add(run.tenantId, run);
    this.added.announce();
  }

  private async lane(over: AbortSignal): Promise<void> {
    const slice = new TimeSlice();
    while (!over.aborted) {
      const seen = this.added.count;
      const run = this.queue.take();
      if (run) await this.step(run, over, slice);
      if (run && slice.isOver) await slice.next();
      else if (!run) await this.added.since(seen, over).catch(() => undefined);
    }
  }

  private async step(run: Run, over: AbortSignal, slice: TimeSlice): Promise<void> {
    const { dues } = run;
    try {
      const outcome = await run.step(over, slice);
      for (const due of outcome.ended) this.failed.delete(keyOf(due)); // portions before one that fails succeed each time
      this.forget(outcome.ended);
      if (outcome.over) this.end(run);
      else {
        for (const due of run.dues) this.report(keyOf(due), run.progressOf(due));
        this.queue.add(run.tenantId, run);
        this.added.announce();
      }
    } catch (error) {
      const failures = dues.map((due) => this.fail(due, error));
      if (isLogged(Math.max(...failures)))
        this.parts.log.warn({ err: error, tenantId: run.tenantId, recomputations: dues.length }, 'recomputations are run later');
      this.forget(dues);
      this.end(run);
    }
  }

  /** Returns the number of failures in a row. */
  private fail(due: DueRecomputation, error: unknown): number {
    const known = this.failed.get(keyOf(due));
    const failures = (known?.failures ?? 0) + 1;
    const isAlone = known?.isAlone === true || !isOutage(error);
    this.failed.set(keyOf(due), { failures, until: performance.now() + pauseMs(failures), isAlone });
    return failures;
  }

  private forget(dues: readonly DueRecomputation[]): void {
    for (const due of dues) {
      this.known.delete(keyOf(due));
      this.report(keyOf(due), null);
    }
  }

  /** Triggers a new look, because there may be room for others. */
  private end({ tenantId }: Run): void {
    const left = (this.runs.get(tenantId) ?? 1) - 1;
    if (left > 0) this.runs.set(tenantId, left);
    else this.runs.delete(tenantId);
    this.parts.changes.announce();
  }
}
