import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { ACTS_BY_ITSELF, CLOCK, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import { LeasedWork } from '#infra/platform/coordination/leased-work.js';
import type { LeaseTiming } from '#infra/platform/coordination/work-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { BACKGROUND_RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { RUNS_LEASE } from './run-progress.js';
import { RecomputationRunner } from './runner.js';

/** Another node soon goes on with what a killed one was at; progress is reported all the time. */
const TIMING: LeaseTiming = { beatMs: 500, graceMs: 1_500, silenceMs: 2_500, gatherMs: 500 };

/** Runs recomputations in the background, on one node at a time (results contract 11). */
@Injectable()
export class RecomputationRuns {
  private readonly listening: (() => void)[] = [];
  private work: LeasedWork | undefined;

  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: RecomputationQueries,
    private readonly reports: ReportQueries,
    @Inject(BACKGROUND_RESULTS) private readonly results: Results,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(ACTS_BY_ITSELF) private readonly acts: boolean,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    if (!this.acts) return;
    const changes = new ChangeCounter();
    this.listening.push(this.queries.onCommit(changes.announce), this.reports.onCommit(changes.announce));
    const { gateway, queries, reports, results, clock, log, store } = this;
    const parts = { gateway, queries, reports, results, clock, log, changes };
    this.work = new LeasedWork({
      store,
      at: RUNS_LEASE,
      needed: async () => undefined,
      work: (over, report) => new RecomputationRunner(parts, report).work(over),
      log,
      now: clock,
      timing: TIMING,
    });
    this.work.start();
  }

  /** Called by Nest. Resolves when nothing is under way. */
  async onModuleDestroy(): Promise<void> {
    await this.work?.stop();
    for (const stop of this.listening.splice(0)) stop();
  }
}
