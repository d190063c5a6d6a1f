import type { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { type Cause, causeOf } from '#domain/shared/causation.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { type RecomputationAction, recomputation, streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import type { Slice } from '#projections/shared/pages.js';
import type { DueRecomputation, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import type { DaySpan, Results } from '#projections/status/results/report-reader.js';
import { NewestFirst } from './newest-first.js';
import type { RecomputationRun } from './run-progress.js';

/** Dependencies of runs. */
export type RunParts = Readonly<{
  gateway: CommandGateway;
  queries: Pick<RecomputationQueries, 'dueOne'>;
  results: Results;
  clock: Clock;
  events: Pick<EventStore, 'readStream'>;
}>;

/** A portion that finishes faster than this is followed by a larger one, a slower one by a smaller one. */
const QUICK_MS = 200;

/** Result of a step: the recomputations that have left this run, and whether it is over. */
type StepOutcome = Readonly<{ ended: readonly DueRecomputation[]; over: boolean }>;

/** A recomputation of a run. `version`: after the run's last change. `cause`: that change. */
type Member = { readonly due: DueRecomputation; version: number; begun: boolean; cause?: Cause };

/** A user changed, reset, rejected or deleted it meanwhile, or another node was faster. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'RECOMPUTATION_NOT_DUE' || error.code === 'RECORD_NOT_FOUND');

/**
 * Takes recomputations of one report to `done`: begins them, computes their days in portions, and completes each one after its days. Days
 * that several of them cover are computed once. Computed results stay in the caches of results. Results that are requested meanwhile are
 * right too, because they include every recomputation in force. So an interrupted run needs no clean-up, and the next one begins anew.
 */
export class Run {
  readonly tenantId: string;
  private readonly report: string;
  private readonly days: NewestFirst;
  private readonly startedAt: string;
  private members: readonly Member[];
  /** Kept until it is computed. */
  private portion: DaySpan | undefined;
  private computed = 0;
  private reached: Day | null = null;

  /** @param dues of one report, at least one */
  constructor(
    dues: readonly [DueRecomputation, ...DueRecomputation[]],
    private readonly parts: RunParts,
  ) {
    this.tenantId = dues[0].tenantId;
    this.report = dues[0].report;
    this.startedAt = new Date(parts.clock()).toISOString();
    this.days = new NewestFirst(dues, dayOf(this.startedAt));
    this.members = dues.map((due) => ({ due, version: due.version, begun: due.status === 'running' }));
  }

  /** Recomputations that have not ended. */
  get dues(): readonly DueRecomputation[] {
    return this.members.map(({ due }) => due);
  }

  progressOf({ tenantId, id, report, start_time: startTime, end_time: endTime }: DueRecomputation): RecomputationRun {
    return { tenantId, id, report, startTime, endTime, startedAt: this.startedAt, days: this.computed, reached: this.reached };
  }

  /**
   * Begins, computes one portion of days, and completes recomputations whose days are computed. A failed step may be repeated.
   * @param over signal to leave the run as it is
   * @param slice shared over runs: portions are shorter than a time slice
   * @throws DomainError of other rules; errors of the stores
   */
  async step(over: AbortSignal, slice: Slice): Promise<StepOutcome> {
    const before = this.dues;
    await this.each(async (member) => {
      if (!member.begun) await this.move(member, 'BeginRecomputation');
      member.begun = true;
      return this.isMine(member);
    });
    const isLeft = this.members.length > 0 && !(await this.compute(over, slice));
    if (!isLeft)
      await this.each(async (member) => {
        if (!this.days.isThrough(member.due)) return true;
        await this.move(member, 'CompleteRecomputation');
        return false;
      });
    const left = new Set(isLeft ? [] : this.dues);
    return { ended: before.filter((due) => !left.has(due)), over: left.size === 0 };
  }

  /** Resolves with `false` if the portion was not computed: the signal came, or the report was deleted. */
  private async compute(over: AbortSignal, slice: Slice): Promise<boolean> {
    this.portion ??= this.days.next();
    const { portion } = this;
    if (!portion) return true;
    const report = await this.parts.results.report(this.tenantId, this.report);
    if (!report) return false;
    let found = 0;
    const started = performance.now();
    for await (const _day of report.days(portion)) {
      if (over.aborted) return false;
      found++;
      if (slice.isOver) await slice.next();
    }
    this.portion = undefined;
    this.days.took(found, performance.now() - started < QUICK_MS);
    this.computed += found;
    this.reached = portion.from;
    return true;
  }

  /** Keeps members for which `stays` resolves with `true`, and drops overtaken ones. @throws the first other error, after all were tried */
  private async each(stays: (member: Member) => Promise<boolean>): Promise<void> {
    const outcomes = await Promise.allSettled(this.members.map(stays));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected' && !isOvertaken(outcome.reason));
    if (failed?.status === 'rejected') throw failed.reason;
    this.members = this.members.filter((_, index) => {
      const outcome = outcomes[index];
      return outcome?.status === 'fulfilled' && outcome.value;
    });
  }

  /** Returns whether the recomputation is unchanged since this run began it. A read model that is behind counts as unchanged. */
  private async isMine({ due, version }: Member): Promise<boolean> {
    const now = await this.parts.queries.dueOne(due);
    return now !== undefined && now.version <= version;
  }

  /** The event on which the run is based. */
  private async causeOf({ due: { id }, version }: Member): Promise<Cause | null> {
    const [event] = await this.parts.events.readStream(streamOfRecomputation(id), { from: BigInt(version - 1), limit: 1 });
    return event ? causeOf(event) : null;
  }

  private async move(member: Member, type: Extract<RecomputationAction, { version: number }>['type']): Promise<void> {
    const { gateway, clock } = this.parts;
    const { tenantId, id } = member.due;
    const action = { type, version: member.version };
    const cause = member.cause ?? (await this.causeOf(member));
    const { events } = await gateway.execute({
      stream: streamOfRecomputation(id),
      decider: recomputation,
      context: systemContext('recomputations', 'status', clock(), cause),
      command: { tenantId, id, ...action },
    });
    for (const event of events) member.cause = causeOf(event);
    member.version += 1;
  }
}
