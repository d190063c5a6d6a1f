import type { EventCatalogue } from '../shared/catalogue.js';
import { type Decider, DomainError } from '../shared/decider.js';

/** A tenant's own data; `created` and `updated` of the wire come from the events' times. */
export type TenantInfo = Readonly<{ name: string; email: string; description: string; image: string; website: string }>;
export type DatabaseConfiguration = Readonly<{
  store: string;
  server: string;
  port: number;
  database: string;
  username: string;
  password: string;
}>;
export type Topology = Readonly<{ type: string; feed: string }>;

/** `apiKeyHash` is the hash by which the key is looked up; equal keys have equal hashes. */
export type TenantUser = Readonly<{
  userId: string;
  name: string;
  email: string;
  apiKey: string;
  apiKeyHash: string;
  roles: readonly string[];
}>;

/** The name stays readable, because uniqueness is judged by it; what may be personal or secret is sealed. */
export type TenantRegistered = Readonly<{
  tenantId: string;
  name: string;
  description: string;
  image: string;
  website: string;
  email: string;
  topology: Topology;
  databases: readonly DatabaseConfiguration[];
}>;
export type TenantUserAdded = Readonly<{ tenantId: string }> & TenantUser;

/** The tenant and all that belongs to it are gone; every projection with documents of tenants drops those of this one. */
export type TenantDeleted = Readonly<{ type: 'TenantDeleted'; data: Readonly<{ tenantId: string }> }>;

export type TenantEvent =
  | Readonly<{ type: 'TenantRegistered'; data: TenantRegistered }>
  | Readonly<{ type: 'TenantUserAdded'; data: TenantUserAdded }>;

export type TenantCommand = Readonly<{
  type: 'RegisterTenant';
  tenantId: string;
  info: TenantInfo;
  databases: readonly DatabaseConfiguration[];
  topology: Topology;
  users: readonly TenantUser[];
}>;

/** Tenant names and user keys in use, over all tenants. */
export type TenantsState = Readonly<{ names: Map<string, string>; keys: Map<string, string> }>;

export const TENANTS_CATEGORY = 'status.tenants';
/** One stream for all tenants, because names and api keys are unique over all of them. */
export const TENANTS_STREAM = `${TENANTS_CATEGORY}-global`;

export const tenantEvents: EventCatalogue = {
  TenantRegistered: { sensitive: { subject: ({ tenantId }) => `tenant-${tenantId}`, members: ['email', 'databases'] } },
  TenantUserAdded: { sensitive: { subject: ({ userId }) => `user-${userId}`, members: ['name', 'email', 'apiKey'] } },
};

/** Rejects with `TENANT_NAME_TAKEN`, then `API_KEY_TAKEN` (details `apiKey`: the first offender in list order). Status contract 8.2, 8.4. */
export const tenants: Decider<TenantsState, TenantCommand, TenantEvent> = {
  initialState: () => ({ names: new Map(), keys: new Map() }),
  decide: ({ tenantId, info, databases, topology, users }, state) => {
    if (state.names.has(info.name)) throw new DomainError('TENANT_NAME_TAKEN');
    const seen = new Set<string>();
    for (const { apiKey, apiKeyHash } of users) {
      if (state.keys.has(apiKeyHash) || seen.has(apiKeyHash)) throw new DomainError('API_KEY_TAKEN', { apiKey });
      seen.add(apiKeyHash);
    }
    const { name, email, description, image, website } = info;
    return [
      { type: 'TenantRegistered', data: { tenantId, name, description, image, website, email, topology, databases } },
      ...users.map(
        ({ userId, name, email, apiKey, apiKeyHash, roles }): TenantEvent => ({
          type: 'TenantUserAdded',
          data: { tenantId, userId, name, email, apiKey, apiKeyHash, roles },
        }),
      ),
    ];
  },
  evolve: (state, event) => {
    switch (event.type) {
      case 'TenantRegistered':
        state.names.set(event.data.name, event.data.tenantId);
        return state;
      case 'TenantUserAdded':
        state.keys.set(event.data.apiKeyHash, event.data.userId);
        return state;
    }
  },
};
