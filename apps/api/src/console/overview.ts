import { statfs } from 'node:fs/promises';
import { Inject } from '@nestjs/common';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { setAsideCounts } from '#api/operations/projections/projection-views.js';
import { resultsHealth } from '#api/operations/results/results-health.js';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { chainHealth } from '#api/ops-kit/chain-status.js';
import { historyHealth } from '#api/runtime/followers/history-health.js';
import type { ResultsThread } from '#api/runtime/service-threads.js';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import {
  AUDIT_EVENTS,
  CLOCK,
  CONFIGURATION,
  EVENT_STORE,
  HISTORY_KEEPER,
  LOG_BYTES,
  PAST_SOURCES,
  READ_STORE,
  RESULTS_ENGINE,
} from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { Eraser } from '#infra/engine/erasure/eraser.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { type ProjectionStatus, shownState } from '#infra/engine/projection-runner/projection-status.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { EventRates } from './event-rates.js';
import { type Findings, FindingsOfJobs } from './findings.js';
import { Nodes } from './nodes.js';
import { ServicesNow } from './services/services-now.js';

const projectionOf = (
  { name, service, state, lag, failure, mismatch, setAside, rebuild }: ProjectionStatus,
  differences: number,
): object => ({
  name,
  service,
  state: shownState(state, setAside.size, rebuild !== null),
  lag: { events: lag.events, seconds: lag.seconds },
  setAside: setAsideCounts(setAside),
  failure: failure?.message ?? null,
  withheld: mismatch,
  differences,
});

/** `null` if there is none; a sentence if it is not known within two seconds. */
const troubleOf = async (asking: Promise<string | null>): Promise<string | null> => {
  const answer = await askedSoon(asking.then((trouble) => ({ trouble })));
  return answer ? answer.trouble : 'it does not answer';
};

/** The console's overview: the state of the whole installation as this node sees it. */
export class Overview {
  private readonly rates: EventRates;
  private readonly findings: FindingsOfJobs;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(LOG_BYTES) private readonly bytes: () => Promise<number | null>,
    @Inject(PAST_SOURCES) private readonly past: PastSources | null,
    @Inject(HISTORY_KEEPER) private readonly keeper: ReadModels | null,
    @Inject(RESULTS_ENGINE) private readonly results: ResultsThread | null,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly readModels: ReadModels,
    private readonly integrity: Integrity,
    private readonly eraser: Eraser,
    private readonly nodes: Nodes,
    private readonly deliveries: Deliveries,
    private readonly services: ServicesNow,
    jobs: Jobs,
  ) {
    this.rates = new EventRates(audit.index);
    this.findings = new FindingsOfJobs(jobs, readModels);
  }

  /** Never throws: unavailable parts are null. */
  async look(): Promise<object> {
    const { events, store, past } = this;
    const looking = askedSoon(this.findings.look()).then((found) => found ?? this.findings.known);
    const [eventLog, readStore, log, findings, projections, nodes, chain, history, disk, services] = await Promise.all([
      troubleOf(events.trouble()),
      troubleOf(store.trouble()),
      askedSoon(this.log()),
      looking,
      askedSoon(this.projections(looking)),
      askedSoon(this.nodes.list()),
      chainHealth(this.integrity),
      historyHealth(past, this.keeper, events),
      askedSoon(this.disk()),
      this.services.look(),
    ]);
    return {
      at: new Date(this.clock()).toISOString(),
      stores: { eventLog, readStore },
      log,
      projections,
      nodes,
      chain,
      damage: findings?.log ?? null,
      history,
      results: resultsHealth(this.results),
      erasuresFailed: this.eraser.unerased,
      deadLettersKept: this.deliveries.deadLettersKept,
      disk,
      services,
    };
  }

  /** Nodes without the role `history` have no index for counts. */
  private async log(): Promise<object> {
    const head = await this.events.head();
    const { index } = this.audit;
    const counts = this.configuration.roles.includes('history');
    const categories = counts ? index.tallies.categories() : [];
    return {
      head: `${head}`,
      events: counts ? categories.reduce((sum, category) => sum + category.events, 0) : null,
      streams: counts ? categories.reduce((sum, category) => sum + category.streams, 0) : null,
      bytes: await this.bytes(),
      rates: counts ? this.rates.at(this.clock()) : null,
    };
  }

  private async projections(looking: Promise<Findings | null>): Promise<readonly object[]> {
    const statuses = await Promise.all([...this.readModels.names].sort().map((name) => this.readModels.status(name)));
    const findings = await looking;
    return statuses.flatMap((status) => (status ? [projectionOf(status, findings?.differences.get(status.name) ?? 0)] : []));
  }

  /** State of the data directory. */
  private async disk(): Promise<object> {
    const { bavail, blocks, bsize } = await statfs(this.configuration.dataDirectory);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  }
}
