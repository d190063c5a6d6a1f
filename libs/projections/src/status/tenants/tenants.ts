import {
  TENANTS_CATEGORY,
  type TenantEvent,
  type TenantRegistered,
  type TenantUser,
  tenantSubject,
  type UserProfile,
  userSubject,
} from '#domain/status/tenants/tenants.js';
import { defineProjection } from '#projections/shared/define.js';
import { inMember, ownedBy } from '#projections/shared/partitions.js';
import { type DocumentChange, type Projection, put, type ReadDocument, remove, type Sealing } from '#projections/shared/projection.js';
import { wireTime } from '#projections/status/layout.js';
import { byTenant } from '#projections/status/partitions.js';
import { engineStatusCodec } from './engine-status.js';

export const TENANTS_PROJECTION = 'status.tenants';

export const tenantCollections = {
  /** Tenant id → {@link TenantDocument}. */
  tenants: 'tenants',
  /** User id → {@link TenantUserDocument}, with the `tenantId` of its tenant. */
  users: 'users',
  /** Hash of an api key → {@link ApiKeyDocument}. */
  apiKeys: 'api-keys',
  /** Tenant id → engine status as it stands in a response; none = the engine has never reported. */
  engineStatus: 'engine-status',
} as const;

/** Members in the order of the wire (status contract 8.1); `key_hash` is no part of it. */
export type TenantUserDocument = Readonly<{
  id: string;
  name: string;
  email: string;
  api_key: string;
  roles: readonly string[];
  key_hash: string;
}>;
/** `order` is no part of the wire: as text it sorts by the order of creation. */
export type TenantDocument = Readonly<{
  id: string;
  info: Readonly<{ name: string; email: string; description: string; image: string; website: string; created: string; updated: string }>;
  db_conf: readonly Readonly<{ store: string; server: string; port: number; database: string; username: string; password: string }>[];
  topology: Readonly<{ type: string; feed: string }>;
  users: readonly TenantUserDocument[];
  order: string;
}>;
export type ApiKeyDocument = Readonly<{ tenantId: string; userId: string; roles: readonly string[] }>;

const { tenants, users, apiKeys, engineStatus } = tenantCollections;

const ofTenant: Sealing = [
  { path: 'info.email', subject: ({ key }) => tenantSubject(key) },
  { path: 'topology.feed', subject: ({ key }) => tenantSubject(key) },
  { path: 'db_conf', subject: ({ key }) => tenantSubject(key), erased: '[]' },
];
const ofUsers = (place: string): Sealing =>
  ['name', 'email', 'api_key'].map((member) => ({ path: place + member, subject: ({ holder }) => userSubject(holder.id) }));
const tenantPartitions = byTenant([], [tenants, engineStatus]);

const tenantDocument = (
  { tenantId, name, email, description, image, website, topology, databases }: TenantRegistered,
  { created, updated }: Readonly<{ created: string; updated: string }>,
  rest: Pick<TenantDocument, 'users' | 'order'>,
): TenantDocument => ({
  id: tenantId,
  info: { name, email: email ?? '', description, image, website, created, updated },
  db_conf: (databases ?? []).map(({ store, server, port, database, username, password }) => ({
    store,
    server,
    port,
    database,
    username,
    password,
  })),
  topology: { type: topology.type, feed: topology.feed ?? '' },
  ...rest,
});

const profileOf = ({ name, email, roles }: UserProfile) => ({ name: name ?? '', email: email ?? '', roles });

const userDocument = ({ userId, apiKey, apiKeyHash, ...profile }: TenantUser): TenantUserDocument => {
  const { name, email, roles } = profileOf(profile);
  return { id: userId, name, email, api_key: apiKey ?? '', roles, key_hash: apiKeyHash };
};

/** The tenant with other users, at the time of an event. */
const withUsers = (tenant: TenantDocument, all: readonly TenantUserDocument[], time: string): DocumentChange =>
  put(tenants, tenant.id, { ...tenant, info: { ...tenant.info, updated: wireTime(time) }, users: all });

const putUser = (tenantId: string, user: TenantUserDocument): DocumentChange[] => {
  const holder: ApiKeyDocument = { tenantId, userId: user.id, roles: user.roles };
  return [put(users, user.id, { ...user, tenantId }), put(apiKeys, user.key_hash, holder)];
};

