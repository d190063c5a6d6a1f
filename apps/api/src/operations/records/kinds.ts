import { isName } from '#api/messaging/names.js';
import type { JsonObject } from '#domain/shared/events.js';
import { kindOfDated } from '#domain/status/dated-records/dated-records.js';
import { datedResources, dayLists } from '#domain/status/index.js';

/** Reference to a record at a moment. */
export type RecordAtMoment = Readonly<{
  id: string;
  /** Names at that moment, of the record and of its project. */
  name: string;
  project: string;
  /** Data of the first event of the record. */
  first: JsonObject;
}>;

/** Source of a record's value: the GET of the item, or the pages of a list without such a GET. */
type Read = Readonly<{
  url: (place: RecordAtMoment) => string;
  /** Set to read pages of a list and pick the element with the id. */
  listed?: true;
  /** Extracts the record with the id from the body; default: the whole body. */
  record?: (body: unknown, id: string) => unknown;
}>;

export type ResourceKind = Readonly<{
  read: Read;
  /** Owner within which the record's id is unique; then `scope` is mandatory. */
  scope?: 'project' | 'tenant';
  /** Set if records can also be found by name. */
  named?: true;
  /** Set if the first event or the stream names the tenant under which the record is read. */
  ofTenant?: true;
  /** Set if the value has a member for each day. */
  dated?: true;
}>;

const part = encodeURIComponent;

const at = (url: Read['url'], more: Omit<ResourceKind, 'read'> = {}): ResourceKind => ({ read: { url }, ...more });

const listed = (url: Read['url']): ResourceKind => ({ read: { url, listed: true } });

const inEnvelope = (body: unknown): unknown => {
  const { data } = body as Readonly<{ data?: unknown }>;
  return Array.isArray(data) ? data[0] : data;
};

const enveloped = (url: Read['url'], more: Omit<ResourceKind, 'read'> = {}): ResourceKind => ({
  read: { url, record: inEnvelope },
  ...more,
});

/** One schema, or one of a list. */
const schemaIn = (body: unknown, id: string): unknown => {
  const { schemas } = body as Readonly<{ schemas?: readonly Readonly<{ uuid: string }>[] }>;
  return schemas ? schemas.find(({ uuid }) => uuid === id) : body;
};

const messaging: Readonly<Record<string, ResourceKind>> = {
  project: at(({ name }) => `/v1/projects/${part(name)}`, { named: true }),
  user: at(({ id }) => `/v1/users:byUUID/${part(id)}`, { named: true }),
  registration: at(({ id }) => `/v1/registrations/${part(id)}`, { named: true }),
  topic: at(({ project, name }) => `/v1/projects/${part(project)}/topics/${part(name)}`, { named: true, scope: 'project' }),
  subscription: at(({ project, name }) => `/v1/projects/${part(project)}/subscriptions/${part(name)}`, { named: true, scope: 'project' }),
  schema: {
    // A path names only schemas with a name of the pattern; others are in the list.
    read: { url: ({ project, name }) => `/v1/projects/${part(project)}/schemas${isName(name) ? `/${name}` : ''}`, record: schemaIn },
    ...{ named: true, scope: 'project' },
  },
};

const SYSTEM = '/accounting-system';

const accounting: Readonly<Record<string, ResourceKind>> = {
  project: at(({ id }) => `${SYSTEM}/projects/${part(id)}`),
  provider: at(({ id }) => `${SYSTEM}/providers/${part(id)}`),
  resource: listed(() => `${SYSTEM}/resources`),
  installation: at(({ id }) => `${SYSTEM}/installations/${part(id)}`),
  capacity: listed(({ first }) => `${SYSTEM}/installations/${part(String(first.installationId))}/capacities`),
  metric: at(({ id, first }) => `${SYSTEM}/installations/${part(String(first.installationId))}/metrics/${part(id)}`),
  metric_definition: at(({ id }) => `${SYSTEM}/metric-definitions/${part(id)}`),
  unit_type: at(({ id }) => `${SYSTEM}/unit-types/${part(id)}`),
  metric_type: at(({ id }) => `${SYSTEM}/metric-types/${part(id)}`),
  entitlement: at(({ id }) => `${SYSTEM}/admin/entitlements/${part(id)}`),
  client: listed(() => `${SYSTEM}/admin/actors`),
  oidc_tenant: at(({ id }) => `${SYSTEM}/admin/oidc-tenants/${part(id)}`),
};

/** Paths of lists of days that differ from the path of their kind. */
const DAY_PATHS: Readonly<Record<string, string>> = {
  topology_endpoints: '/api/v2/topology/endpoints',
  topology_groups: '/api/v2/topology/groups',
  topology_service_types: '/api/v2/topology/service-types',
};

/** The downtimes of a day are one record; the other lists contain records. */
const listOfDay =
  (kind: string) =>
  (body: unknown): unknown => {
    const { data } = body as Readonly<{ data?: readonly Readonly<{ endpoints?: unknown }>[] }>;
    return kind === 'downtimes' ? data?.[0]?.endpoints : data;
  };

const status: Readonly<Record<string, ResourceKind>> = {
  tenant: enveloped(({ id }) => `/api/v2/admin/tenants/${part(id)}`),
  user: enveloped(({ id }) => `/api/v2/admin/users:byID/${part(id)}`),
  report: enveloped(({ id }) => `/api/v2/reports/${part(id)}`, { ofTenant: true }),
  recomputation: enveloped(({ id }) => `/api/v2/recomputations/${part(id)}`, { ofTenant: true }),
  ...Object.fromEntries(
    datedResources.map((resource) => [
      kindOfDated(resource),
      enveloped(({ id }) => `/api/v2/${resource.kind}/${part(id)}`, { ofTenant: true, dated: true }),
    ]),
  ),
  ...Object.fromEntries(
    dayLists.map(({ kind }): [string, ResourceKind] => [
      kind,
      {
        read: { url: ({ id }) => `${DAY_PATHS[kind] ?? `/api/v2/${kind}`}?date=${part(id)}`, record: listOfDay(kind) },
        scope: 'tenant',
        ofTenant: true,
      },
    ]),
  ),
};

/** Keys are read from their events, because services do not show them. */
const ops: Readonly<Record<string, ResourceKind>> = { key: at(() => '') };

const services: Readonly<Record<string, Readonly<Record<string, ResourceKind>>>> = { messaging, accounting, status, ops };

/** Services and kinds of records whose ids need no owner. */
export const KINDS_BY_ID = Object.entries(services).flatMap(([service, kinds]) =>
  Object.entries(kinds).flatMap(([kind, { scope }]) => (scope === undefined ? [[service, kind] as const] : [])),
);

/** `undefined` for an unknown kind of record. */
export const kindOf = (service: string, kind: string): ResourceKind | undefined => {
  const kinds = Object.hasOwn(services, service) ? services[service] : undefined;
  return kinds && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
};
