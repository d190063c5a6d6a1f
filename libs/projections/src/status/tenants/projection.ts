import {
  type DatabaseConfiguration,
  TENANTS_CATEGORY,
  TENANTS_STREAM,
  type TenantEvent,
  type TenantInfo,
  type TenantRegistered,
  type TenantUser,
  type Topology,
  type UserProfile,
} from '#domain/status/tenants/tenants.js';
import { isErased } from '#projections/shared/erased.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { wireTime } from '#projections/status/layout.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { TENANTS, type TenantDocument, type TenantUserDocument, tenantCollections } from './documents.js';
import { engineStatusText } from './engine-status.js';

const { tenants, users, apiKeys, engineStatus, names, readiness } = tenantCollections;

type On<Type extends TenantEvent['type']> = EventOf<Extract<TenantEvent, { type: Type }>>;

type Times = Readonly<{ created: string; updated: string }>;

const infoDocument = ({ name, email, description, image, website }: TenantInfo, { created, updated }: Times): TenantDocument['info'] => ({
  name,
  email: email ?? '',
  description,
  image,
  website,
  created,
  updated,
});

const databaseDocuments = (databases: readonly DatabaseConfiguration[] | null): TenantDocument['db_conf'] => {
  if (databases === null || isErased(databases)) return databases ?? [];
  return databases.map(({ store, server, port, database, username, password }) => ({ store, server, port, database, username, password }));
};

const topologyDocument = ({ type, feed }: Topology): TenantDocument['topology'] => ({ type, feed: feed ?? '' });

const tenantDocument = (
  { tenantId, topology, databases, ...info }: TenantRegistered,
  times: Times,
  rest: Pick<TenantDocument, 'users' | 'node' | 'order'>,
): TenantDocument => ({
  id: tenantId,
  info: infoDocument(info, times),
  db_conf: databaseDocuments(databases),
  topology: topologyDocument(topology),
  ...rest,
});

const putName = ({ id, info: { name }, node }: TenantDocument): DocumentChange => names.put(name, { tenantId: id, node: node === true });

/** Changes the tenant and its entry by name. */
const putNamed = (before: TenantDocument, after: TenantDocument): readonly DocumentChange[] => [
  tenants.put(after.id, after),
  ...(before.info.name === after.info.name ? [] : [names.remove(before.info.name)]),
  putName(after),
];

/** Replaces parts of the tenant at the time of an event. */
const putParts = (tenant: TenantDocument, time: string, parts: Partial<TenantDocument>): DocumentChange =>
  tenants.put(tenant.id, { ...tenant, ...parts, info: { ...tenant.info, updated: wireTime(time) } });

const profileOf = ({ name, email, roles, component }: UserProfile) => ({
  name: name ?? '',
  email: email ?? '',
  roles,
  ...(component && { component }),
});

const userDocument = ({ userId, apiKey, apiKeyHash, ...profile }: TenantUser): TenantUserDocument => {
  const { name, email, ...rest } = profileOf(profile);
  return { id: userId, name, email, api_key: apiKey ?? '', ...rest, key_hash: apiKeyHash };
};

/** Replaces the users of the tenant at the time of an event. */
const putUsers = (tenant: TenantDocument, all: readonly TenantUserDocument[], time: string): DocumentChange =>
  putParts(tenant, time, { users: all });

const putUser = (tenantId: string, user: TenantUserDocument): readonly DocumentChange[] => [
  users.put(user.id, { ...user, tenantId }),
  apiKeys.put(user.key_hash, { tenantId, userId: user.id, roles: user.roles }),
];

const removeUser = ({ id, key_hash }: TenantUserDocument): readonly DocumentChange[] => [users.remove(id), apiKeys.remove(key_hash)];

const userOf = (tenant: TenantDocument, userId: string): TenantUserDocument => {
  const user = tenant.users.find(({ id }) => id === userId);
  if (!user) throw new Error(`tenant ${tenant.id} has no user ${userId}`);
  return user;
};

const changeUser = (
  tenant: TenantDocument,
  userId: string,
  time: string,
  members: Partial<TenantUserDocument>,
): readonly DocumentChange[] => {
  const before = userOf(tenant, userId);
  const after = { ...before, ...members };
  const all = tenant.users.map((user) => (user === before ? after : user));
  return [putUsers(tenant, all, time), apiKeys.remove(before.key_hash), ...putUser(tenant.id, after)];
};

