import { get, pathOf, type Query } from '../../api/client.js';

/** One record of a list. */
export type Listed = Readonly<{ id: string; name: string }>;

/** When and where a list is read. `scope`: project or tenant. */
type ListRead = Readonly<{ asOf: string; scope: string; signal: AbortSignal }>;

/**
 * `scope`: what the id belongs to. `list`: absent where the service has no list of them; then the id must be known. `listsNow`: there is no list of the past.
 * `id`: what it is, if no id.
 */
type Kind = Readonly<{
  scope?: 'project' | 'tenant';
  list?: (read: ListRead) => Promise<readonly Listed[]>;
  listsNow?: true;
  id?: string;
}>;

type Json = Readonly<Record<string, unknown>>;

/** Records of a list that are looked through: what is beyond is found by its id. */
const MOST = 1_000;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const recordsIn = (body: unknown, member: string): readonly Json[] => {
  const list = isJson(body) ? body[member] : undefined;
  return Array.isArray(list) ? list.filter(isJson) : [];
};

/** The last part of a full name such as `/projects/p/topics/t`. */
const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const messagingList =
  (path: (scope: string) => string, member: string, query: Query = {}): NonNullable<Kind['list']> =>
  async ({ asOf, scope, signal }) => {
    const body = await get<unknown>(path(scope), query, { asOf, signal });
    return recordsIn(body, member).map((record) => ({
      id: text(record.uuid) || shortName(text(record.name)),
      name: shortName(text(record.name)),
    }));
  };

const inProject = (member: string, query: Query = {}): Kind => ({
  scope: 'project',
  list: messagingList((scope) => pathOf('/v1/projects', scope, member), member, query),
});

const PAGE = 100;

/** Pages of the accounting service. `id` and `name`: members of a record. */
const accountingList =
  (path: string, id: string, name: string): NonNullable<Kind['list']> =>
  async ({ asOf, signal }) => {
    const found: Listed[] = [];
    for (let page = 1; found.length < MOST; page += 1) {
      const body = await get<Json>(`/accounting-system${path}`, { page, size: PAGE }, { asOf, signal });
      const records = recordsIn(body, 'content');
      found.push(...records.map((record) => ({ id: text(record[id]), name: text(record[name]) })));
      if (records.length < PAGE) break;
    }
    return found;
  };

const paged = (path: string, name: string, id = 'id'): Kind => ({ list: accountingList(path, id, name) });

/** Members that name a record, the first one that it has. Full names of messaging are shortened. */
const NAMING = ['name', 'acronym', 'installation', 'metric_name', 'unit_type', 'metric_type', 'tenant_id', 'report'] as const;

/** Of a record with a value for each day that of the last one; `''`: it has none. */
export const nameOf = (record: unknown): string => {
  if (!isJson(record)) return '';
  const [day] = Object.keys(record)
    .filter((member) => /^\d{4}-\d{2}-\d{2}$/.test(member))
    .sort()
    .slice(-1);
  if (day !== undefined) return nameOf(record[day]);
  const own = NAMING.map((member) => text(record[member])).find((name) => name !== '');
  const name = own ?? text(isJson(record.info) ? record.info.name : undefined);
  return name.startsWith('/projects/') ? shortName(name) : name;
};

/** Lists of a tenant: without its id they cannot be read. */
const ofTenant = (path: string): Kind => ({
  list: async ({ asOf, scope, signal }) => {
    if (scope === '') return [];
    const body = await get<unknown>(`/api/v2/${path}`, {}, { asOf, tenant: scope, signal });
    return recordsIn(body, 'data').map((record) => ({ id: text(record.id), name: nameOf(record) }));
  },
});

const tenants: NonNullable<Kind['list']> = async ({ asOf, signal }) =>
  recordsIn(await get<unknown>('/api/v2/admin/tenants', {}, { asOf, signal }), 'data').map((record) => ({
    id: text(record.id),
    name: nameOf(record),
  }));

const usersOfTenants: NonNullable<Kind['list']> = async ({ asOf, signal }) =>
  recordsIn(await get<unknown>('/api/v2/admin/tenants', {}, { asOf, signal }), 'data').flatMap((tenant) =>
    recordsIn(tenant, 'users').map((user) => ({ id: text(user.id), name: text(user.name) })),
  );

const day: Kind = { scope: 'tenant', id: 'Day' };

/** Kinds of records that auditors may ask for, by service. */
export const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  messaging: {
    project: { list: messagingList(() => '/v1/projects', 'projects') },
    user: { list: messagingList(() => '/v1/users', 'users', { pageSize: MOST }) },
    registration: { list: messagingList(() => '/v1/registrations', 'user_registrations') },
    topic: inProject('topics', { pageSize: MOST }),
    subscription: inProject('subscriptions', { pageSize: MOST }),
    schema: inProject('schemas'),
  },
  accounting: {
    project: paged('/admin/projects', 'acronym'),
    provider: paged('/providers', 'name'),
    resource: paged('/resources', 'name'),
    installation: paged('/installations/all', 'installation'),
    capacity: {},
    metric: {},
    metric_definition: paged('/metric-definitions', 'metric_name', 'metric_definition_id'),
    unit_type: paged('/unit-types', 'unit_type'),
    metric_type: paged('/metric-types', 'metric_type'),
    entitlement: paged('/admin/entitlements', 'name'),
    client: paged('/admin/actors', 'name'),
    oidc_tenant: paged('/admin/oidc-tenants', 'tenant_id'),
  },
  status: {
    tenant: { list: tenants },
    user: { list: usersOfTenants },
    operations_profile: ofTenant('operations_profiles'),
    aggregation_profile: ofTenant('aggregation_profiles'),
    metric_profile: ofTenant('metric_profiles'),
    thresholds_profile: ofTenant('thresholds_profiles'),
    weights: ofTenant('weights'),
    report: ofTenant('reports'),
    recomputation: ofTenant('recomputations'),
    topology_endpoints: day,
    topology_groups: day,
    topology_service_types: day,
    downtimes: day,
  },
  ops: {
    key: {
      listsNow: true,
      list: async ({ signal }) =>
        recordsIn(await get<unknown>('/ops/keys', {}, { signal }), 'items').map(({ id, name }) => ({ id: text(id), name: text(name) })),
    },
  },
};

/** What `scope` means where a list is read, though the id needs none: the lists of profiles are those of a tenant. */
export const scopeToList = (service: string, kind: string): 'project' | 'tenant' | undefined => {
  const { scope, list } = KINDS[service]?.[kind] ?? {};
  if (scope !== undefined || list === undefined) return scope;
  return service === 'status' && !['tenant', 'user'].includes(kind) ? 'tenant' : undefined;
};

/** Records of a list whose name or id has the text in it. */
export const matching = (records: readonly Listed[], searched: string): readonly Listed[] => {
  const wanted = searched.trim().toLowerCase();
  return records.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(wanted));
};
