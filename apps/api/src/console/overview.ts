import { Inject } from '@nestjs/common';
import { FindingsNow } from '#api/operations/findings/findings-now.js';
import type { Installation } from '#api/operations/findings/installation-now.js';
import { Nodes } from '#api/operations/findings/nodes.js';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_EVENTS, CLOCK, CONFIGURATION, EVENT_STORE, LOG_BYTES } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { OVERVIEW } from './documentation.js';
import { EventRates } from './event-rates.js';
import { ServicesNow } from './services/services-now.js';

const messagingOf = ({ waiting, exact, oldestPublishedAt, deadLetters }: NonNullable<Installation['messaging']>) => {
  return { waiting, exact, oldestPublishedAt, deadLetters: deadLetters.value };
};

const statusOf = ({ groups, notOk, worst, late }: NonNullable<Installation['status']>) => {
  const [days, tenants] = [new Set(late.map(({ day }) => day)), new Set(late.map(({ tenantId }) => tenantId))];
  return { groups, notOk, worst, lateDays: days.size, lateTenants: tenants.size };
};

/** The console's overview: the state of the whole installation as this node sees it. */
export class Overview {
  private readonly rates: EventRates;

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(LOG_BYTES) private readonly bytes: () => Promise<number | null>,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly now: FindingsNow,
    private readonly nodes: Nodes,
    private readonly services: ServicesNow,
  ) {
    this.rates = new EventRates(audit.index);
  }

  /** Never throws: unavailable parts are null. */
  async look(): Promise<Answered<typeof OVERVIEW>> {
    const [{ findings, installation }, log, nodes, services] = await Promise.all([
      this.now.look(),
      askedSoon(this.log()),
      askedSoon(this.nodes.list().then((all) => all.map(({ findings: _, ...node }) => node))),
      this.services.look(),
    ]);
    const { eventLog, readStore, messaging, status, memory: _, others: _others, ...rest } = installation;
    return {
      at: new Date(this.clock()).toISOString(),
      findings,
      stores: { eventLog, readStore },
      log,
      nodes,
      ...rest,
      services: { ...services, messaging: messaging && messagingOf(messaging), status: status && statusOf(status) },
    };
  }

  /** Nodes without the role `history` have no index for counts. */
  private async log() {
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
}
