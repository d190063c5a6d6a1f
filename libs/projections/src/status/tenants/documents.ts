import type { Readiness } from '#domain/status/tenants/readiness.js';
import { tenantSubject, userSubject, withoutDatabaseSecrets } from '#domain/status/tenants/tenants.js';
import { collection } from '#projections/shared/collection.js';
import { keyPart } from '#projections/shared/key-part.js';
import { inMember } from '#projections/shared/partitions.js';
import type { Sealing } from '#projections/shared/projection.js';
import { textCodec } from '#projections/status/layout.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const TENANTS = 'status.tenants';

/** Members in the order of the wire (status contract 8.1); `key_hash` is no part of it. */
export type TenantUserDocument = Readonly<{
  id: string;
  name: string;
  email: string;
  api_key: string;
  roles: readonly string[];
  component?: string;
  key_hash: string;
}>;

/** `order` is no part of the wire: as text it sorts by the order of creation. */
export type TenantDocument = Readonly<{
  id: string;
  info: Readonly<{ name: string; email: string; description: string; image: string; website: string; created: string; updated: string }>;
  db_conf: readonly Readonly<{ store: string; server: string; port: number; database: string; username: string; password: string }>[];
  topology: Readonly<{ type: string; feed: string }>;
  users: readonly TenantUserDocument[];
  node?: true;
  order: string;
}>;

/** The user who holds an api key. */
export type ApiKeyDocument = Readonly<{ tenantId: string; userId: string; roles: readonly string[] }>;

/** The tenant of a name, and whether it is a node. */
export type NamedTenantDocument = Readonly<{ tenantId: string; node: boolean }>;

const sealedForTenant: Sealing = [
  { path: 'info.email', subject: ({ key }) => tenantSubject(key), mark: 'personal' },
  { path: 'topology.feed', subject: ({ key }) => tenantSubject(key), mark: 'url' },
  { path: 'db_conf', subject: ({ key }) => tenantSubject(key), erased: '[]', mark: withoutDatabaseSecrets },
];
const sealedForUsers = (prefix: string): Sealing =>
  (['name', 'email', 'api_key'] as const).map((member) => ({
    path: prefix + member,
    subject: ({ holder }) => userSubject(holder.id),
    mark: member === 'api_key' ? 'secret' : 'personal',
  }));

const ofTenantInside = inMember('tenant', 'tenantId');

export const tenantCollections = {
  /** By id. */
  tenants: collection<TenantDocument>('tenants', {
    owner: tenantFirst,
    sealed: [...sealedForTenant, ...sealedForUsers('users[].')],
    marks: { 'users[].key_hash': 'hash' },
  }),
  /** By id, whichever tenant they belong to. */
  users: collection<TenantUserDocument & Readonly<{ tenantId: string }>>('users', {
    owner: ofTenantInside,
    sealed: sealedForUsers(''),
    marks: { key_hash: 'hash' },
  }),
  /** By the hash of the key. */
  apiKeys: collection<ApiKeyDocument>('api-keys', { owner: ofTenantInside, contested: true }),
  /** By name: names are unique, but may pass from one tenant to another. The name may be empty, which a key may not. */
  names: collection<NamedTenantDocument>('names', { key: (name) => `=${keyPart(name)}`, owner: ofTenantInside, contested: true }),
  /** By tenant; absent until something was said. */
  readiness: collection<Readiness>('readiness', { owner: tenantFirst }),
  /** By tenant: the engine status as it stands in an answer; absent until the engine has reported. */
  engineStatus: collection<string>('engine-status', { owner: tenantFirst, codec: textCodec }),
} as const;
