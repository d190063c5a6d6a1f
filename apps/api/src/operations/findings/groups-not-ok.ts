import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '#domain/shared/decider.js';
import { dayAt } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';

type Group = Readonly<{ name: string; status: string; tenant: string; tenantId: string; report: string }>;

/** Endpoint groups of all reports that are not `OK` now. `worst`: the most severe, `null` if there is none. `groups`: number of all. */
type GroupsNotOk = Readonly<{ groups: number; notOk: number; worst: Group | null }>;

/** Maximum number of checked reports of a tenant. */
const MOST_REPORTS = 100;

const SEVERITY = ['CRITICAL', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME'];
const severityOf = ({ status }: Group): number => {
  const place = SEVERITY.indexOf(status);
  return place < 0 ? SEVERITY.length : place;
};

const isWorse = (one: Group, other: Group | null): boolean => {
  if (!other) return true;
  const difference = severityOf(one) - severityOf(other);
  return difference < 0 || (difference === 0 && one.name < other.name);
};

/** Checks the current groups of all tenants. It is not recorded, because names of groups are neither secret nor personal. */
@Injectable()
export class GroupsOfAll {
  constructor(
    private readonly tenants: TenantQueries,
    private readonly reports: ReportQueries,
    @Inject(RESULTS) private readonly results: Results,
  ) {}

  /** @throws ReadStoreUnavailable */
  async look(): Promise<GroupsNotOk> {
    let [groups, notOk, worst]: [number, number, Group | null] = [0, 0, null];
    for await (const group of this.all(new TimeSlice())) {
      groups += 1;
      if (group.status === 'OK') continue;
      notOk += 1;
      if (isWorse(group, worst)) worst = group;
    }
    return { groups, notOk, worst };
  }

  private async *all(slice: TimeSlice): AsyncGenerator<Group> {
    for await (const page of this.tenants.byCreation(slice))
      for (const { id, info } of page)
        for (const name of await this.reports.names(id, MOST_REPORTS, slice)) {
          const report = await this.results.report(id, name);
          if (report && !report.disabled && report.computations.status) yield* groupsNow(report, { tenant: info.name, tenantId: id });
          if (slice.isOver) await slice.next();
        }
  }
}

/** Skips a report that is larger than a call may read. */
async function* groupsNow(report: ReportReader, of: Pick<Group, 'tenant' | 'tenantId'>): AsyncGenerator<Group> {
  const today = dayAt(report.now);
  try {
    for await (const { groups } of report.days({ from: today, to: today }))
      for (const { name, timeline } of groups) yield { name, status: timeline.at(-1)?.status ?? '', ...of, report: report.name };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}
