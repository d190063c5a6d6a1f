import { setTimeout as pause } from 'node:timers/promises';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import type { Feed } from '#domain/status/feeds/feeds.js';
import { shownReport } from '#domain/status/reports/reports.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { DayListQueries } from '#projections/status/day-lists/queries.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { wireTime } from '#projections/status/layout.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { type Fields, fieldsListIn, nameIn, textsIn } from '../read/fields.js';
import { differences, type MigrationVerification } from '../verification.js';
import { coreDatabase } from './databases.js';
import { baseDayOf, snapshotDay } from './dated-records.js';
import { feedKinds } from './documents/feed-documents.js';
import { dayOfList, idIn } from './documents/members.js';
import { recomputationDocument, shownTimestamp } from './documents/recomputation-documents.js';
import { reportDocument } from './documents/report-documents.js';
import { type ExportedTenant, tenantDocument } from './documents/tenant-documents.js';
import { downtime } from './documents/topology-items.js';
import type { StatusOptions } from './options.js';
import { datedKinds } from './profiles.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';
import { topologyKinds } from './topology.js';

type StatusVerification = MigrationVerification<StatusOptions>;

const parsed = (bytes: Buffer | null | undefined): Readonly<Record<string, unknown>> | undefined =>
  bytes ? (JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>) : undefined;

/** A tenant as shown; keys of users that had none are not compared. */
const shownTenant = (
  { tenantId, info, databases, topology, users, isNode, readiness, created, updated }: ExportedTenant,
  { usersLeftOut, usersWithoutKey }: Findings,
) => ({
  id: tenantId,
  info: { ...info, created: wireTime(created), updated: wireTime(updated) },
  db_conf: databases,
  topology,
  users: users
    .filter(({ userId }) => !usersLeftOut.has(userId))
    .map(({ userId, name, email, roles, component, apiKey }) => ({
      id: userId,
      name,
      email,
      roles,
      component,
      ...(usersWithoutKey.has(userId) ? {} : { api_key: apiKey }),
    })),
  node: isNode || undefined,
  ready: readiness,
});

const verifyCore = async (verification: StatusVerification, findings: Findings): Promise<void> => {
  const { migration, readStore } = verification;
  const core = coreDatabase(migration.files, migration.options.core);
  const tenants = new TenantQueries(readStore);
  await verification.compare(migration.file('tenants', core), {
    all: true,
    expected: ({ fields }) => shownTenant(tenantDocument(fields), findings),
    found: async ({ fields }) => {
      const found = await tenants.tenant(idIn(fields));
      if (!found) return undefined;
      const { id, info, db_conf, topology, node, users } = found;
      return {
        ...{ id, info, db_conf, topology, node },
        ready: await tenants.readiness(id),
        users: users.map(({ key_hash: _hash, api_key, ...user }) => ({
          ...user,
          ...(findings.usersWithoutKey.has(user.id) ? {} : { api_key }),
        })),
      };
    },
  });
  const metrics = new Map((await new MetricListQueries(readStore).metrics()).map((metric) => [metric.name, metric]));
  await verification.compare(migration.file('monitoring_metrics', core), {
    expected: ({ fields }) => ({ name: nameIn(fields, 'name'), tags: textsIn(fields, 'tags') }),
    found: async ({ fields }) => metrics.get(nameIn(fields, 'name')),
  });
};

const verifyDated = async (verification: StatusVerification, tenant: TenantScope): Promise<void> => {
  const { migration, readStore } = verification;
  const baseDay = baseDayOf(migration);
  for (const { resource, record } of datedKinds) {
    const queries = new DatedQueries(readStore, resource);
    await verification.compare(fileOf(migration, tenant, resource.kind), {
      expected: ({ fields }) => ({ id: idIn(fields), date: snapshotDay(fields, baseDay), ...record(fields) }),
      found: async ({ fields }) =>
        parsed(await queries.snapshot({ tenantId: tenant.tenantId, id: idIn(fields) }, snapshotDay(fields, baseDay))),
    });
  }
};

type Counted = Map<string, { expected: number; found: number }>;

/** Counts the written days of a tenant, and those that the queries find. */
const countDays = async (
  queries: DayListQueries,
  kind: string,
  { tenantId }: TenantScope,
  findings: Findings,
  counted: Counted,
): Promise<void> => {
  const days = [...(findings.days.get(Findings.key(kind, { tenantId })) ?? [])];
  const before = counted.get(kind) ?? { expected: 0, found: 0 };
  const found = days.length === 0 ? 0 : (await queries.eventsOf(tenantId, days)).size;
  counted.set(kind, { expected: before.expected + days.length, found: before.found + found });
};

/** Returns whether an item is in the list of a day. */
const isListed = async (queries: DayListQueries, tenantId: string, day: string, item: object): Promise<boolean> => {
  const list = await queries.asOf(tenantId, day);
  if (!list) return false;
  for await (const { items } of list.items<object>()) {
    for (const { item: one } of items) {
      const { date: _day, ...members } = one as Readonly<{ date?: string }>;
      if (differences(item, members).length === 0) return true;
    }
  }
  return false;
};

