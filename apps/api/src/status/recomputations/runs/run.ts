import type { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { type RecomputationAction, recomputation, streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import { systemContext } from '#infra/event-store/system-events.js';
import type { Slice } from '#projections/shared/pages.js';
import type { DueRecomputation, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import type { DaySpan, Results } from '#projections/status/results/report-reader.js';
import { NewestFirst } from './newest-first.js';
import type { RecomputationRun } from './run-progress.js';

/** What runs work with. */
export type RunParts = Readonly<{
  gateway: CommandGateway;
  queries: Pick<RecomputationQueries, 'dueOne'>;
  results: Results;
  clock: Clock;
}>;

/** A portion that takes no longer is followed by a longer one, others by a shorter one. */
const QUICK_MS = 200;

/** `over`: it is done, or not this run's any more. */
export type StepOutcome = 'goes on' | 'over';

/** Somebody changed, reset, rejected or deleted it meanwhile, or another node was faster. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'RECOMPUTATION_NOT_DUE' || error.code === 'RECORD_NOT_FOUND');

/**
 * One recomputation on its way to `done`: it is begun, its days are computed in portions, it is completed. Results that are computed stay in the
 * caches of results; those that are asked for in the meantime are right too, because they are computed with every recomputation in force. So a run
 * that is cut off has nothing to put right, and the next one begins anew.
 */
export class Run {
  private readonly days: NewestFirst;
  private readonly startedAt: string;
  private version: number;
  private isBegun: boolean;
  /** Kept until it is computed. */
  private portion: DaySpan | undefined;
  private computed = 0;
  private reached: Day | null = null;

  constructor(
    readonly due: DueRecomputation,
    private readonly parts: RunParts,
  ) {
    this.startedAt = new Date(parts.clock()).toISOString();
    this.days = new NewestFirst(due, dayOf(this.startedAt));
    this.version = due.version;
    this.isBegun = due.status === 'running';
  }

  get progress(): RecomputationRun {
    const { tenantId, id, report, start_time: startTime, end_time: endTime } = this.due;
    return { tenantId, id, report, startTime, endTime, startedAt: this.startedAt, days: this.computed, reached: this.reached };
  }

  /**
   * Begins, computes one portion of days, or completes; a step that failed may be repeated.
   * @param over the run is to be left as it is
   * @param slice of the event loop: portions are short, so that each of their own would never be over
   * @throws DomainError of other rules; errors of the stores
   */
  async step(over: AbortSignal, slice: Slice): Promise<StepOutcome> {
    try {
      if (!this.isBegun) await this.move('BeginRecomputation');
      this.isBegun = true;
      if (!(await this.isMine())) return 'over';
      return await this.compute(over, slice);
    } catch (error) {
      if (isOvertaken(error)) return 'over';
      throw error;
    }
  }

  private async compute(over: AbortSignal, slice: Slice): Promise<StepOutcome> {
    this.portion ??= this.days.next();
    const { portion } = this;
    if (!portion) {
      await this.move('CompleteRecomputation');
      return 'over';
    }
    const { tenantId, report: name } = this.due;
    const report = await this.parts.results.report(tenantId, name);
    if (!report) return 'over'; // it was deleted: the recomputation stays as it is
    let found = 0;
    const started = performance.now();
    for await (const _day of report.days(portion)) {
      if (over.aborted) return 'over';
      found++;
      if (slice.isOver) await slice.next();
    }
    this.portion = undefined;
    this.days.took(found, performance.now() - started < QUICK_MS);
    this.computed += found;
    this.reached = portion.from;
    return 'goes on';
  }

  /** Whether nothing happened to the recomputation since this run began it; a read model that is behind says nothing against it. */
  private async isMine(): Promise<boolean> {
    const now = await this.parts.queries.dueOne(this.due);
    return now !== undefined && now.version <= this.version;
  }

  private async move(type: Extract<RecomputationAction, { version: number }>['type']): Promise<void> {
    const { tenantId, id } = this.due;
    const action = { type, version: this.version };
    await this.parts.gateway.execute({
      stream: streamOfRecomputation(id),
      decider: recomputation,
      context: systemContext('recomputations', 'status', this.parts.clock()),
      command: { tenantId, id, ...action },
    });
    this.version += 1;
  }
}
