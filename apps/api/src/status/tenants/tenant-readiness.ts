import { Inject, Injectable } from '@nestjs/common';
import { dayListQueriesOf } from '#api/status/day-lists/providers.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type Readiness, readinessWith } from '#domain/status/tenants/readiness.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import type { DayListQueries } from '#projections/status/day-lists/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

/** Readiness of tenants: as reported, or else derived from topology and reports. */
@Injectable()
export class TenantReadiness {
  constructor(
    private readonly tenants: TenantQueries,
    private readonly reports: ReportQueries,
    @Inject(dayListQueriesOf(topologyEndpoints)) private readonly endpoints: DayListQueries,
    @Inject(dayListQueriesOf(topologyGroups)) private readonly groups: DayListQueries,
  ) {}

  async of(tenantId: string): Promise<Readiness> {
    const reported = await this.tenants.readiness(tenantId);
    if (reported) return reported;
    const [reports, ...days] = await Promise.all([
      this.reports.names(tenantId, 1, new TimeSlice()),
      this.endpoints.firstDay(tenantId),
      this.groups.firstDay(tenantId),
    ]);
    return readinessWith({ topology: days.some((day) => day !== undefined), reports: reports.length > 0 });
  }
}
