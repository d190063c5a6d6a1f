import { Inject, Injectable } from '@nestjs/common';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { RefreshedValue } from '#api/ops-kit/refreshed.js';
import { AUDIT_EVENTS, CLOCK, CONFIGURATION } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { eventsOfDay } from './last-day.js';

const NOT_INDEXED = { lastUsageAt: null, hours: null };

const USAGE_MS = 5_000;

/** Whether the services are empty, and counts by the index of the log (console contract 8). */
@Injectable()
export class ServicesNow {
  private readonly index = new RefreshedValue(() => this.fromIndex(), USAGE_MS);

  constructor(
    private readonly accounts: AccountQueries,
    private readonly catalogue: CatalogueQueries,
    private readonly tenants: TenantQueries,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Never throws: unknown values are `null`. */
  async look() {
    const [indexed, isEmpty] = await Promise.all([this.index.newest(), askedSoon(readAcross(() => this.isEmpty()))]);
    return { isEmpty: isEmpty ?? false, ...(indexed ?? NOT_INDEXED) };
  }

  /** Resolves with whether there is no tenant and no project in any service. */
  private async isEmpty(): Promise<boolean> {
    return !((await this.accounts.hasProjects()) || (await this.catalogue.hasProjects()) || (await this.tenants.hasTenants()));
  }

  /** Nodes without the role `history` have no index for counts. */
  private async fromIndex() {
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