const removeUser = ({ id, key_hash }: TenantUserDocument): DocumentChange[] => [remove(users, id), remove(apiKeys, key_hash)];

const storedTenant = (read: ReadDocument, tenantId: string): TenantDocument => {
  const tenant = read(tenants, tenantId);
  if (tenant === undefined) throw new Error(`there is no tenant ${tenantId}`);
  return tenant as TenantDocument;
};

const storedUser = (tenant: TenantDocument, userId: string): TenantUserDocument => {
  const user = tenant.users.find(({ id }) => id === userId);
  if (!user) throw new Error(`tenant ${tenant.id} has no user ${userId}`);
  return user;
};

/** One user of the tenant gets other members. */
const change = (tenant: TenantDocument, userId: string, time: string, members: Partial<TenantUserDocument>): DocumentChange[] => {
  const before = storedUser(tenant, userId);
  const after = { ...before, ...members };
  const all = tenant.users.map((user) => (user === before ? after : user));
  return [withUsers(tenant, all, time), remove(apiKeys, before.key_hash), ...putUser(tenant.id, after)];
};

/** Tenants with their users, who holds which api key, and engine status. Sealed members whose key was destroyed show as empty. */
export const tenantsProjection: Projection = defineProjection<TenantEvent>({
  name: TENANTS_PROJECTION,
  version: 2,
  service: 'status',
  categories: [TENANTS_CATEGORY],
  handles: [
    'TenantRegistered',
    'TenantRevised',
    'TenantDeleted',
    'TenantUserAdded',
    'TenantUserRevised',
    'TenantUserRemoved',
    'TenantUserKeyRenewed',
    'TenantEngineStatusReported',
  ],
  codecs: { [engineStatus]: engineStatusCodec },
  sealed: { [tenants]: [...ofTenant, ...ofUsers('users[].')], [users]: ofUsers('') },
  partitions: {
    ofEvent: tenantPartitions.ofEvent,
    owners: { ...tenantPartitions.owners, ...ownedBy(inMember('tenant', 'tenantId'), [users, apiKeys]) },
    contested: [apiKeys],
  },
  reads: ({ type, data }) =>
    type === 'TenantRegistered' || type === 'TenantEngineStatusReported' ? [] : [{ collection: tenants, key: data.tenantId }],
  apply: (event, read) => {
    const { tenantId } = event.data;
    const { time } = event.metadata;
    switch (event.type) {
      case 'TenantRegistered': {
        const [created, order] = [wireTime(time), event.position.toString().padStart(20, '0')];
        return [put(tenants, tenantId, tenantDocument(event.data, { created, updated: created }, { users: [], order }))];
      }
      case 'TenantRevised': {
        const before = storedTenant(read, tenantId);
        const byId = new Map(before.users.map((user) => [user.id, user]));
        const inOrder = event.data.userIds.flatMap((id) => byId.get(id) ?? []);
        const times = { created: before.info.created, updated: wireTime(time) };
        return [put(tenants, tenantId, tenantDocument(event.data, times, { users: inOrder, order: before.order }))];
      }
      case 'TenantDeleted': {
        const tenant = storedTenant(read, tenantId);
        return [remove(tenants, tenantId), remove(engineStatus, tenantId), ...tenant.users.flatMap(removeUser)];
      }
      case 'TenantUserAdded': {
        const tenant = storedTenant(read, tenantId);
        const user = userDocument(event.data);
        return [withUsers(tenant, [...tenant.users, user], time), ...putUser(tenantId, user)];
      }
      case 'TenantUserRevised':
        return change(storedTenant(read, tenantId), event.data.userId, time, profileOf(event.data));
      case 'TenantUserKeyRenewed': {
        const { userId, apiKey, apiKeyHash } = event.data;
        return change(storedTenant(read, tenantId), userId, time, { api_key: apiKey ?? '', key_hash: apiKeyHash });
      }
      case 'TenantUserRemoved': {
        const tenant = storedTenant(read, tenantId);
        const user = storedUser(tenant, event.data.userId);
        const others = tenant.users.filter((one) => one !== user);
        return [withUsers(tenant, others, time), ...removeUser(user)];
      }
      case 'TenantEngineStatusReported':
        return [put(engineStatus, tenantId, event.data.status)];
    }
  },
});
