import { Inject, Injectable } from '@nestjs/common';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CLOCK, EVENT_STORE, LOGGER } from '#api/shared/tokens.js';
import { BackgroundWork } from '#api/status/background-work.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { ChangeCounter } from '#infra/edges/push/change-counter.js';
import type { ReportItem } from '#infra/platform/coordination/leased-work.js';
import type { LeaseTiming } from '#infra/platform/coordination/work-lease.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { BACKGROUND_RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { RUNS_LEASE } from './run-progress.js';
import { RecomputationRunner } from './runner.js';

/** After a crash another node soon takes over; progress is reported continuously. */
const TIMING: LeaseTiming = { beatMs: 500, graceMs: 1_500, silenceMs: 2_500, gatherMs: 500 };

/** Runs recomputations in the background, on one node at a time (results contract 11). */
@Injectable()
export class RecomputationRuns {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: RecomputationQueries,
    private readonly reports: ReportQueries,
    private readonly background: BackgroundWork,
    @Inject(BACKGROUND_RESULTS) private readonly results: Results,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    const changes = new ChangeCounter();
    const { gateway, queries, reports, results, events, clock, log } = this;
    const parts = { gateway, queries, reports, results, events, clock, log, changes };
    const work = {
      at: RUNS_LEASE,
      needed: async () => undefined,
      work: (over: AbortSignal, report: ReportItem) => new RecomputationRunner(parts, report).work(over),
      timing: TIMING,
    };
    this.background.start(work, () => [queries.onCommit(changes.announce), reports.onCommit(changes.announce)]);
  }
}
