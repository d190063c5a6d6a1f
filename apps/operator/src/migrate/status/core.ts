import { newKey } from '#api/shared/commands/new-key.js';
import { ACCESS_KEYS_STREAM, accessKeys } from '#domain/operations/access-keys.js';
import { type ListedMetric, METRIC_LIST_STREAM, metricList } from '#domain/status/metric-list/metric-list.js';
import { tenants as rules } from '#domain/status/tenants/tenant-rules.js';
import { TENANTS_STREAM, type TenantCommand, type TenantEvent, type TenantUser } from '#domain/status/tenants/tenants.js';
import type { TakeDocument } from '../migration.js';
import { type Fields, idText, nameIn, textsIn } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import { derivedId } from '../write/event-ids.js';
import type { MigratedStep } from '../write/log-writer.js';
import { administrator } from './administrators.js';
import { allPresent } from './all-of-list.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { instantIn, madeAt, timesOfInfo } from './documents/members.js';
import { databaseOf, type ExportedTenant, type ExportedUser, tenantDocument } from './documents/tenant-documents.js';
import { engineStatusIn } from './engine-status.js';
import type { StatusMigration } from './options.js';
import type { Findings } from './tenant-scope.js';

const byId = (fields: Fields): string => idText(fields._id) ?? '';

/** Takes over the keys of administrators, which stay valid. */
export const takeAdministrators = async (migration: StatusMigration, core: string): Promise<void> => {
  const { writer, target } = migration;
  const take: TakeDocument = async ({ fields, origin }) => {
    const { apiKey, name, role } = administrator(fields);
    const key = {
      keyId: derivedId('status', 'administrator', origin.id),
      service: 'status',
      roles: [role],
      name: name || 'administrator',
      keyHash: target.hashOf(apiKey),
    } as const;
    const steps = [{ command: { type: 'IssueKey', key } as const, time: madeAt(fields) }];
    return writer.decide({ origin, stream: ACCESS_KEYS_STREAM, decider: accessKeys, steps });
  };
  await migration.each(migration.file('authentication', core), take, { sortedBy: byId });
};

/** The users that can be taken over: a key belongs to the first user with it, in the order in which the original searches. */
const usersOf = async (
  { writer, target, report }: StatusMigration,
  { users }: ExportedTenant,
  { place, findings }: Readonly<{ place: DocumentPlace; findings: Findings }>,
): Promise<readonly TenantUser[]> => {
  const { keys } = await writer.state(TENANTS_STREAM, rules);
  const here = new Set<string>();
  const leaveOut = ({ userId }: ExportedUser): [] => {
    findings.usersLeftOut.add(userId);
    report.partRefused(
      place,
      `user ${userId} is left out: another user has the same key`,
      'a user is left out: another one has the same key',
    );
    return [];
  };
  return users.flatMap((user): TenantUser[] => {
    const { apiKey, ...rest } = user;
    if (apiKey === '') {
      findings.usersWithoutKey.add(user.userId);
      report.changed(place, `user ${user.userId} has no key: it gets one that nobody knows; renew it before it is used`);
      const made = newKey();
      return [{ ...rest, apiKey: made, apiKeyHash: target.hashOf(made) }];
    }
    const apiKeyHash = target.hashOf(apiKey);
    const holder = keys.get(apiKeyHash);
    if (here.has(apiKeyHash) || (holder !== undefined && holder !== user.userId)) return leaveOut(user);
    here.add(apiKeyHash);
    return [{ ...rest, apiKey, apiKeyHash }];
  });
};

/** Commands of a tenant in order: registration, a later update, becoming a node, and the reports of its readiness and its engine. */
const stepsOf = (
  fields: Fields,
  tenant: ExportedTenant,
  users: readonly TenantUser[],
): readonly MigratedStep<TenantCommand, TenantEvent>[] => {
  const { tenantId, info, databases, topology, isNode, readiness, created, updated } = tenant;
  const content = { tenantId, info, databases, topology, users };
  const status = engineStatusIn(fields);
  return [
    { command: { type: 'RegisterTenant', ...content }, time: created },
    ...(updated === created ? [] : [{ command: { type: 'ReviseTenant', ...content } as const, time: updated }]),
    ...(isNode ? [{ command: { type: 'SetTenantAsNode', tenantId } as const, time: updated }] : []),
    ...(readiness
      ? [{ command: { type: 'ReportTenantReadiness', tenantId, readiness } as const, time: instantIn(readiness.last_check) ?? updated }]
      : []),
    ...(status
      ? [{ command: { type: 'ReportTenantEngineStatus', tenantId, status } as const, time: instantIn(status.last_check) ?? updated }]
      : []),
  ];
};

/** Takes over tenants with their users, in the order of their creation, and records them in the findings. */
export const takeTenants = async (migration: StatusMigration, core: string, findings: Findings): Promise<void> => {
  const { writer, report } = migration;
  const holders = new Map<string, string>();
  const take: TakeDocument = async ({ fields, origin, place }) => {
    const tenant = tenantDocument(fields);
    const users = await usersOf(migration, tenant, { place, findings });
    const steps = stepsOf(fields, tenant, users);
    const written = await writer.decide({ origin, stream: TENANTS_STREAM, decider: rules, steps });
    const { created, updated } = tenant;
    sayChangedTimes(report, place, timesOfInfo(fields, { created, updated }));
    const database = databaseOf(fields);
    const holder = database === undefined ? undefined : holders.get(database);
    if (holder !== undefined) report.changed(place, `its data are not taken: its database is that of ${holder}`);
    else if (database !== undefined) holders.set(database, tenant.info.name);
    findings.tenants.push({ tenantId: tenant.tenantId, name: tenant.info.name, database: holder === undefined ? database : undefined });
    return written;
  };
  await migration.each(migration.file('tenants', core), take, { sortedBy: byId });
};

/** Takes over the metric list, which is written as a whole. */
export const takeMetricList = async (migration: StatusMigration, core: string): Promise<void> => {
  const metrics: ListedMetric[] = [];
  const file = migration.file('monitoring_metrics', core);
  if (!file) return;
  let newest = '';
  const take: TakeDocument = async ({ fields }) => {
    metrics.push({ name: nameIn(fields, 'name'), tags: textsIn(fields, 'tags') });
    const made = madeAt(fields);
    if (made > newest) newest = made;
    return 'written';
  };
  await migration.each(file, take);
  if (metrics.length === 0) return;
  const origin = { collection: file.collection, id: JSON.stringify(metrics) };
  const steps = [{ command: { type: 'ReplaceMetricList', metrics } as const, time: newest }];
  const written = await migration.writer.decide({ origin, stream: METRIC_LIST_STREAM, decider: metricList, steps });
  await migration.writer.flush();
  if (written === 'present') allPresent(migration.report, file.collection, metrics.length);
};
