import type { TimeSlice } from '#domain/shared/time-slice.js';
import type { ReportQueries } from '#projections/status/reports/queries.js';
import type { ReportReader, Results } from '#projections/status/results/report-reader.js';
import type { TenantQueries } from '#projections/status/tenants/queries.js';

/** Maximum number of checked reports of a tenant. */
const MOST_REPORTS = 100;

/** `tenant`: its name. */
type ReportNow = Readonly<{ report: ReportReader; tenant: string; tenantId: string }>;

type Sources = Readonly<{
  tenants: Pick<TenantQueries, 'byCreation'>;
  reports: Pick<ReportQueries, 'names'>;
  results: Results;
}>;

/** Enabled reports of all tenants, by tenant. */
export async function* reportsNow({ tenants, reports, results }: Sources, slice: TimeSlice): AsyncGenerator<ReportNow> {
  for await (const page of tenants.byCreation(slice))
    for (const { id, info } of page)
      for (const name of await reports.names(id, MOST_REPORTS, slice)) {
        const report = await results.report(id, name);
        if (report && !report.disabled) yield { report, tenant: info.name, tenantId: id };
        if (slice.isOver) await slice.next();
      }
}
