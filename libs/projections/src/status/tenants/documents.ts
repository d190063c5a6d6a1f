import type { Readiness } from '#domain/status/tenants/readiness.js';
import { tenantSubject, userSubject, withoutDatabaseSecrets } from '#domain/status/tenants/tenants.js';
import { collection } from '#projections/shared/collection.js';
import { keyPart } from '#projections/shared/key-part.js';
import { inMember } from '#projections/shared/partitions.js';
import type { Sealing } from '#projections/shared/projection.js';
import { textCodec } from '#projections/shared/projection.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const TENANTS = 'status.tenants';

/** Members in wire order (status contract 8.1). `key_hash` is not on the wire. */
export type TenantUserDocument = Readonly<{
  id: string;
  name: string;
  email: string;
  api_key: string;
  roles: readonly string[];
  component?: string;
  key_hash: string;
}>;

/** `order` is not on the wire. As text it sorts by creation. */
export type TenantDocument = Readonly<{
  id: string;
  info: Readonly<{ name: string; email: string; description: string; image: string; website: string; created: string; updated: string }>;
  db_conf: readonly Readonly<{ store: string; server: string; port: number; database: string; username: string; password: string }>[];
  topology: Readonly<{ type: string; feed: string }>;
  users: readonly TenantUserDocument[];
  node?: true;
  order: string;
}>;

/** The user with an API key. */
export type ApiKeyDocument = Readonly<{ tenantId: string; userId: string; roles: readonly string[] }>;

/** The tenant with a name, and whether it is a node. */
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
  /** By id, across all tenants. */
  users: collection<TenantUserDocument & Readonly<{ tenantId: string }>>('users', {
    owner: ofTenantInside,
    sealed: sealedForUsers(''),
    marks: { key_hash: 'hash' },
  }),
  /** By key hash. */
  apiKeys: collection<ApiKeyDocument>('api-keys', { owner: ofTenantInside, contested: true }),
  /** By name. Names are unique, but may pass from one tenant to another. A name may be empty, but a key may not. */
  names: collection<NamedTenantDocument>('names', { key: (name) => `=${keyPart(name)}`, owner: ofTenantInside, contested: true }),
  /** By tenant. Absent until it is first reported. */
  readiness: collection<Readiness>('readiness', { owner: tenantFirst }),
  /** By tenant: the engine status in the format of answers. Absent until the engine first reports it. */
  engineStatus: collection<string>('engine-status', { owner: tenantFirst, codec: textCodec }),
} as const;
