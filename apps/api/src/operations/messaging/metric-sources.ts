import { Injectable } from '@nestjs/common';
import type { Static } from '#domain/shared/shape.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MetricSourceQueries, type SourceOfTenant } from '#projections/status/metric-source/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import type { METRIC_SOURCE } from './documentation.js';

/** Maximum number of shown metric sources of a project. */
const MOST = 100;

/** Tenants that ingest metric data from subscriptions of a project. */
@Injectable()
export class MetricSources {
  constructor(
    private readonly sources: MetricSourceQueries,
    private readonly tenants: TenantQueries,
  ) {}

  async of(projectId: string): Promise<readonly SourceOfTenant[]> {
    return (await this.sources.all(new TimeSlice())).filter(({ source }) => source.projectId === projectId);
  }

  /** With the messages that were not metric data. */
  async views(found: readonly SourceOfTenant[]): Promise<readonly Static<typeof METRIC_SOURCE>[]> {
    const shown = found.slice(0, MOST);
    const [progresses, tenants] = await Promise.all([
      this.sources.progresses(shown.map(({ tenantId }) => tenantId)),
      Promise.all(shown.map(({ tenantId }) => this.tenants.tenant(tenantId))),
    ]);
    return shown.map(({ tenantId, source: { subscription, deadLetterTopic = null } }, at) => {
      const { deadLettered = 0, flaw } = progresses[at] ?? {};
      const lastError = flaw ? { messageId: flaw.messageId, reason: flaw.reason, at: flaw.at } : null;
      return { tenant: { id: tenantId, name: tenants[at]?.info.name ?? null }, subscription, deadLetterTopic, deadLettered, lastError };
    });
  }
}
