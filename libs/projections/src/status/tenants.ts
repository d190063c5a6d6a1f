import { TENANTS_CATEGORY, type TenantEvent } from '#domain/status/tenants.js';
import { defineProjection } from '../shared/define.js';
import { type Projection, put } from '../shared/projection.js';

export const TENANTS_PROJECTION = 'status.tenants';

export const tenantCollections = {
  /** Tenant id → {@link TenantDocument}. */
  tenants: 'tenants',
  /** Log position of the registration, 20 digits → tenant id: the order of creation. */
  order: 'order',
  /** Hash of an api key → {@link ApiKeyDocument}. */
  apiKeys: 'api-keys',
} as const;

/** Members in the order of the wire (status contract 8.1). */
export type TenantUserDocument = Readonly<{ id: string; name: string; email: string; api_key: string; roles: readonly string[] }>;
export type TenantDocument = Readonly<{
  id: string;
  info: Readonly<{ name: string; email: string; description: string; image: string; website: string; created: string; updated: string }>;
  db_conf: readonly Readonly<{ store: string; server: string; port: number; database: string; username: string; password: string }>[];
  topology: Readonly<{ type: string; feed: string }>;
  users: readonly TenantUserDocument[];
}>;
export type ApiKeyDocument = Readonly<{ tenantId: string; userId: string; roles: readonly string[] }>;

/** `YYYY-MM-DD HH:MM:SS`, UTC, of an instant. */
const wireTime = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;

/** Tenants with their users, and who holds which api key. Sealed members whose key was destroyed show as empty. */
export const tenantsProjection: Projection = defineProjection<TenantEvent>({
  name: TENANTS_PROJECTION,
  version: 1,
  service: 'status',
  categories: [TENANTS_CATEGORY],
  handles: ['TenantRegistered', 'TenantUserAdded'],
  reads: ({ type, data }) => (type === 'TenantUserAdded' ? [{ collection: tenantCollections.tenants, key: data.tenantId }] : []),
  apply: (event, read) => {
    const { tenants, order, apiKeys } = tenantCollections;
    switch (event.type) {
      case 'TenantRegistered': {
        const { tenantId, name, description, image, website, topology } = event.data;
        const created = wireTime(event.metadata.time);
        const info = { name, email: event.data.email ?? '', description, image, website, created, updated: created };
        const db_conf = (event.data.databases ?? []).map(({ store, server, port, database, username, password }) => ({
          store,
          server,
          port,
          database,
          username,
          password,
        }));
        const document: TenantDocument = { id: tenantId, info, db_conf, topology: { type: topology.type, feed: topology.feed }, users: [] };
        return [put(tenants, tenantId, document), put(order, event.position.toString().padStart(20, '0'), tenantId)];
      }
      case 'TenantUserAdded': {
        const { tenantId, userId, apiKeyHash, roles } = event.data;
        const tenant = read(tenants, tenantId) as TenantDocument;
        const user: TenantUserDocument = {
          id: userId,
          name: event.data.name ?? '',
          email: event.data.email ?? '',
          api_key: event.data.apiKey ?? '',
          roles,
        };
        const holder: ApiKeyDocument = { tenantId, userId, roles };
        return [put(tenants, tenantId, { ...tenant, users: [...tenant.users, user] }), put(apiKeys, apiKeyHash, holder)];
      }
    }
  },
});
