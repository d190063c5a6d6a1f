import { Inject, Injectable } from '@nestjs/common';
import { FirstItems } from '#api/operations/messaging/leading.js';
import { RefreshedValue } from '#api/ops-kit/refreshed.js';
import { DomainError } from '#domain/shared/decider.js';
import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { GroupSummary } from '#domain/status/results/results.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { reportsNow } from './reports-now.js';

/** `since`: `YYYY-MM-DDTHH:MM:SSZ`; `null` if it has had this status for longer than {@link MOST_DAYS} days. `day`: today. */
type GroupNow = Readonly<{
  name: string;
  status: string;
  tenant: string;
  tenantId: string;
  report: string;
  day: Day;
  since: string | null;
}>;

/** Endpoint groups of all reports that are not `OK` now: the most severe, the first of which is the worst. `groups`: number of all. */
type GroupsNotOk = Readonly<{ groups: number; notOk: number; listed: readonly GroupNow[]; worst: GroupNow | null }>;

/** Minimum pause between two looks. */
const LOOK_MS = 5_000;
/** Maximum number of groups in a list. */
const MOST_LISTED = 100;
/** Maximum number of days before today in which the beginning of a status is looked for. */
const MOST_DAYS = 7;

const SEVERITY = ['CRITICAL', 'WARNING', 'UNKNOWN', 'MISSING', 'DOWNTIME'];
const severityOf = ({ status }: GroupNow): number => {
  const place = SEVERITY.indexOf(status);
  return place < 0 ? SEVERITY.length : place;
};
const worstFirst = (one: GroupNow, other: GroupNow): number =>
  severityOf(one) - severityOf(other) || (one.name < other.name ? -1 : Number(one.name > other.name));

const instantOf = (day: Day, seconds: number): string => `${new Date(Date.parse(day) + 1_000 * seconds).toISOString().slice(0, 19)}Z`;

/** Checks the current groups of all tenants. It is not recorded, because names of groups are neither secret nor personal. */
@Injectable()
export class GroupsOfAll {
  private readonly latest: RefreshedValue<GroupsNotOk>;

  constructor(
    @Inject(TenantQueries) private readonly tenants: Pick<TenantQueries, 'byCreation'>,
    @Inject(ReportQueries) private readonly reports: Pick<ReportQueries, 'names'>,
    @Inject(RESULTS) private readonly results: Results,
  ) {
    this.latest = new RefreshedValue(() => readAcross(() => this.look()), LOOK_MS);
  }

  /** Never throws. `null` while the first look goes on. */
  newest(): Promise<GroupsNotOk | null> {
    return this.latest.newest();
  }

  private async look(): Promise<GroupsNotOk> {
    const { tenants, reports, results } = this;
    let groups = 0;
    const worst = new FirstItems<GroupNow>(MOST_LISTED, worstFirst);
    for await (const { report, tenant, tenantId } of reportsNow({ tenants, reports, results }, new TimeSlice())) {
      if (!report.computations.status) continue;
      const now = await groupsOn(report, dayAt(report.now));
      groups += now.length;
      const notOk = now.filter((group) => statusOf(group) !== 'OK');
      const since = await begins(report, notOk);
      const shared = { tenant, tenantId, report: report.name, day: dayAt(report.now) };
      worst.add(notOk.map((group) => ({ name: group.name, status: statusOf(group), ...shared, since: since.get(group.name) ?? null })));
    }
    const { first, total } = worst;
    return { groups, notOk: total, listed: first, worst: first[0] ?? null };
  }
}

const statusOf = ({ timeline }: GroupSummary): string => timeline.at(-1)?.status ?? '';

/** Groups of a day; none of a report that is larger than a call may read. */
const groupsOn = async (report: ReportReader, day: Day): Promise<readonly GroupSummary[]> => {
  try {
    for await (const { groups } of report.days({ from: day, to: day })) return groups;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
  return [];
};

/** When each group got its status, by name. A day without results ends the search. */
const begins = async (report: ReportReader, groups: readonly GroupSummary[]): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const today = dayAt(report.now);
  const open = new Map(groups.map((group) => [group.name, statusOf(group)]));
  for (let [day, left] = [today, MOST_DAYS]; open.size > 0 && left >= 0; [day, left] = [dayBefore(day), left - 1]) {
    const then = new Map((day === today ? groups : await groupsOn(report, day)).map((group) => [group.name, group]));
    for (const [name, status] of open) {
      const step = then.get(name)?.timeline.at(-1);
      if (step?.status === status) found.set(name, instantOf(day, step.at));
      if (step?.status !== status || step.at > 0) open.delete(name);
    }
  }
  for (const name of open.keys()) found.delete(name);
  return found;
};
