import { setTimeout as sleep } from 'node:timers/promises';
import { backOff } from '#infra/coordination/back-off.js';
import type { Show } from '#infra/coordination/leadership.js';
import type { Logger } from '#infra/logging/logger.js';
import { ChangeCounter } from '#infra/push/change-counter.js';
import { FairQueue } from '#infra/scheduling/fair-queue.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import type { DueRecomputation, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import type { ReportDocument, ReportQueries } from '#projections/status/reports/queries.js';
import { Run, type RunParts } from './run.js';

export type RunnerParts = RunParts &
  Readonly<{
    queries: Pick<RecomputationQueries, 'due' | 'dueOne'>;
    reports: Pick<ReportQueries, 'byNames'>;
    /** Announced when there may be other recomputations to run: these, or reports, have changed. */
    changes: ChangeCounter;
    log: Pick<Logger, 'warn'>;
  }>;

/** Steps of different runs at a time: while one computes, others are begun and completed. */
const LANES = 4;
/** Runs that are known of a tenant; and of all tenants together, beyond which each tenant has one. */
const [PER_TENANT, PLENTY] = [64, 20_000];
/** Changes come in bursts: wait this long before looking at what is due again, and ten times as long as it takes to look. */
const GATHER_MS = 20;
const REST = 10;
/** How often failed runs are looked for. */
const RETRY_LOOK_MS = 500;
const pauseMs = backOff(500, 60_000);

const PROFILES = ['metric', 'operations', 'aggregation'];

/** Whether there can be results of a report at all: two levels of groups, and the three profiles (results contract 1 and 11). */
const isComputable = (report: ReportDocument | undefined): boolean =>
  report?.types.length === 2 && PROFILES.every((type) => report.profiles.some((profile) => profile.type === type));

const keyOf = ({ tenantId, id }: Pick<DueRecomputation, 'tenantId' | 'id'>): string => `${tenantId}/${id}`;

/**
 * Runs the recomputations that are due: approved or found running, of a report that can be computed. Tenants take turns, portion of days by portion,
 * so that neither ten years of days nor thousands of recomputations of one tenant hold up those of others.
 */
export class RecomputationRunner {
  private readonly queue = new FairQueue<Run>();
  /** Runs that are waiting or in a lane, by tenant. */
  private readonly known = new Map<string, Set<string>>();
  private readonly failed = new Map<string, Readonly<{ failures: number; until: number }>>();
  private readonly added = new ChangeCounter();
  private count = 0;

  constructor(
    private readonly parts: RunnerParts,
    private readonly show: Show,
  ) {}

  /** Resolves some time after the signal is aborted. @throws what keeps it from looking at what is due */
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
      await this.untilNews(seen, over);
    }
  }

  /** Until something has changed, or what failed may be tried again. */
  private async untilNews(seen: number, over: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const ended = AbortSignal.any([over, ending.signal]);
    const news = this.parts.changes.since(seen, ended).catch(() => undefined);
    const retry = this.failed.size > 0 ? [sleep(RETRY_LOOK_MS, undefined, { signal: ended }).catch(() => undefined)] : [];
    await Promise.race([news, ...retry]);
    ending.abort();
  }

  /** Adds what is due. */
  private async look(over: AbortSignal): Promise<void> {
    const failed = new Set(this.failed.keys());
    for await (const page of this.parts.queries.due(new TimeSlice())) {
      if (over.aborted) return;
      for (const due of page) failed.delete(keyOf(due));
      const wanted = page.filter((due) => this.isWanted(due));
      const reports = await this.parts.reports.byNames(wanted.map(({ tenantId, report: name }) => ({ tenantId, name })));
      wanted.forEach((due, index) => {
        if (isComputable(reports[index]) && this.hasRoom(due)) this.add(due);
      });
    }
    for (const key of failed) this.failed.delete(key);
  }

  private isWanted(due: DueRecomputation): boolean {
    const key = keyOf(due);
    if (this.known.get(due.tenantId)?.has(key) || !this.hasRoom(due)) return false;
    return (this.failed.get(key)?.until ?? 0) <= performance.now();
  }

  private hasRoom({ tenantId }: DueRecomputation): boolean {
    return (this.known.get(tenantId)?.size ?? 0) < (this.count < PLENTY ? PER_TENANT : 1);
  }

  private add(due: DueRecomputation): void {
    const { tenantId } = due;
    const ofTenant = this.known.get(tenantId) ?? new Set();
    this.known.set(tenantId, ofTenant.add(keyOf(due)));
    this.count++;
    this.queue.add(tenantId, new Run(due, this.parts));
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
    const key = keyOf(run.due);
    try {
      const outcome = await run.step(over, slice);
      this.failed.delete(key);
      if (outcome === 'over') return this.forget(run);
      this.show(key, run.progress);
      this.queue.add(run.due.tenantId, run);
      this.added.announce();
    } catch (error) {
      const failures = (this.failed.get(key)?.failures ?? 0) + 1;
      this.failed.set(key, { failures, until: performance.now() + pauseMs(failures) });
      this.parts.log.warn({ err: error, recomputation: run.due.id }, 'a recomputation is run later');
      this.forget(run);
    }
  }

  /** The last of the tenant's runs may have left room for others. */
  private forget({ due }: Run): void {
    const ofTenant = this.known.get(due.tenantId);
    ofTenant?.delete(keyOf(due));
    if (ofTenant?.size === 0) this.known.delete(due.tenantId);
    this.count--;
    this.show(keyOf(due), null);
    this.parts.changes.announce();
  }
}
