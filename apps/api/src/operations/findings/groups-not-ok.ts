import { Inject, Injectable } from '@nestjs/common';
import { FirstItems } from '#api/operations/messaging/leading.js';
import { RefreshedValue } from '#api/ops-kit/refreshed.js';
import { AUDIT_EVENTS, CLOCK } from '#api/shared/tokens.js';
import { StatusError } from '#api/status/errors.js';
import { type LateDay, lateDays } from '#api/status/results/late-days.js';
import type { Clock } from '#domain/shared/clock.js';
import { DomainError } from '#domain/shared/decider.js';
import { type Day, dayAt, dayBefore } from '#domain/shared/time.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { GroupSummary } from '#domain/status/results/results.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { PartitionSetAside, ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { RESULTS, type ReportReader, type Results } from '#projections/status/results/report-reader.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { reportsOf } from './reports-now.js';

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

/**
 * Groups whose status is not known: of a tenant, because a read model has paused it, or of a report, because they are too many or take too long.
 * `report`, `projection`: `null` for the other reason.
 */
type NotCounted = Readonly<{ tenant: string; tenantId: string; report: string | null; projection: string | null }>;

type LateNow = LateDay & Pick<NotCounted, 'tenant' | 'tenantId'>;

/**
 * Endpoint groups of all reports that are not `OK` now: the most severe, the first of which is the worst. `groups`: number of all that are known.
 * `late`: of the last days.
 */
type GroupsNotOk = Readonly<{
  groups: number;
  notOk: number;
  listed: readonly GroupNow[];
  worst: GroupNow | null;
  notCounted: readonly NotCounted[];
  late: readonly LateNow[];
}>;

/** Minimum pause between two looks. */
const LOOK_MS = 5_000;
/** Maximum number of groups in a list. */
const MOST_LISTED = 100;
/** Maximum number of days before today in which the beginning of a status, and late points, are looked for. */
const MOST_DAYS = 7;

const DAY_MS = 86_400_000;

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
  private readonly latest: RefreshedValue<GroupsNotOk | null>;

  constructor(
    @Inject(TenantQueries) private readonly tenants: Pick<TenantQueries, 'byCreation'>,
    @Inject(ReportQueries) private readonly reports: Pick<ReportQueries, 'names'>,
    @Inject(RESULTS) private readonly results: Results,
    @Inject(PointQueries) private readonly points: Pick<PointQueries, 'stamps' | 'lastOf'>,
    @Inject(AUDIT_EVENTS) private readonly audit: Pick<AuditEvents, 'index'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.latest = new RefreshedValue(() => this.look().catch(nullIfUnavailable), LOOK_MS);
  }

  /** Never throws. `null` while the first look goes on, and while read models cannot be read. */
  newest(): Promise<GroupsNotOk | null> {
    return this.latest.newest();
  }

  private async look(): Promise<GroupsNotOk> {
    let groups = 0;
    const notCounted: NotCounted[] = [];
    const late: LateNow[] = [];
    const worst = new FirstItems<GroupNow>(MOST_LISTED, worstFirst);
    const slice = new TimeSlice();
    for await (const page of this.tenants.byCreation(slice))
      for (const { id, info } of page) {
        const found = await this.groupsOf({ tenant: info.name, tenantId: id }, slice);
        groups += found.groups;
        worst.add(found.notOk);
        notCounted.push(...found.notCounted);
        late.push(...found.late);
      }
    const { first, total } = worst;
    return { groups, notOk: total, listed: first, worst: first[0] ?? null, notCounted, late };
  }

  /** A paused tenant has no groups here: what read models show of it is old. */
  private async groupsOf(tenant: Pick<NotCounted, 'tenant' | 'tenantId'>, slice: TimeSlice): Promise<GroupsOfTenant> {
    const found = { groups: 0, notOk: [] as GroupNow[], notCounted: [] as NotCounted[], late: [] as readonly LateNow[] };
    try {
      found.late = (await this.lateDays(tenant.tenantId, slice)).map((day) => ({ ...day, ...tenant }));
      for await (const report of reportsOf({ reports: this.reports, results: this.results }, tenant.tenantId, slice)) {
        if (!report.computations.status) continue;
        const shared = { ...tenant, report: report.name, day: dayAt(report.now) };
        const now = await groupsOn(report, shared.day);
        if (!now) {
          found.notCounted.push({ ...tenant, report: report.name, projection: null });
          continue;
        }
        const notOk = now.filter((group) => statusOf(group) !== 'OK');
        const since = await begins(report, notOk);
        found.groups += now.length;
        for (const group of notOk)
          found.notOk.push({ name: group.name, status: statusOf(group), ...shared, since: since.get(group.name) ?? null });
      }
      return found;
    } catch (error) {
      if (!(error instanceof PartitionSetAside)) throw error;
      return { groups: 0, notOk: [], notCounted: [{ ...tenant, report: null, projection: error.projection }], late: [] };
    }
  }

  private lateDays(tenantId: string, slice: TimeSlice): Promise<readonly LateDay[]> {
    const now = this.clock();
    const span = { from: dayAt(now - MOST_DAYS * DAY_MS), to: dayAt(now - DAY_MS) };
    return lateDays({ points: this.points, index: this.audit.index }, tenantId, span, slice);
  }
}

type GroupsOfTenant = Omit<GroupsNotOk, 'notOk' | 'listed' | 'worst'> & Readonly<{ notOk: readonly GroupNow[] }>;

/** Earlier findings are not shown any more: they may be wrong by now. */
const nullIfUnavailable = (error: unknown): null => {
  if (error instanceof ReadStoreUnavailable) return null;
  throw error;
};

const statusOf = ({ timeline }: GroupSummary): string => timeline.at(-1)?.status ?? '';

/** Groups of a day. `undefined`: a call may not read so many, or takes too long. */
const groupsOn = async (report: ReportReader, day: Day): Promise<readonly GroupSummary[] | undefined> => {
  try {
    for await (const { groups } of report.days({ from: day, to: day })) return groups;
    return [];
  } catch (error) {
    if (error instanceof DomainError || error instanceof StatusError) return undefined;
    throw error;
  }
};

/** When each group got its status, by name. A day without results ends the search. */
const begins = async (report: ReportReader, groups: readonly GroupSummary[]): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  const today = dayAt(report.now);
  const open = new Map(groups.map((group) => [group.name, statusOf(group)]));
  for (let [day, left] = [today, MOST_DAYS]; open.size > 0 && left >= 0; [day, left] = [dayBefore(day), left - 1]) {
    const then = new Map((day === today ? groups : ((await groupsOn(report, day)) ?? [])).map((group) => [group.name, group]));
    for (const [name, status] of open) {
      const step = then.get(name)?.timeline.at(-1);
      if (step?.status === status) found.set(name, instantOf(day, step.at));
      if (step?.status !== status || step.at > 0) open.delete(name);
    }
  }
  for (const name of open.keys()) found.delete(name);
  return found;
};
