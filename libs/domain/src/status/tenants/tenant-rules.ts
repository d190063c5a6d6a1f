import { type Decider, DomainError } from '#domain/shared/decider.js';
import { overLimit, Sizes, STATUS_LIMITS, sizesAsMap } from '#domain/status/limits.js';
import { ensureEngineStatusSize } from './engine-status.js';
import { ensureReadinessSize } from './readiness.js';
import { databasesSize, infoSize, keySize, type PartSizes, partSizes, sizeOfParts, topologySize, userSize } from './tenant-sizes.js';
import { evolve, type TenantsState, tenantOf, userOf } from './tenant-state.js';
import { type TenantCommand, type TenantEvent, type TenantInfo, type TenantUser, type UserProfile, userSubject } from './tenants.js';

const requireFreeName = (state: TenantsState, name: string): void => {
  if (state.names.has(name)) throw new DomainError('TENANT_NAME_TAKEN');
};

/** A key is taken if a user other than `own` has it or the list repeats it. @throws DomainError `API_KEY_TAKEN` for the first such user */
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

/** A tenant that is already too large may stay so, and shrink. @throws DomainError `OVER_LIMIT` */
const ensureRoom = (state: TenantsState, tenantId: string, size: number, users: number): void => {
  const usersBefore = state.tenants.get(tenantId)?.users.size ?? 0;
  if (users > Math.max(usersBefore, STATUS_LIMITS.usersPerTenant.value)) throw overLimit('usersPerTenant');
  if (size > Math.max(state.sizes.of(tenantId), STATUS_LIMITS.tenantSize.value)) throw overLimit('tenantSize');
  state.sizes.ensureRoom(tenantId, size, { count: 'tenants', total: 'tenantsSize' });
};

/** Checks the room for everything that a caller writes about a tenant at once. @throws DomainError `OVER_LIMIT` */
const ensureRoomForAll = (state: TenantsState, { tenantId, info, databases, topology, users }: ContentOf<'RegisterTenant'>): void => {
  const ofUsers = users.reduce((sum, user) => sum + userSize(user, keySize(user.apiKey)), 0);
  ensureRoom(state, tenantId, sizeOfParts(partSizes({ ...info, databases, topology })) + ofUsers, users.length);
};

/** Checks the room for replacing one part. @throws DomainError `OVER_LIMIT` */
const ensureRoomForPart = (state: TenantsState, tenantId: string, part: Partial<PartSizes>): void => {
  const { parts, users } = tenantOf(state, tenantId);
  const size = state.sizes.of(tenantId) - sizeOfParts(parts) + sizeOfParts({ ...parts, ...part });
  ensureRoom(state, tenantId, size, users.size);
};

const added = (tenantId: string, { userId, apiKey, apiKeyHash, ...profile }: TenantUser): TenantEvent => {
  const { name, email, ...more } = profileOf(profile);
  return { type: 'TenantUserAdded', data: { tenantId, userId, name, email, apiKey, apiKeyHash, ...more } };
};

const profileOf = ({ name, email, roles, component }: UserProfile): UserProfile => ({
  name,
  email,
  roles,
  ...(component ? { component } : {}),
});

const sameProfile = (a: UserProfile, b: UserProfile): boolean =>
  a.name === b.name &&
  a.email === b.email &&
  (a.component ?? '') === (b.component ?? '') &&
  a.roles.length === b.roles.length &&
  a.roles.every((role, index) => role === b.roles[index]);

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

/** Matches users by their keys: users whose key is in the list stay, the others are removed, and the remaining users of the list are new. */
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
    if (!before) changes.push(added(tenantId, user));
    else if (!sameProfile(before, user)) changes.push({ type: 'TenantUserRevised', data: { tenantId, userId, ...profileOf(user) } });
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
  const component = changes.component || before.component;
  const profile = profileOf({
    name: changes.name || before.name,
    email: changes.email || before.email,
    roles,
    ...(component && { component }),
  });
  const data = { tenantId, userId, ...profile };
  const { users } = tenantOf(state, tenantId);
  const size = userSize(data, key ? keySize(key.apiKey) : before.ofKey);
  ensureRoom(state, tenantId, state.sizes.of(tenantId) - before.size + size, users.size);
  const revised: TenantEvent = { type: 'TenantUserRevised', data };
  return key && key.apiKeyHash !== before.apiKeyHash ? [revised, renewed(tenantId, userId, key)] : [revised];
};

