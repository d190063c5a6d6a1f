import { type Decider, DomainError } from '#domain/shared/decider.js';
import { overLimit, RECORD_DEPTH, Sizes, STATUS_LIMITS, sizeOf, sizesAsMap, sizeWithin } from '#domain/status/limits.js';
import {
  type TenantCommand,
  type TenantEvent,
  type TenantInfo,
  type TenantRegistered,
  type TenantUser,
  type UserProfile,
  userSubject,
} from './tenants.js';

/** What rules need of a user. Name and email are empty once the user's key is destroyed, which happens after the user was removed. */
type KnownUser = UserProfile & Readonly<{ userId: string; apiKeyHash: string; size: number }>;
/** `own`: size of the tenant without its users. */
type KnownTenant = { name: string; own: number; users: Map<string, KnownUser> };

/** Over all tenants. `keys`: the id of the user who has a key, by the hash of the key. `sizes`: of tenants with their users. */
export type TenantsState = Readonly<{ tenants: Map<string, KnownTenant>; names: Set<string>; keys: Map<string, string>; sizes: Sizes }>;

const tenantOf = (state: TenantsState, tenantId: string): KnownTenant => {
  const tenant = state.tenants.get(tenantId);
  if (!tenant) throw new DomainError('TENANT_NOT_FOUND');
  return tenant;
};

const userOf = (state: TenantsState, { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>): KnownUser => {
  const user = tenantOf(state, tenantId).users.get(userId);
  if (!user) throw new DomainError('TENANT_USER_NOT_FOUND');
  return user;
};

const requireFreeName = (state: TenantsState, name: string): void => {
  if (state.names.has(name)) throw new DomainError('TENANT_NAME_TAKEN');
};

/** A key is taken if anybody but the `own` users has it, or if the list has it twice. @throws DomainError `API_KEY_TAKEN` for the first such user of the list */
const requireFreeKeys = (
  state: TenantsState,
  users: readonly Pick<TenantUser, 'apiKey' | 'apiKeyHash'>[],
  own: Readonly<{ has(userId: string): boolean }>,
): void => {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { apiKeyHash } of users) (seen.has(apiKeyHash) ? repeated : seen).add(apiKeyHash);
  for (const { apiKey, apiKeyHash } of users) {
    const holder = state.keys.get(apiKeyHash);
    if (repeated.has(apiKeyHash) || (holder !== undefined && !own.has(holder))) throw new DomainError('API_KEY_TAKEN', { apiKey });
  }
};
const NOBODY: ReadonlySet<string> = new Set();

/** Depth of the users of a tenant in a list of tenants. */
const USER_DEPTH = RECORD_DEPTH + 2;
/** As long as the ids and keys that are generated. */
const [ID, KEY] = ['0'.repeat(36), '0'.repeat(64)];

const userSize = ({ name, email, roles, apiKey }: UserProfile & Readonly<{ apiKey?: string }>): number =>
  sizeOf({ id: ID, name, email, api_key: apiKey ?? KEY, roles }, USER_DEPTH);

type TenantContent = Pick<TenantRegistered, keyof TenantInfo | 'topology' | 'databases'>;

/** Without its users. */
const tenantSize = ({ name, email, description, image, website, topology, databases }: TenantContent): number =>
  sizeOf({
    id: ID,
    info: { name, email, description, image, website, created: KEY, updated: KEY },
    db_conf: databases,
    topology,
    users: [],
  });

/** @throws DomainError `OVER_LIMIT` */
const ensureRoom = (state: TenantsState, tenantId: string, size: number, users: number): void => {
  if (users > STATUS_LIMITS.usersPerTenant.value) throw overLimit('usersPerTenant');
  if (size > STATUS_LIMITS.tenantSize.value) throw overLimit('tenantSize');
  state.sizes.ensureRoom(tenantId, size, { count: 'tenants', total: 'tenantsSize' });
};

/** Checks the room for all that a caller writes of a tenant at once. @throws DomainError `OVER_LIMIT` */
const ensureRoomForAll = (state: TenantsState, { tenantId, info, databases, topology, users }: ContentOf<'RegisterTenant'>): void => {
  const ofUsers = users.reduce((sum, user) => sum + userSize(user), 0);
  ensureRoom(state, tenantId, tenantSize({ ...info, databases, topology }) + ofUsers, users.length);
};

