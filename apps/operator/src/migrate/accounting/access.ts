import { ACCESS_STREAM, type OidcTenant, oidcTenantOf } from '#domain/accounting/access/access-events.js';
import { access as rules } from '#domain/accounting/access/access-rules.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DocumentRefused, type ExportedDocument, type Migration, madeAt } from '../migration.js';
import { allTextsIn, type Fields, nameIn, textIn } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { anyId, recordId } from './ids.js';

const access = { stream: ACCESS_STREAM, decider: rules };

/** Ids of clients, by `_id` in the original. */
type Clients = Map<string, string>;

const camelCased = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

export const oidcTenantIn = (fields: Fields): OidcTenant =>
  oidcTenantOf((member) => (member === 'issuer' || member === 'tenant_id' ? nameIn : textIn)(fields, camelCased(member)));

const changeSetting = (fields: Fields) => {
  const [key, value] = [nameIn(fields, 'key'), nameIn(fields, 'value')];
  const setting = SETTINGS.find((known) => known.key === key);
  if (!setting) throw new DocumentRefused(`there is no setting ${key}`);
  if (!setting.allowed.includes(value)) throw new DocumentRefused(`the setting takes ${setting.allowed.join(' or ')}`);
  return { type: 'ChangeSetting', key, value } as const;
};

const takeActor = ({ writer, report }: Migration, clients: Clients) => {
  /** Clients taken over, by the ids derived from their claims. */
  const taken = new Map<string, string>();
  return async ({ fields, origin, place }: ExportedDocument): Promise<WriteResult> => {
    const [issuer, oidcId] = [nameIn(fields, 'issuer'), nameIn(fields, 'oidc_id')];
    const ownId = actorIdOf(issuer, oidcId);
    const other = taken.get(ownId);
    if (other !== undefined) {
      clients.set(anyId(fields), other);
      throw new DocumentRefused('another actor has the same issuer and oidc_id: what it holds is assigned to that one');
    }
    const given = storedObjectId(anyId(fields));
    const isRegistered = (await writer.state(access.stream, access.decider)).actors.has(ownId);
    const actorId = isRegistered || given === undefined ? ownId : given;
    const command = { type: 'RegisterClient', actorId, oidcId, issuer, ...allTextsIn(fields, 'name', 'email') } as const;
    const written = await writer.decide({ origin, ...access, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
    taken.set(ownId, actorId);
    clients.set(anyId(fields), actorId);
    if (isRegistered) report.changed(place, `a client of this issuer and oidc_id is registered: its id is ${actorId}`);
    else if (given === undefined) report.changed(place, `its _id is not 24 hexadecimal characters: its id is ${actorId}`);
    return written;
  };
};

const assignEntitlement = (fields: Fields, clients: Clients) => {
  const actorId = clients.get(nameIn(fields, 'actor_id'));
  if (actorId === undefined) throw new DocumentRefused('its actor is not there');
  const entitlementId = nameIn(fields, 'entitlement_id').toLowerCase();
  return { type: 'AssignEntitlement', assignmentId: recordId(fields), entitlementId, actorId } as const;
};

/** Takes over OIDC tenants and settings, entitlements, clients, and assignments. */
export const takeAccess = async (migration: Migration): Promise<void> => {
  const clients: Clients = new Map();
  await migration.decideEach(
    'OidcTenantConfig',
    access,
    (fields) =>
      ({
        type: 'CreateOidcTenant',
        oidcTenantId: recordId(fields),
        tenant: oidcTenantIn(fields),
      }) as const,
  );
  await migration.decideEach('Setting', access, changeSetting);
  await migration.decideEach(
    'Entitlement',
    access,
    (fields) =>
      ({
        type: 'CreateEntitlement',
        entitlementId: recordId(fields),
        name: nameIn(fields, 'name'),
      }) as const,
  );
  await migration.each(migration.file('Actor'), takeActor(migration, clients));
  await migration.decideEach('ActorEntitlements', access, (fields) => assignEntitlement(fields, clients), 'assigned_at');
};
