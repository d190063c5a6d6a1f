import { encoded, get } from '../../api/client.js';
import { nameOf as nameNow } from '../../api/names.js';

/** One record of a list. */
export type ListedRecord = Readonly<{ id: string; name: string }>;

/**
 * `scope`: what the id belongs to. `list`: path of the list, with `{scope}` in it; absent where the service has none: then the id must be known. `listOf`:
 * lists are those of a tenant, though the id needs none. `listsNow`: there is no list of the past. `id`: what it is, if no id.
 */
type Kind = Readonly<{ scope?: 'project' | 'tenant'; list?: string; listOf?: 'tenant'; listsNow?: true; id?: string }>;

type Json = Readonly<Record<string, unknown>>;

/** Records of a list that are looked through: what is beyond is found by its id. */
const MOST = 1_000;
/** Records of a page of accounting. Other services answer a list in one page. */
const PAGE = 100;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Records of an answer: its only list, besides links. */
const recordsIn = (body: Json): readonly Json[] => {
  const [, list] = Object.entries(body).find(([member, value]) => Array.isArray(value) && member !== 'links') ?? [];
  return Array.isArray(list) ? list.filter(isJson) : [];
};

/** The last part of a full name such as `/projects/p/topics/t`. */
const shortName = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

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

/** Id of a record, under whichever name its service has it; else its own name, of those of messaging in a project. */
const idOf = ({ id, uuid, metric_definition_id: definition, name }: Json): string =>
  [id, uuid, definition].map(text).find((one) => one !== '') ?? shortName(text(name));

const inProject = (list: string): Kind => ({ scope: 'project', list: `/v1/projects/{scope}/${list}` });
const ofAccounting = (list: string): Kind => ({ list: `/accounting-system/${list}` });
const ofTenant = (list: string): Kind => ({ listOf: 'tenant', list: `/api/v2/${list}` });
const TENANTS = '/api/v2/admin/tenants';
const day: Kind = { scope: 'tenant', id: 'Day' };

/** Kinds of records that auditors may ask for, by service. */
export const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  messaging: {
    project: { list: '/v1/projects' },
    user: { list: `/v1/users?pageSize=${MOST}` },
    registration: { list: '/v1/registrations' },
    topic: inProject(`topics?pageSize=${MOST}`),
    subscription: inProject(`subscriptions?pageSize=${MOST}`),
    schema: inProject('schemas'),
  },
  accounting: {
    project: ofAccounting('admin/projects'),
    provider: ofAccounting('providers'),
    resource: ofAccounting('resources'),
    installation: ofAccounting('installations/all'),
    capacity: {},
    metric: {},
    metric_definition: ofAccounting('metric-definitions'),
    unit_type: ofAccounting('unit-types'),
    metric_type: ofAccounting('metric-types'),
    entitlement: ofAccounting('admin/entitlements'),
    client: ofAccounting('admin/actors'),
    oidc_tenant: ofAccounting('admin/oidc-tenants'),
  },
  status: {
    tenant: { list: TENANTS },
    user: { list: TENANTS },
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
  ops: { key: { list: '/ops/keys', listsNow: true } },
};

/** The list that has a record: of its kind, in a project or tenant. `asOf`: for lists that exist of the past, too. */
type ListRead = Readonly<{ service: string; kind: string; scope: string; asOf: string; signal: AbortSignal }>;

/** Messaging knows projects by name only; links from events have the id. A name is the id of none, and stays. @throws ApiError */
const inPath = async (owner: Kind['scope'], scope: string): Promise<string> =>
  owner === 'project' ? ((await nameNow({ kind: 'messaging.project', id: scope })).name ?? scope) : scope;

/** Records of a list, none without a list or its tenant. @throws ApiError */
export const listed = async ({ service, kind, scope, asOf, signal }: ListRead): Promise<readonly ListedRecord[]> => {
  const { scope: owner, list, listOf, listsNow } = KINDS[service]?.[kind] ?? {};
  if (list === undefined || (listOf && scope === '')) return [];
  const options = { signal, ...(!listsNow && { asOf }), ...(listOf && { tenant: scope }) };
  const path = list.replace('{scope}', encoded(await inPath(owner, scope)));
  const found: ListedRecord[] = [];
  for (let page = 1; found.length < MOST; page += 1) {
    const query = service === 'accounting' ? { page, size: PAGE } : {};
    const items = recordsIn(await get<Json>(path, query, options));
    const records = kind === 'user' && list === TENANTS ? items.flatMap(({ users }) => recordsIn({ users })) : items;
    found.push(...records.map((record) => ({ id: idOf(record), name: nameOf(record) })));
    if (service !== 'accounting' || items.length < PAGE) break;
  }
  return found;
};

/** Meaning of `scope` where a list is read, though the id may need none: the lists of profiles are those of a tenant. */
export const scopeToList = (service: string, kind: string): 'project' | 'tenant' | undefined => {
  const { scope, listOf } = KINDS[service]?.[kind] ?? {};
  return scope ?? listOf;
};

/** Records of a list whose name or id has the text in it. */
export const matching = (records: readonly ListedRecord[], searched: string): readonly ListedRecord[] => {
  const wanted = searched.trim().toLowerCase();
  return records.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(wanted));
};