const added = (tenantId: string, { userId, name, email, apiKey, apiKeyHash, roles }: TenantUser): TenantEvent => ({
  type: 'TenantUserAdded',
  data: { tenantId, userId, name, email, apiKey, apiKeyHash, roles },
});

const sameProfile = (a: UserProfile, b: UserProfile): boolean =>
  a.name === b.name && a.email === b.email && a.roles.length === b.roles.length && a.roles.every((role, index) => role === b.roles[index]);

type ContentOf<Type> = Omit<Extract<TenantCommand, { type: Type }>, 'type'>;

const register = (content: ContentOf<'RegisterTenant'>, state: TenantsState): TenantEvent[] => {
  const { tenantId, info, databases, topology, users } = content;
  ensureRoomForAll(state, content);
  requireFreeName(state, info.name);
  requireFreeKeys(state, users, NOBODY);
  return [
    { type: 'TenantRegistered', data: { tenantId, ...infoOf(info), topology, databases } },
    ...users.map((user) => added(tenantId, user)),
  ];
};

/** Users are matched by their keys: those whose key is in the list stay, those whose key is not are removed, and all others of the list are new. */
const revise = (content: ContentOf<'ReviseTenant'>, state: TenantsState): TenantEvent[] => {
  const { tenantId, info, databases, topology, users } = content;
  const known = tenantOf(state, tenantId);
  ensureRoomForAll(state, content);
  requireFreeKeys(state, users, known.users);
  if (info.name !== known.name) requireFreeName(state, info.name);

  const leaving = new Map(known.users);
  const userIds: string[] = [];
  const changes: TenantEvent[] = [];
  for (const user of users) {
    const userId = state.keys.get(user.apiKeyHash) ?? user.userId;
    const before = known.users.get(userId);
    const { name, email, roles } = user;
    if (!before) changes.push(added(tenantId, user));
    else if (!sameProfile(before, user)) changes.push({ type: 'TenantUserRevised', data: { tenantId, userId, name, email, roles } });
    leaving.delete(userId);
    userIds.push(userId);
  }
  return [
    ...[...leaving.keys()].map((userId): TenantEvent => ({ type: 'TenantUserRemoved', data: { tenantId, userId } })),
    ...changes,
    { type: 'TenantRevised', data: { tenantId, ...infoOf(info), topology, databases, userIds } },
  ];
};

const infoOf = ({ name, email, description, image, website }: TenantInfo): TenantInfo => ({ name, email, description, image, website });

const reviseUser = ({ tenantId, userId, changes, key }: ContentOf<'ReviseTenantUser'>, state: TenantsState): TenantEvent[] => {
  const before = userOf(state, { tenantId, userId });
  if (key) requireFreeKeys(state, [key], new Set([userId]));
  const roles = changes.roles.length > 0 ? changes.roles : before.roles;
  const data = { tenantId, userId, name: changes.name || before.name, email: changes.email || before.email, roles };
  const { users } = tenantOf(state, tenantId);
  ensureRoom(state, tenantId, state.sizes.of(tenantId) - before.size + userSize({ ...data, ...key }), users.size);
  const revised: TenantEvent = { type: 'TenantUserRevised', data };
  return key && key.apiKeyHash !== before.apiKeyHash ? [revised, renewed(tenantId, userId, key)] : [revised];
};

const renewed = (tenantId: string, userId: string, { apiKey, apiKeyHash }: Pick<TenantUser, 'apiKey' | 'apiKeyHash'>): TenantEvent => ({
  type: 'TenantUserKeyRenewed',
  data: { tenantId, userId, apiKey, apiKeyHash },
});

/** Every accepted command is recorded, even if it changes nothing: it sets the time of the tenant's last update. */
const decide = (command: TenantCommand, state: TenantsState): readonly TenantEvent[] => {
  const { tenantId } = command;
  switch (command.type) {
    case 'RegisterTenant':
      return register(command, state);
    case 'ReviseTenant':
      return revise(command, state);
    case 'DeleteTenant':
      return [{ type: 'TenantDeleted', data: { tenantId, userIds: [...tenantOf(state, tenantId).users.keys()] } }];
    case 'AddTenantUser': {
      const { users } = tenantOf(state, tenantId);
      ensureRoom(state, tenantId, state.sizes.of(tenantId) + userSize(command.user), users.size + 1);
      requireFreeKeys(state, [command.user], NOBODY);
      return [added(tenantId, command.user)];
    }
    case 'ReviseTenantUser':
      return reviseUser(command, state);
    case 'RemoveTenantUser':
      return [{ type: 'TenantUserRemoved', data: { tenantId, userId: userOf(state, command).userId } }];
    case 'RenewTenantUserKey':
      requireFreeKeys(state, [command.key], new Set([userOf(state, command).userId]));
      return [renewed(tenantId, command.userId, command.key)];
    case 'ReportTenantEngineStatus':
      tenantOf(state, tenantId);
      sizeWithin('engineStatusSize', command.status, RECORD_DEPTH + 1);
      return [{ type: 'TenantEngineStatusReported', data: { tenantId, status: command.status } }];
  }
};

