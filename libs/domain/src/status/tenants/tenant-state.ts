import { DomainError } from '#domain/shared/decider.js';
import type { Sizes } from '#domain/status/limits.js';
import { databasesSize, infoSize, keySize, type PartSizes, partSizes, sizeOfParts, topologySize, userSize } from './tenant-sizes.js';
import type { TenantEvent, UserProfile } from './tenants.js';

/** Data of a user for the rules. `ofKey`: bytes of the key, `size`: of the user with it. Name and email are empty once the user's key is destroyed, which happens after the user is removed. */
type KnownUser = UserProfile & Readonly<{ userId: string; apiKeyHash: string; ofKey: number; size: number }>;
type KnownTenant = { name: string; parts: PartSizes; users: Map<string, KnownUser> };

/** State of all tenants. `keys`: user id by key hash. `sizes`: sizes of tenants including their users. */
export type TenantsState = Readonly<{ tenants: Map<string, KnownTenant>; names: Set<string>; keys: Map<string, string>; sizes: Sizes }>;

/** @throws DomainError `TENANT_NOT_FOUND` */
export const tenantOf = (state: TenantsState, tenantId: string): KnownTenant => {
  const tenant = state.tenants.get(tenantId);
  if (!tenant) throw new DomainError('TENANT_NOT_FOUND');
  return tenant;
};

/** @throws DomainError `TENANT_NOT_FOUND`, `TENANT_USER_NOT_FOUND` */
export const userOf = (state: TenantsState, { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>): KnownUser => {
  const user = tenantOf(state, tenantId).users.get(userId);
  if (!user) throw new DomainError('TENANT_USER_NOT_FOUND');
  return user;
};

const NO_SIZES: PartSizes = { info: 0, databases: 0, topology: 0 };

const profileOf = ({ name, email, roles, component }: UserProfile): UserProfile => ({
  name: name ?? '',
  email: email ?? '',
  roles,
  ...(component ? { component } : {}),
});

const rename = (state: TenantsState, tenantId: string, name: string): void => {
  const tenant = tenantOf(state, tenantId);
  state.names.delete(tenant.name);
  state.names.add(name);
  tenant.name = name;
};

const replaceParts = (state: TenantsState, tenantId: string, parts: Partial<PartSizes>): void => {
  const tenant = tenantOf(state, tenantId);
  const before = tenant.parts === NO_SIZES ? 0 : sizeOfParts(tenant.parts);
  tenant.parts = { ...tenant.parts, ...parts };
  state.sizes.set(tenantId, state.sizes.of(tenantId) - before + sizeOfParts(tenant.parts));
};

const keep = (state: TenantsState, tenantId: string, known: Omit<KnownUser, 'size'>): void => {
  const { users } = tenantOf(state, tenantId);
  const user = { ...known, size: userSize(known, known.ofKey) };
  const before = users.get(user.userId);
  state.sizes.set(tenantId, state.sizes.of(tenantId) - (before?.size ?? 0) + user.size);
  if (before) state.keys.delete(before.apiKeyHash);
  users.set(user.userId, user);
  state.keys.set(user.apiKeyHash, user.userId);
};

/** Updates the state in place. */
export const evolve = (state: TenantsState, event: TenantEvent): TenantsState => {
  const { tenantId } = event.data;
  switch (event.type) {
    case 'TenantRegistered':
      state.tenants.set(tenantId, { name: event.data.name, parts: NO_SIZES, users: new Map() });
      state.names.add(event.data.name);
      replaceParts(state, tenantId, partSizes(event.data));
      return state;
    case 'TenantRevised':
      rename(state, tenantId, event.data.name);
      replaceParts(state, tenantId, partSizes(event.data));
      return state;
    case 'TenantInfoRevised':
      rename(state, tenantId, event.data.name);
      replaceParts(state, tenantId, { info: infoSize(event.data) });
      return state;
    case 'TenantDatabasesReplaced':
      replaceParts(state, tenantId, { databases: databasesSize(event.data.databases) });
      return state;
    case 'TenantTopologyReplaced':
      replaceParts(state, tenantId, { topology: topologySize(event.data.topology) });
      return state;
    case 'TenantDeleted': {
      const { name, users } = tenantOf(state, tenantId);
      state.names.delete(name);
      for (const { apiKeyHash } of users.values()) state.keys.delete(apiKeyHash);
      state.tenants.delete(tenantId);
      state.sizes.delete(tenantId);
      return state;
    }
    case 'TenantUserAdded': {
      const { userId, apiKey, apiKeyHash } = event.data;
      keep(state, tenantId, { ...profileOf(event.data), userId, apiKeyHash, ofKey: keySize(apiKey) });
      return state;
    }
    case 'TenantUserRevised': {
      const { userId, apiKeyHash, ofKey } = userOf(state, event.data);
      keep(state, tenantId, { ...profileOf(event.data), userId, apiKeyHash, ofKey });
      return state;
    }
    case 'TenantUserKeyRenewed': {
      const { apiKey, apiKeyHash } = event.data;
      keep(state, tenantId, { ...userOf(state, event.data), apiKeyHash, ofKey: keySize(apiKey) });
      return state;
    }
    case 'TenantUserRemoved': {
      const { userId, apiKeyHash, size } = userOf(state, event.data);
      state.keys.delete(apiKeyHash);
      tenantOf(state, tenantId).users.delete(userId);
      state.sizes.set(tenantId, state.sizes.of(tenantId) - size);
      return state;
    }
    case 'TenantEngineStatusReported':
    case 'TenantReadinessReported':
    case 'TenantSetAsNode':
    case 'TenantUnsetAsNode':
      return state;
  }
};
