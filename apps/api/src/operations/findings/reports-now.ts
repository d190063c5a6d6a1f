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

/** Enabled reports of a tenant. */
export async function* reportsOf(
  { reports, results }: Omit<Sources, 'tenants'>,
  tenantId: string,
  slice: TimeSlice,
): AsyncGenerator<ReportReader> {
  for (const name of await reports.names(tenantId, MOST_REPORTS, slice)) {
    const report = await results.report(tenantId, name);
    if (report && !report.disabled) yield report;
    if (slice.isOver) await slice.next();
  }
}

/** Enabled reports of all tenants, by tenant. */
export async function* reportsNow({ tenants, ...sources }: Sources, slice: TimeSlice): AsyncGenerator<ReportNow> {
  for await (const page of tenants.byCreation(slice))
    for (const { id, info } of page)
      for await (const report of reportsOf(sources, id, slice)) yield { report, tenant: info.name, tenantId: id };
}