const keep = (state: TenantsState, tenantId: string, user: KnownUser): void => {
  const { users } = tenantOf(state, tenantId);
  const before = users.get(user.userId);
  state.sizes.set(tenantId, state.sizes.of(tenantId) - (before?.size ?? 0) + user.size);
  if (before) state.keys.delete(before.apiKeyHash);
  users.set(user.userId, user);
  state.keys.set(user.apiKeyHash, user.userId);
};

const evolve = (state: TenantsState, event: TenantEvent): TenantsState => {
  const { tenantId } = event.data;
  switch (event.type) {
    case 'TenantRegistered':
      state.tenants.set(tenantId, { name: event.data.name, own: tenantSize(event.data), users: new Map() });
      state.sizes.set(tenantId, tenantSize(event.data));
      state.names.add(event.data.name);
      return state;
    case 'TenantRevised': {
      const tenant = tenantOf(state, tenantId);
      state.names.delete(tenant.name);
      state.names.add(event.data.name);
      tenant.name = event.data.name;
      const own = tenantSize(event.data);
      state.sizes.set(tenantId, state.sizes.of(tenantId) - tenant.own + own);
      tenant.own = own;
      return state;
    }
    case 'TenantDeleted': {
      const { name, users } = tenantOf(state, tenantId);
      state.names.delete(name);
      for (const { apiKeyHash } of users.values()) state.keys.delete(apiKeyHash);
      state.tenants.delete(tenantId);
      state.sizes.delete(tenantId);
      return state;
    }
    case 'TenantUserAdded': {
      const { userId, name, email, roles, apiKeyHash } = event.data;
      keep(state, tenantId, { userId, name: name ?? '', email: email ?? '', roles, apiKeyHash, size: userSize(event.data) });
      return state;
    }
    case 'TenantUserRevised': {
      const { name, email, roles } = event.data;
      const { userId, apiKeyHash } = userOf(state, event.data);
      keep(state, tenantId, { userId, name: name ?? '', email: email ?? '', roles, apiKeyHash, size: userSize(event.data) });
      return state;
    }
    case 'TenantUserKeyRenewed':
      keep(state, tenantId, { ...userOf(state, event.data), apiKeyHash: event.data.apiKeyHash });
      return state;
    case 'TenantUserRemoved': {
      const { userId, apiKeyHash, size } = userOf(state, event.data);
      state.keys.delete(apiKeyHash);
      tenantOf(state, tenantId).users.delete(userId);
      state.sizes.set(tenantId, state.sizes.of(tenantId) - size);
      return state;
    }
    case 'TenantEngineStatusReported':
      return state;
  }
};

/**
 * The rules of tenants and their users (status contract 8.2, 8.4, 9). Rejects with `TENANT_NOT_FOUND`, `TENANT_USER_NOT_FOUND`, `OVER_LIMIT`,
 * `TENANT_NAME_TAKEN` and `API_KEY_TAKEN` (details `apiKey`: of the first offender in list order). A registration checks the name before the keys,
 * a revision the keys before the name.
 */
export const tenants: Decider<TenantsState, TenantCommand, TenantEvent> = {
  snapshots: {
    name: 'tenants',
    version: 1,
    ...sizesAsMap<TenantsState>(),
    subjects: ({ tenants }) =>
      [...tenants.values()].flatMap(({ users }) =>
        [...users.values()].flatMap(({ userId, name, email }) => (name || email ? [userSubject(userId)] : [])),
      ),
  },
  initialState: () => ({ tenants: new Map(), names: new Set(), keys: new Map(), sizes: new Sizes() }),
  decide,
  evolve,
};
