import { requireRoom, requireSize } from '#domain/accounting/limits.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { AccessCommand, OidcTenantChanges } from './access-commands.js';
import { type AccessEvent, type OidcTenant, oidcTenantSubject } from './access-events.js';
import { actorIdOf, sameIssuer } from './clients.js';

/** `assigned`: assignment id by actor id. */
type KnownEntitlement = { name: string; readonly assigned: Map<string, string> };

/**
 * Clients, entitlements and tenants by id, and the names in use. Tenant secrets are included. A secret is `null` once it is erased, which happens
 * after its tenant is deleted.
 */
type AccessState = Readonly<{
  /** Number of entitlements by client id. */
  actors: Map<string, number>;
  /** Ids that migrated clients would have had if they had registered here. */
  broughtOver: Set<string>;
  entitlements: Map<string, KnownEntitlement>;
  names: Set<string>;
  tenants: Map<string, OidcTenant>;
  settings: Map<string, string>;
}>;

type Of<Type extends AccessCommand['type']> = Extract<AccessCommand, { type: Type }>;

const entitlementOf = (state: AccessState, id: string): KnownEntitlement => {
  const entitlement = state.entitlements.get(id);
  if (!entitlement) throw new DomainError('ENTITLEMENT_NOT_FOUND', { id });
  return entitlement;
};

const tenantOf = (state: AccessState, id: string): OidcTenant => {
  const tenant = state.tenants.get(id);
  if (!tenant) throw new DomainError('OIDC_TENANT_NOT_FOUND', { id });
  return tenant;
};

const others = ({ tenants }: AccessState, own?: string): OidcTenant[] =>
  [...tenants].flatMap(([id, tenant]) => (id === own ? [] : [tenant]));

/** Whether another tenant has the issuer, compared as those of tokens are. */
const isIssuerTaken = (state: AccessState, issuer: string, own?: string): boolean =>
  others(state, own).some((tenant) => sameIssuer(tenant.issuer, issuer));

/** Whether another tenant has the id, ignoring letter case. */
const isIdTaken = (state: AccessState, tenantId: string, own?: string): boolean =>
  others(state, own).some((tenant) => tenant.tenant_id.toLowerCase() === tenantId.toLowerCase());

/** A client is registered once, under either id. */
const register = (command: Of<'RegisterClient'>, state: AccessState): AccessEvent[] => {
  const { actorId, oidcId, issuer, name, email } = command;
  const isKnown = [actorId, actorIdOf(issuer, oidcId)].some((id) => state.actors.has(id) || state.broughtOver.has(id));
  return isKnown ? [] : [{ type: 'ClientRegistered', data: { actorId, oidcId, issuer, name, email } }];
};

const rename = ({ entitlementId, name }: Of<'RenameEntitlement'>, state: AccessState): AccessEvent[] => {
  const { name: before } = entitlementOf(state, entitlementId);
  if (name === before) return [];
  if (state.names.has(name)) throw new DomainError('ENTITLEMENT_NAME_IN_USE');
  requireSize({ name }, { name: before });
  return [{ type: 'EntitlementRenamed', data: { entitlementId, name } }];
};

const assign = ({ assignmentId, entitlementId, actorId }: Of<'AssignEntitlement'>, state: AccessState): AccessEvent[] => {
  const { assigned } = entitlementOf(state, entitlementId);
  if (!state.actors.has(actorId)) throw new DomainError('ACTOR_NOT_FOUND', { id: actorId });
  if (assigned.has(actorId)) throw new DomainError('ENTITLEMENT_ASSIGNED_ALREADY');
  requireRoom('entitlementsPerClient', state.actors.get(actorId) ?? 0);
  return [{ type: 'EntitlementAssigned', data: { assignmentId, entitlementId, actorId } }];
};

const dissociate = ({ entitlementId, actorId }: Of<'DissociateEntitlement'>, state: AccessState): AccessEvent[] => {
  const { assigned } = entitlementOf(state, entitlementId);
  if (!state.actors.has(actorId)) throw new DomainError('ACTOR_NOT_FOUND', { id: actorId });
  const assignmentId = assigned.get(actorId);
  if (assignmentId === undefined) throw new DomainError('ENTITLEMENT_NOT_ASSIGNED');
  return [{ type: 'EntitlementDissociated', data: { assignmentId, entitlementId, actorId } }];
};

const createTenant = ({ oidcTenantId, tenant }: Of<'CreateOidcTenant'>, state: AccessState): AccessEvent[] => {
  const { issuer, tenant_id } = tenant;
  if (isIssuerTaken(state, issuer)) throw new DomainError('ISSUER_TAKEN', { issuer });
  if (isIdTaken(state, tenant_id)) throw new DomainError('TENANT_ID_TAKEN', { tenantId: tenant_id });
  requireRoom('oidcTenants', state.tenants.size);
  requireSize(tenant);
  return [{ type: 'OidcTenantCreated', data: { oidcTenantId, ...tenant } }];
};

const changedTenant = (before: OidcTenant, changes: OidcTenantChanges): OidcTenant | undefined => {
  const after = { ...before, ...changes };
  const isSame = (Object.keys(before) as (keyof OidcTenant)[]).every((member) => after[member] === before[member]);
  return isSame ? undefined : after;
};

