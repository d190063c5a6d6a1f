import type { Day } from '#domain/shared/time.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import type { Migration } from '../migration.js';
import type { DocumentPlace } from '../report.js';
import type { Row } from '../table.js';

export type StatusOptions = Readonly<{
  /** Name of the core database. */
  core?: string;
  /** Day for profiles from before 2020, which have none. */
  baseDay?: string;
  /** Writes the topology of every day, even if it equals that of the previous day. */
  everyDay?: boolean;
  /** Takes computed statuses of metrics as metric data. */
  points?: boolean;
}>;

/** A tenant taken over, with the original's database of its data. */
export type TenantScope = Readonly<{ tenantId: string; name: string; database: string | undefined }>;

/** The reports of a tenant that were taken over: time of the last write by id, and the reports marked as that of the tenant as a node. */
export type TakenReports = Readonly<{ updated: Map<string, string>; marked: Readonly<{ id: string; place: DocumentPlace }>[] }>;

export class Findings {
  readonly tenants: TenantScope[] = [];
  /** Ids of users left out because another user has their key. */
  readonly usersLeftOut = new Set<string>();
  /** Ids of users that had no key and got a new, unknown one. */
  readonly usersWithoutKey = new Set<string>();
  /** Ids of a tenant's records of a kind, by `<kind> <tenant>`. */
  readonly records = new Map<string, ReadonlySet<string>>();
  /** Days whose lists are written, by `<kind> <tenant>`. */
  readonly days = new Map<string, ReadonlySet<Day>>();
  /** Digests of lists by day that were looked through and not yet taken, by `<kind> <tenant>`. */
  readonly digests = new Map<string, ReadonlyMap<Day, string>>();
  /** Lists that are refused: {@link listKey} of those of days, and the collection of the list of metrics. */
  readonly refusedLists = new Set<string>();
  /** By tenant. */
  readonly reports = new Map<string, TakenReports>();
  /** Id of the report of each tenant as a node, if it has one. */
  readonly nodeReports = new Map<string, string>();

  static key(kind: string, { tenantId }: TenantScope): string {
    return `${kind} ${tenantId}`;
  }

  static listKey(kind: string, tenant: TenantScope, day: Day): string {
    return `${Findings.key(kind, tenant)} ${day}`;
  }

  /** Returns whether the list that would be valid on the day is refused. */
  isRefused(kind: string, tenant: TenantScope, day: Day): boolean {
    const days = [...(this.days.get(Findings.key(kind, tenant)) ?? [])].filter((one) => one <= day);
    return this.refusedLists.has(Findings.listKey(kind, tenant, days.sort().at(-1) ?? ''));
  }
}

export const queriesOf = (readStore: ReadStore) => ({
  readStore,
  feeds: new FeedQueries(readStore),
  metricList: new MetricListQueries(readStore),
  recomputations: new RecomputationQueries(readStore),
  reports: new ReportQueries(readStore),
  tenants: new TenantQueries(readStore),
});

export type StatusMigration = Migration<StatusOptions, Findings>;
export type StatusQueries = ReturnType<typeof queriesOf>;
/** A collection of the core database. */
export type CoreRow = Row<StatusMigration, StatusQueries>;
/** A collection of the database of each tenant. */
export type TenantRow = Row<StatusMigration, StatusQueries, TenantScope>;

/** A document as shown by a query. */
export const parsed = (bytes: Buffer | null | undefined): Readonly<Record<string, unknown>> | undefined =>
  bytes ? (JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>) : undefined;