/** Handler of an event of an existing tenant. */
const ofTenant = <Event extends Readonly<{ data: Readonly<{ tenantId: string }> }>>(
  apply: (tenant: TenantDocument, event: Event) => readonly DocumentChange[],
) =>
  reading(
    ({ data }: Event) => ({ tenant: tenants.at(data.tenantId) }),
    (event, { tenant }) => {
      if (!tenant) throw new Error(`there is no tenant ${event.data.tenantId}`);
      return apply(tenant, event);
    },
  );

/** Tenants with their users, holders of API keys, and engine status. Sealed members are empty after their key is destroyed. */
export const tenantsProjection = readModel<TenantEvent>(
  {
    name: TENANTS,
    version: 4,
    readsFrom: 4, // first version with tenants by name
    service: 'status',
    needed: { fixed: [TENANTS_STREAM] },
    categories: [TENANTS_CATEGORY],
    collections: Object.values(tenantCollections),
    partitionsOf: tenantPartitionsOf([]),
  },
  {
    TenantRegistered: ({ data, metadata, position }) => {
      const created = wireTime(metadata.time);
      const order = position.toString().padStart(20, '0');
      const tenant = tenantDocument(data, { created, updated: created }, { users: [], order });
      return [tenants.put(data.tenantId, tenant), putName(tenant)];
    },
    TenantRevised: ofTenant((before, { data, metadata }: On<'TenantRevised'>) => {
      const byId = new Map(before.users.map((user) => [user.id, user]));
      const inOrder = data.userIds.flatMap((id) => byId.get(id) ?? []);
      const times = { created: before.info.created, updated: wireTime(metadata.time) };
      const { order, node } = before;
      return putNamed(before, tenantDocument(data, times, { users: inOrder, ...(node && { node }), order }));
    }),
    TenantDeleted: ofTenant((tenant, { data: { tenantId } }: On<'TenantDeleted'>) => [
      tenants.remove(tenantId),
      names.remove(tenant.info.name),
      readiness.remove(tenantId),
      engineStatus.remove(tenantId),
      ...tenant.users.flatMap(removeUser),
    ]),
    TenantUserAdded: ofTenant((tenant, { data, metadata }: On<'TenantUserAdded'>) => {
      const user = userDocument(data);
      return [putUsers(tenant, [...tenant.users, user], metadata.time), ...putUser(data.tenantId, user)];
    }),
    TenantUserRevised: ofTenant((tenant, { data, metadata }: On<'TenantUserRevised'>) =>
      changeUser(tenant, data.userId, metadata.time, profileOf(data)),
    ),
    TenantUserKeyRenewed: ofTenant((tenant, { data, metadata }: On<'TenantUserKeyRenewed'>) =>
      changeUser(tenant, data.userId, metadata.time, { api_key: data.apiKey ?? '', key_hash: data.apiKeyHash }),
    ),
    TenantUserRemoved: ofTenant((tenant, { data, metadata }: On<'TenantUserRemoved'>) => {
      const user = userOf(tenant, data.userId);
      const others = tenant.users.filter((one) => one !== user);
      return [putUsers(tenant, others, metadata.time), ...removeUser(user)];
    }),
    TenantInfoRevised: ofTenant((before, { data, metadata }: On<'TenantInfoRevised'>) => {
      const times = { created: before.info.created, updated: wireTime(metadata.time) };
      return putNamed(before, { ...before, info: infoDocument(data, times) });
    }),
    TenantDatabasesReplaced: ofTenant((tenant, { data, metadata }: On<'TenantDatabasesReplaced'>) => [
      putParts(tenant, metadata.time, { db_conf: databaseDocuments(data.databases) }),
    ]),
    TenantTopologyReplaced: ofTenant((tenant, { data, metadata }: On<'TenantTopologyReplaced'>) => [
      putParts(tenant, metadata.time, { topology: topologyDocument(data.topology) }),
    ]),
    TenantSetAsNode: ofTenant((tenant, { metadata }: On<'TenantSetAsNode'>) => [
      putParts(tenant, metadata.time, { node: true }),
      putName({ ...tenant, node: true }),
    ]),
    TenantUnsetAsNode: ofTenant(({ node: _, ...tenant }, { metadata }: On<'TenantUnsetAsNode'>) => [
      putParts(tenant, metadata.time, {}),
      putName(tenant),
    ]),
    TenantReadinessReported: ({ data }) => [readiness.put(data.tenantId, data.readiness)],
    TenantEngineStatusReported: ({ data }) => [engineStatus.put(data.tenantId, engineStatusText(data.status))],
  },
);
