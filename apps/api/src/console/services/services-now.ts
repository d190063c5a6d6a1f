import { Inject, Injectable } from '@nestjs/common';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { AUDIT_EVENTS, CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { GroupsOfAll } from './groups-not-ok.js';
import { eventsOfDay } from './last-day.js';
import { Refreshed } from '#api/ops-kit/refreshed.js';
import { WaitingMessages } from './waiting-messages.js';

const NOT_INDEXED = { lastUsageAt: null, hours: null };

const [WAITING_MS, GROUPS_MS, USAGE_MS] = [2_000, 5_000, 5_000];

/** The three services and the log in a few figures (console contract 8). */
@Injectable()
export class ServicesNow {
  private readonly messaging: Refreshed<object>;
  private readonly status: Refreshed<object>;
  private readonly index: Refreshed<object>;

  constructor(
    waiting: WaitingMessages,
    groups: GroupsOfAll,
    private readonly accounts: AccountQueries,
    private readonly catalogue: CatalogueQueries,
    private readonly tenants: TenantQueries,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.messaging = new Refreshed(() => readAcross(() => waiting.count()), WAITING_MS);
    this.status = new Refreshed(() => readAcross(() => groups.look()), GROUPS_MS);
    this.index = new Refreshed(() => this.fromIndex(), USAGE_MS);
  }

  /** Never throws: unknown values are `null`. */
  async look(): Promise<object> {
    const [messaging, status, indexed, isEmpty] = await Promise.all([
      this.messaging.newest(),
      this.status.newest(),
      this.index.newest(),
      askedSoon(readAcross(() => this.isEmpty())),
    ]);
    return { isEmpty: isEmpty ?? false, messaging, status, ...(indexed ?? NOT_INDEXED) };
  }

  /** Resolves with whether there is no tenant and no project in any service. */
  private async isEmpty(): Promise<boolean> {
    if ((await this.accounts.hasProjects()) || (await this.catalogue.hasProjects())) return false;
    for await (const tenants of this.tenants.byCreation(new TimeSlice())) if (tenants.length > 0) return false;
    return true;
  }

  /** Nodes without the role `history` have no index for counts. */
  private async fromIndex(): Promise<object> {
    if (!this.configuration.roles.includes('history')) return NOT_INDEXED;
    const { index } = this.audit;
    const { size } = index.checkpoint();
    const found =
      size > 0 ? await index.select({ types: ['MetricRecorded'] })?.find({ order: 'desc', start: size - 1, end: 0 }, 1, 2) : null;
    const [newest] = found?.indexes ?? [];
    return {
      lastUsageAt: newest === undefined ? null : new Date(index.event(newest).logTime).toISOString(),
      hours: eventsOfDay(index, this.clock()),
    };
  }
}
