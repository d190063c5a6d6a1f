import { newKey } from '#api/shared/commands/new-key.js';
import { ACCESS_KEYS_STREAM, accessKeys } from '#domain/operations/access-keys.js';
import { DomainError } from '#domain/shared/decider.js';
import { type ListedMetric, METRIC_LIST_STREAM, metricList } from '#domain/status/metric-list/metric-list.js';
import { tenants as rules } from '#domain/status/tenants/tenant-rules.js';
import { TENANTS_STREAM, type TenantCommand, type TenantEvent, type TenantUser } from '#domain/status/tenants/tenants.js';
import { wireTime } from '#projections/status/layout.js';
import { ruleText, type TakeDocument } from '../migration.js';
import { type Fields, idText, nameIn, quietly, textsIn, WrongField } from '../read/fields.js';
import type { DocumentPlace, MigrationReport } from '../report.js';
import { derivedId } from '../write/event-ids.js';
import { type MigratedStep, PartlyRefused } from '../write/log-writer.js';
import { administrator } from './administrators.js';
import { allPresent, allRefused } from './all-of-list.js';
import { sayChangedTimes } from './documents/changed-times.js';
import { idIn, instantIn, madeAt, timesOfInfo } from './documents/members.js';
import { databaseOf, type ExportedTenant, type ExportedUser, readinessIn, tenantDocument } from './documents/tenant-documents.js';
import { engineStatusIn } from './engine-status.js';
import type { CoreRow, StatusMigration } from './row.js';

const byId = (fields: Fields): string => idText(fields._id) ?? '';

/** Keys of administrators stay valid. They are not compared, because the log stores them as hashes. */
const administratorRow: CoreRow = {
  collection: 'authentication',
  take: ({ writer, target }) => ({
    sortedBy: byId,
    each: async ({ fields, origin }) => {
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
    },
  }),
};

/** The users that can be taken over: a key belongs to the first user with it, in the order in which the original searches. */
const usersOf = async (
  { writer, target, report, found }: StatusMigration,
  { users }: ExportedTenant,
  place: DocumentPlace,
): Promise<readonly TenantUser[]> => {
  const { keys } = await writer.state(TENANTS_STREAM, rules);
  const here = new Set<string>();
  const leaveOut = ({ userId }: ExportedUser): [] => {
    found.usersLeftOut.add(userId);
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
      found.usersWithoutKey.add(user.userId);
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
  const status = quietly(() => engineStatusIn(fields));
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

/** Reports the parts of a tenant that are left out because they are too large or have another form. */
const sayUnread = (report: MigrationReport, place: DocumentPlace, fields: Fields): void => {
  for (const [part, read] of Object.entries({ readiness: readinessIn, 'engine status': engineStatusIn })) {
    try {
      read(fields);
    } catch (error) {
      if (error instanceof WrongField) report.partRefused(place, `its ${part} is left out: ${error.message}`);
      else if (error instanceof DomainError) report.partRefused(place, `its ${part} is left out: the rules forbid it: ${ruleText(error)}`);
      else throw error;
    }
  }
};

const takeTenant = (migration: StatusMigration): TakeDocument => {
  const { writer, report, found } = migration;
  const holders = new Map<string, string>();
  return async ({ fields, origin, place }) => {
    const tenant = tenantDocument(fields);
    const users = await usersOf(migration, tenant, place);
    const steps = stepsOf(fields, tenant, users);
    const written = await writer.decide({ origin, stream: TENANTS_STREAM, decider: rules, steps }).catch((error: unknown) => {
      if (error instanceof PartlyRefused) return error; // it is registered
      throw error;
    });
    sayUnread(report, place, fields);
    const { created, updated } = tenant;
    sayChangedTimes(report, place, timesOfInfo(fields, { created, updated }));
    const database = databaseOf(fields);
    const holder = database === undefined ? undefined : holders.get(database);
    if (holder !== undefined) report.changed(place, `its data are not taken: its database is that of ${holder}`);
    else if (database !== undefined) holders.set(database, tenant.info.name);
    found.tenants.push({ tenantId: tenant.tenantId, name: tenant.info.name, database: holder === undefined ? database : undefined });
    if (written instanceof PartlyRefused) throw written;
    return written;
  };
};

/** The key of a user, unless it had none. */
const shownKey = ({ usersWithoutKey }: StatusMigration['found'], userId: string, key: string | undefined) =>
  usersWithoutKey.has(userId) ? {} : { api_key: key };

/** Tenants with their users, in the order of their creation. */
const tenantRow: CoreRow = {
  collection: 'tenants',
  take: (migration) => ({ each: takeTenant(migration), sortedBy: byId }),
  compared: {
    all: true,
    whole: true,
    expected: ({ fields }, { migration: { found } }) => {
      const { tenantId, info, databases, topology, users, isNode, readiness, created, updated } = tenantDocument(fields);
      return {
        id: tenantId,
        info: { ...info, created: wireTime(created), updated: wireTime(updated) },
        db_conf: databases,
        topology,
        users: users
          .filter(({ userId }) => !found.usersLeftOut.has(userId))
          .map(({ userId: id, apiKey, ...user }) => ({ ...user, id, ...shownKey(found, id, apiKey) })),
        node: isNode || undefined,
        ready: readiness,
      };
    },
    found: async ({ fields }, { migration, queries }) => {
      const found = await queries.tenants.tenant(idIn(fields));
      if (!found) return undefined;
      const { id, info, db_conf, topology, node, users } = found;
      return {
        ...{ id, info, db_conf, topology, node },
        ready: await queries.tenants.readiness(id),
        users: users.map(({ key_hash: _hash, api_key, ...user }) => ({ ...user, ...shownKey(migration.found, user.id, api_key) })),
      };
    },
  },
};

const metricIn = (fields: Fields): ListedMetric => ({ name: nameIn(fields, 'name'), tags: textsIn(fields, 'tags') });

/** The metric list is written as a whole. */
const metricListRow: CoreRow = {
  collection: 'monitoring_metrics',
  take: (migration) => {
    const { writer, report } = migration;
    const metrics: ListedMetric[] = [];
    let first: DocumentPlace | undefined;
    let newest = '';
    return {
      each: async ({ fields, place }) => {
        metrics.push(metricIn(fields));
        first ??= place;
        const made = madeAt(fields);
        if (made > newest) newest = made;
        return 'written';
      },
      end: async () => {
        if (!first) return;
        const documents = metrics.length;
        const origin = { collection: metricListRow.collection, id: JSON.stringify(metrics) };
        const steps = [{ command: { type: 'ReplaceMetricList', metrics } as const, time: newest }];
        try {
          const written = await writer.decide({ origin, stream: METRIC_LIST_STREAM, decider: metricList, steps });
          if (written === 'present') allPresent(report, origin.collection, documents);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          allRefused(migration, first, { list: origin.collection, documents, reason: `the rules forbid the list: ${ruleText(error)}` });
        }
        await writer.flush();
      },
    };
  },
  compared: {
    whole: true,
    expected: ({ fields, place }, { migration: { found } }) => (found.refusedLists.has(place.collection) ? undefined : metricIn(fields)),
    found: async ({ fields }, { queries }) => (await queries.metricList.metrics()).find(({ name }) => name === nameIn(fields, 'name')),
  },
};

export const coreRows: readonly CoreRow[] = [administratorRow, tenantRow, metricListRow];