const renewed = (tenantId: string, userId: string, { apiKey, apiKeyHash }: Pick<TenantUser, 'apiKey' | 'apiKeyHash'>): TenantEvent => ({
  type: 'TenantUserKeyRenewed',
  data: { tenantId, userId, apiKey, apiKeyHash },
});

const renewComponentKey = ({ tenantName, component, key }: ContentOf<'RenewComponentKey'>, state: TenantsState): TenantEvent[] => {
  for (const [tenantId, { name, users }] of state.tenants) {
    if (name !== tenantName) continue;
    const user = [...users.values()].find((one) => one.component === component);
    if (!user) throw new DomainError('COMPONENT_NOT_CONFIGURED', { tenantName });
    requireFreeKeys(state, [key], new Set([user.userId]));
    return [renewed(tenantId, user.userId, key)];
  }
  throw new DomainError('NAMED_TENANT_NOT_FOUND', { name: tenantName });
};

type PartCommand = Extract<
  TenantCommand,
  {
    type:
      | 'ReviseTenantInfo'
      | 'ReplaceTenantDatabases'
      | 'ReplaceTenantTopology'
      | 'ReportTenantReadiness'
      | 'SetTenantAsNode'
      | 'UnsetTenantAsNode';
  }
>;

const revisePart = (command: PartCommand, state: TenantsState): TenantEvent => {
  const { tenantId } = command;
  const { name } = tenantOf(state, tenantId);
  switch (command.type) {
    case 'ReviseTenantInfo':
      ensureRoomForPart(state, tenantId, { info: infoSize(command.info) });
      if (command.info.name !== name) requireFreeName(state, command.info.name);
      return { type: 'TenantInfoRevised', data: { tenantId, ...infoOf(command.info) } };
    case 'ReplaceTenantDatabases':
      ensureRoomForPart(state, tenantId, { databases: databasesSize(command.databases) });
      return { type: 'TenantDatabasesReplaced', data: { tenantId, databases: command.databases } };
    case 'ReplaceTenantTopology':
      ensureRoomForPart(state, tenantId, { topology: topologySize(command.topology) });
      return { type: 'TenantTopologyReplaced', data: { tenantId, topology: command.topology } };
    case 'ReportTenantReadiness':
      ensureReadinessSize(command.readiness);
      return { type: 'TenantReadinessReported', data: { tenantId, readiness: command.readiness } };
    case 'SetTenantAsNode':
      return { type: 'TenantSetAsNode', data: { tenantId } };
    case 'UnsetTenantAsNode':
      return { type: 'TenantUnsetAsNode', data: { tenantId } };
  }
};

/** Every accepted change is recorded, even if it changes nothing, because it sets the time of the tenant's last update. */
const decide = (command: TenantCommand, state: TenantsState): readonly TenantEvent[] => {
  if (command.type === 'RenewComponentKey') return renewComponentKey(command, state);
  const { tenantId } = command;
  switch (command.type) {
    case 'RegisterTenant':
      return register(command, state);
    case 'ReviseTenant':
      return revise(command, state);
    case 'DeleteTenant':
      return [{ type: 'TenantDeleted', data: { tenantId, userIds: [...tenantOf(state, tenantId).users.keys()] } }];
    case 'RequireTenant':
      tenantOf(state, tenantId);
      return [];
    case 'AddTenantUser': {
      const { users } = tenantOf(state, tenantId);
      ensureRoom(state, tenantId, state.sizes.of(tenantId) + userSize(command.user, keySize(command.user.apiKey)), users.size + 1);
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
      ensureEngineStatusSize(command.status);
      return [{ type: 'TenantEngineStatusReported', data: { tenantId, status: command.status } }];
    default:
      return [revisePart(command, state)];
  }
};

/**
 * The rules of tenants and their users (status contract 8.2, 8.4, 9). Rejects with `TENANT_NOT_FOUND`, `TENANT_USER_NOT_FOUND`, `OVER_LIMIT`,
 * `TENANT_NAME_TAKEN` and `API_KEY_TAKEN` (details `apiKey`: that of the first such user in the list); for keys of components also with
 * `NAMED_TENANT_NOT_FOUND` and `COMPONENT_NOT_CONFIGURED` (details: the name of the tenant). A registration checks the name before the keys, a
 * revision the keys before the name.
 */
export const tenants: Decider<TenantsState, TenantCommand, TenantEvent> = {
  snapshots: {
    name: 'tenants',
    version: 3,
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
