import { ACCESS_STREAM, type OidcTenant } from '#domain/accounting/access/access-events.js';
import { access } from '#domain/accounting/access/access-rules.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { type ExportedDocument, type Migration, madeAt, Refused } from '../migration.js';
import { type Fields, nameIn, textIn } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { anyId, recordId } from './ids.js';

const stream = ACCESS_STREAM;
const decider = access;

/** Ids of clients, by `_id` of the original. */
export type Clients = Map<string, string>;

export const oidcTenantOf = (fields: Fields): OidcTenant => ({
  issuer: nameIn(fields, 'issuer'),
  tenant_id: nameIn(fields, 'tenantId'),
  client_id: textIn(fields, 'clientId'),
  secret: textIn(fields, 'secret'),
  authorization_path: textIn(fields, 'authorizationPath'),
  introspection_path: textIn(fields, 'introspectionPath'),
  user_info_path: textIn(fields, 'userInfoPath'),
  token_path: textIn(fields, 'tokenPath'),
  auth_server_url: textIn(fields, 'authServerUrl'),
  user_id_token_claim: textIn(fields, 'userIdTokenClaim'),
  service_id_token_claim: textIn(fields, 'serviceIdTokenClaim'),
  group_management_namespace: textIn(fields, 'groupManagementNamespace'),
  group_management_parent: textIn(fields, 'groupManagementParent'),
  entitlement_management: textIn(fields, 'entitlementManagement'),
});

const takeTenant =
  ({ writer }: Migration) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const command = { type: 'CreateOidcTenant', oidcTenantId: recordId(fields), tenant: oidcTenantOf(fields) } as const;
    return writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
  };

const takeSetting =
  ({ writer }: Migration) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const [key, value] = [nameIn(fields, 'key'), nameIn(fields, 'value')];
    const setting = SETTINGS.find((known) => known.key === key);
    if (!setting) throw new Refused(`there is no setting ${key}`);
    if (!setting.allowed.includes(value)) throw new Refused(`the setting takes ${setting.allowed.join(' or ')}`);
    const command = { type: 'ChangeSetting', key, value } as const;
    return writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
  };

const takeEntitlement =
  ({ writer }: Migration) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const command = { type: 'CreateEntitlement', entitlementId: recordId(fields), name: nameIn(fields, 'name') } as const;
    return writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
  };

const takeActor = ({ writer, report }: Migration, clients: Clients) => {
  /** Of those that were taken, by the ids that follow from their claims. */
  const taken = new Map<string, string>();
  return async ({ fields, origin, place }: ExportedDocument): Promise<WriteResult> => {
    const [issuer, oidcId] = [nameIn(fields, 'issuer'), nameIn(fields, 'oidc_id')];
    const ownId = actorIdOf(issuer, oidcId);
    const other = taken.get(ownId);
    if (other !== undefined) {
      clients.set(anyId(fields), other);
      throw new Refused('another actor has the same issuer and oidc_id: what it holds is assigned to that one');
    }
    const given = storedObjectId(anyId(fields));
    const isRegistered = (await writer.state(stream, decider)).actors.has(ownId);
    const actorId = isRegistered || given === undefined ? ownId : given;
    const command = {
      type: 'RegisterClient',
      actorId,
      oidcId,
      issuer,
      name: textIn(fields, 'name'),
      email: textIn(fields, 'email'),
    } as const;
    const written = await writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
    taken.set(ownId, actorId);
    clients.set(anyId(fields), actorId);
    if (isRegistered) report.changed(place, `a client of this issuer and oidc_id is registered: its id is ${actorId}`);
    else if (given === undefined) report.changed(place, `its _id is not 24 hexadecimal characters: its id is ${actorId}`);
    return written;
  };
};

const takeAssignment =
  ({ writer }: Migration, clients: Clients) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const actorId = clients.get(nameIn(fields, 'actor_id'));
    if (actorId === undefined) throw new Refused('its actor is not there');
    const entitlementId = nameIn(fields, 'entitlement_id').toLowerCase();
    const command = { type: 'AssignEntitlement', assignmentId: recordId(fields), entitlementId, actorId } as const;
    return writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'assigned_at') }] });
  };

/** OIDC tenants and settings, entitlements, clients, and who holds what. */
export const takeAccess = async (migration: Migration): Promise<Clients> => {
  const clients: Clients = new Map();
  await migration.each(migration.file('OidcTenantConfig'), takeTenant(migration));
  await migration.each(migration.file('Setting'), takeSetting(migration));
  await migration.each(migration.file('Entitlement'), takeEntitlement(migration));
  await migration.each(migration.file('Actor'), takeActor(migration, clients));
  await migration.each(migration.file('ActorEntitlements'), takeAssignment(migration, clients));
  return clients;
};