const reviseTenant = ({ oidcTenantId, changes }: Of<'ReviseOidcTenant'>, state: AccessState): AccessEvent[] => {
  const before = tenantOf(state, oidcTenantId);
  const after = changedTenant(before, changes);
  if (!after) return [];
  const isMoved = after.issuer !== before.issuer; // issuers of older tenants may differ by a trailing slash alone
  if (isMoved && isIssuerTaken(state, after.issuer, oidcTenantId)) throw new DomainError('ISSUER_IN_USE');
  if (isIdTaken(state, after.tenant_id, oidcTenantId)) throw new DomainError('TENANT_ID_IN_USE');
  requireSize(after, before);
  return [{ type: 'OidcTenantRevised', data: { oidcTenantId, ...after } }];
};

const decide = (command: AccessCommand, state: AccessState): readonly AccessEvent[] => {
  switch (command.type) {
    case 'RegisterClient':
      return register(command, state);
    case 'CreateEntitlement': {
      const { entitlementId, name } = command;
      if (state.names.has(name)) throw new DomainError('ENTITLEMENT_NAME_TAKEN', { name });
      requireSize({ name });
      return [{ type: 'EntitlementCreated', data: { entitlementId, name } }];
    }
    case 'RenameEntitlement':
      return rename(command, state);
    case 'DeleteEntitlement': {
      const { entitlementId } = command;
      if (entitlementOf(state, entitlementId).assigned.size > 0) throw new DomainError('ENTITLEMENT_ASSIGNED');
      return [{ type: 'EntitlementDeleted', data: { entitlementId } }];
    }
    case 'AssignEntitlement':
      return assign(command, state);
    case 'DissociateEntitlement':
      return dissociate(command, state);
    case 'CreateOidcTenant':
      return createTenant(command, state);
    case 'ReviseOidcTenant':
      return reviseTenant(command, state);
    case 'DeleteOidcTenant': {
      const { oidcTenantId } = command;
      tenantOf(state, oidcTenantId);
      return [{ type: 'OidcTenantDeleted', data: { oidcTenantId } }];
    }
    case 'ChangeSetting': {
      const { key, value } = command;
      return state.settings.get(key) === value ? [] : [{ type: 'SettingChanged', data: { key, value } }];
    }
  }
};

const evolve = (state: AccessState, event: AccessEvent): AccessState => {
  switch (event.type) {
    case 'ClientRegistered': {
      const { actorId, issuer, oidcId } = event.data;
      const ownId = actorIdOf(issuer, oidcId);
      state.actors.set(actorId, 0);
      if (actorId !== ownId) state.broughtOver.add(ownId);
      return state;
    }
    case 'EntitlementCreated':
      state.entitlements.set(event.data.entitlementId, { name: event.data.name, assigned: new Map() });
      state.names.add(event.data.name);
      return state;
    case 'EntitlementRenamed': {
      const entitlement = entitlementOf(state, event.data.entitlementId);
      state.names.delete(entitlement.name);
      state.names.add(event.data.name);
      entitlement.name = event.data.name;
      return state;
    }
    case 'EntitlementDeleted':
      state.names.delete(entitlementOf(state, event.data.entitlementId).name);
      state.entitlements.delete(event.data.entitlementId);
      return state;
    case 'EntitlementAssigned':
      entitlementOf(state, event.data.entitlementId).assigned.set(event.data.actorId, event.data.assignmentId);
      state.actors.set(event.data.actorId, (state.actors.get(event.data.actorId) ?? 0) + 1);
      return state;
    case 'EntitlementDissociated':
      entitlementOf(state, event.data.entitlementId).assigned.delete(event.data.actorId);
      state.actors.set(event.data.actorId, (state.actors.get(event.data.actorId) ?? 1) - 1);
      return state;
    case 'OidcTenantCreated':
    case 'OidcTenantRevised': {
      const { oidcTenantId, ...tenant } = event.data;
      state.tenants.set(oidcTenantId, tenant);
      return state;
    }
    case 'OidcTenantDeleted':
      state.tenants.delete(event.data.oidcTenantId);
      return state;
    case 'SettingChanged':
      state.settings.set(event.data.key, event.data.value);
      return state;
  }
};

/**
 * The rules of clients, entitlements, OIDC tenants and settings (accounting contract 2.5 to 2.7, 3.9, 3.10, 3.12, 3.13). Rejects with
 * `ENTITLEMENT_NOT_FOUND`, `ACTOR_NOT_FOUND`, `OIDC_TENANT_NOT_FOUND` (details `id`), `ENTITLEMENT_NAME_TAKEN` (`name`), `ENTITLEMENT_NAME_IN_USE`,
 * `ENTITLEMENT_ASSIGNED`, `ENTITLEMENT_ASSIGNED_ALREADY`, `ENTITLEMENT_NOT_ASSIGNED`, `ISSUER_TAKEN` (`issuer`), `TENANT_ID_TAKEN` (`tenantId`),
 * `ISSUER_IN_USE`, `TENANT_ID_IN_USE` and, checked last, `OVER_LIMIT`. Callers check whether a setting allows a value.
 */
export const access: Decider<AccessState, AccessCommand, AccessEvent> = {
  snapshots: {
    name: 'access',
    version: 2,
    subjects: ({ tenants }) => [...tenants].flatMap(([id, { secret }]) => (secret ? [oidcTenantSubject(id)] : [])),
  },
  initialState: () => ({
    actors: new Map(),
    broughtOver: new Set(),
    entitlements: new Map(),
    names: new Set(),
    tenants: new Map(),
    settings: new Map(),
  }),
  decide,
  evolve,
};