const verifyDayLists = async (
  verification: StatusVerification,
  tenant: TenantScope,
  findings: Findings,
  counted: Counted,
): Promise<void> => {
  const { migration, readStore } = verification;
  const { tenantId } = tenant;
  for (const { list, item } of topologyKinds) {
    const queries = new DayListQueries(readStore, list, pause);
    await verification.compare(fileOf(migration, tenant, list.kind), {
      expected: ({ fields }) => item(fields),
      found: async ({ fields }) => ((await isListed(queries, tenantId, dayOfList(fields), item(fields))) ? item(fields) : undefined),
    });
    await countDays(queries, list.kind, tenant, findings, counted);
  }
  const queries = new DayListQueries(readStore, downtimes, pause);
  await verification.compare(fileOf(migration, tenant, downtimes.kind), {
    expected: ({ fields }) => fieldsListIn(fields, 'endpoints').map(downtime),
    found: async ({ fields }) => {
      const list = await queries.of(tenantId, dayOfList(fields));
      if (!list) return undefined;
      const found: object[] = [];
      for await (const { items } of list.items<object>()) found.push(...items.map(({ item }) => item));
      return found;
    },
  });
  await countDays(queries, downtimes.kind, tenant, findings, counted);
};

/** Without `computations` a report computes everything. */
const ALL_ON = { ar: true, status: true, trends: ['flapping', 'status', 'tags'] };

const expectedReport = (fields: Fields, { tenantId, name }: TenantScope, { nodeReports }: Findings): object => {
  const { id, report, created, updated } = reportDocument(fields);
  const { thresholds, ...rest } = report;
  const whole = {
    ...rest,
    ...(thresholds ? { thresholds } : {}),
    computations: report.computations ?? ALL_ON,
    profiles: report.profiles.map(({ id, name = '', type }) => ({ id, name, type })),
  };
  const shown = shownReport(id, whole, wireTime(created), wireTime(updated));
  const marks = { public: report.public, node_report: nodeReports.get(tenantId) === id || undefined };
  return { ...shown, tenant: name, topology_schema: JSON.parse(report.topology_schema), ...marks };
};

const verifyReports = async (verification: StatusVerification, tenant: TenantScope, findings: Findings): Promise<void> => {
  const { migration, readStore } = verification;
  const { tenantId, name } = tenant;
  const reports = new ReportQueries(readStore);
  await verification.compare(fileOf(migration, tenant, 'reports'), {
    expected: ({ fields }) => expectedReport(fields, tenant, findings),
    found: async ({ fields }) => parsed(await reports.record({ tenantId, id: idIn(fields) }, name)),
  });
  await verification.compare(fileOf(migration, tenant, 'node_report'), {
    expected: ({ fields }) => ({ report_id: nameIn(fields, 'report_id') }),
    found: async () => ({ report_id: await reports.nodeReportOf(tenantId) }),
  });
  const recomputations = new RecomputationQueries(readStore);
  await verification.compare(fileOf(migration, tenant, 'recomputations'), {
    expected: ({ fields }) => {
      const { id, request, history } = recomputationDocument(fields);
      return { id, ...request, history: history.map(({ status, time }) => ({ status, timestamp: shownTimestamp(time) })) };
    },
    found: async ({ fields }) => {
      const found = await recomputations.recomputation({ tenantId, id: idIn(fields) });
      if (!found) return undefined;
      const { history } = recomputationDocument(fields);
      const { status: _status, timestamp: _timestamp, ...rest } = found;
      const none = { exclude_metrics: [], exclude_monitoring_source: [], applied_status_changes: [] };
      return { ...none, ...rest, history: rest.history.slice(-history.length) }; // a first entry may have been added
    },
  });
};

const verifyFeeds = async (verification: StatusVerification, tenant: TenantScope): Promise<void> => {
  const { migration, readStore } = verification;
  const queries = new FeedQueries(readStore);
  const { tenantId } = tenant;
  const shown = async (kind: Feed['kind']) => {
    if (kind !== 'data') return parsed(await queries.feed({ tenantId, kind }));
    const tenants = await queries.tenantsOfDataFeed(tenantId);
    return tenants && { tenants };
  };
  for (const [collection, feedOf] of Object.entries(feedKinds)) {
    await verification.compare(fileOf(migration, tenant, collection), {
      expected: ({ fields }) => feedOf(fields).feed,
      found: ({ fields }) => shown(feedOf(fields).kind),
    });
  }
};

/** Compares the answers of the service's queries with the files, except administrators' keys, which the log stores as hashes. */
export const verifyStatus = async (verification: StatusVerification, findings: Findings): Promise<void> => {
  const counted: Counted = new Map();
  await verifyCore(verification, findings);
  for (const tenant of findings.tenants) {
    await verifyDated(verification, tenant);
    await verifyDayLists(verification, tenant, findings, counted);
    await verifyReports(verification, tenant, findings);
    await verifyFeeds(verification, tenant);
  }
  for (const [kind, { expected, found }] of counted) if (expected > 0) verification.counted(kind, expected, found);
};
