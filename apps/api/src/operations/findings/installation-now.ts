import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { MessagingNow } from '#api/operations/messaging/messaging-now.js';
import { setAsideCounts } from '#api/operations/projections/projection-views.js';
import { resultsHealth } from '#api/operations/results/results-health.js';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { chainHealth } from '#api/ops-kit/chain-status.js';
import { auditIndexHealth } from '#api/runtime/followers/audit-index-health.js';
import { historyHealth } from '#api/runtime/followers/history-health.js';
import { followsLog } from '#api/runtime/followers/open-followers.js';
import type { ResultsThread } from '#api/runtime/results-thread.js';
import type { PastSources } from '#api/shared/as-of/time-of-call.js';
import {
  AUDIT_EVENTS,
  CONFIGURATION,
  EVENT_STORE,
  HISTORY_KEEPER,
  PAST_SOURCES,
  READ_STORE,
  READS_ONLY,
  RESULTS_ENGINE,
} from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { Eraser } from '#infra/engine/erasure/eraser.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { type ProjectionStatus, shownState } from '#infra/engine/projection-runner/projection-status.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { MemoryWatch } from '#infra/stores/read-store/store-memory.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { GroupsOfAll } from './groups-not-ok.js';
import { Nodes } from './nodes.js';
import { FindingsOfJobs } from './verified.js';

const projectionOf = ({ name, service, state, lag, mismatch, setAside, rebuild }: ProjectionStatus, differences: number) => ({
  name,
  service,
  state: shownState(state, setAside.size, rebuild !== null),
  lag: { events: lag.events, seconds: lag.seconds },
  setAside: setAsideCounts(setAside),
  withheld: mismatch,
  differences,
});

export type ProjectionNow = ReturnType<typeof projectionOf>;

/** `null` if there is none; a sentence if it is not known within two seconds. */
const troubleOf = async (asking: Promise<string | null>): Promise<string | null> => {
  const answer = await askedSoon(asking.then((trouble) => ({ trouble })));
  return answer ? answer.trouble : 'it does not answer';
};

/** The state of the whole installation as this node sees it. */
@Injectable()
export class InstallationNow {
  constructor(
    private readonly messaging: MessagingNow,
    private readonly groups: GroupsOfAll,
    private readonly verified: FindingsOfJobs,
    private readonly readModels: ReadModels,
    private readonly integrity: Integrity,
    private readonly eraser: Eraser,
    private readonly deliveries: Deliveries,
    private readonly memory: MemoryWatch,
    private readonly nodes: Nodes,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(PAST_SOURCES) private readonly past: PastSources | null,
    @Inject(HISTORY_KEEPER) private readonly keeper: ReadModels | null,
    @Inject(RESULTS_ENGINE) private readonly results: ResultsThread | null,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
  ) {}

  /** Parts that each node has for itself. Never throws: unavailable parts are null. */
  async ofNode() {
    const { events, past, keeper } = this;
    const [chain, auditIndex, history, disk] = await Promise.all([
      chainHealth(this.integrity),
      this.keepsIndex ? auditIndexHealth({ index: this.audit.index, events }) : null,
      historyHealth(past, keeper, events),
      askedSoon(this.disk()),
    ]);
    return {
      ...{ chain, auditIndex, history, disk },
      results: resultsHealth(this.results),
      erasuresFailed: this.eraser.unerased,
      deadLettersKept: this.deliveries.deadLettersKept,
      subscriptionsFull: this.deliveries.full,
    };
  }

  /** Never throws: unavailable parts are null. */
  async look() {
    const { events, store } = this;
    const looking = askedSoon(this.verified.look()).then((found) => found ?? this.verified.known);
    const [own, eventLog, readStore, verified, projections, messaging, status, memory, others] = await Promise.all([
      this.ofNode(),
      troubleOf(events.trouble()),
      troubleOf(store.trouble()),
      looking,
      askedSoon(looking.then((found) => this.projections(found?.differences ?? new Map()))),
      this.messaging.sums(),
      this.groups.newest(),
      askedSoon(this.memory.look()),
      askedSoon(this.nodes.others()),
    ]);
    return { ...own, eventLog, readStore, projections, messaging, status, memory, others, damage: verified?.log ?? null };
  }

  private get keepsIndex(): boolean {
    return !this.readsOnly && followsLog(this.configuration);
  }

  /** A server of the past follows none. */
  private get names(): readonly string[] {
    return this.readsOnly ? [] : this.readModels.names;
  }

  private async projections(differences: ReadonlyMap<string, number>): Promise<readonly ProjectionNow[]> {
    const statuses = await Promise.all([...this.names].sort().map((name) => this.readModels.status(name)));
    return statuses.flatMap((status) => (status ? [projectionOf(status, differences.get(status.name) ?? 0)] : []));
  }

  /** State of the data directory. */
  private async disk() {
    const { bavail, blocks, bsize } = await statfs(this.configuration.dataDirectory);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  }
}

export type NodeNow = Awaited<ReturnType<InstallationNow['ofNode']>>;
export type Installation = Awaited<ReturnType<InstallationNow['look']>>;
