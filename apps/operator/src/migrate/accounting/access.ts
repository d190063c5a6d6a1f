import { ACCESS_STREAM, type OidcTenant, oidcTenantOf } from '#domain/accounting/access/access-events.js';
import { access } from '#domain/accounting/access/access-rules.js';
import { SETTINGS } from '#domain/accounting/access/access-settings.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { storedObjectId } from '#domain/accounting/object-id.js';
import { DomainError } from '#domain/shared/decider.js';
import { DocumentRefused, LeftOut, madeAt, type TakeDocument } from '../migration.js';
import { allTextsIn, type Fields, nameIn, textIn, textOrNull } from '../read/fields.js';
import { decides } from '../table.js';
import { anyId, recordId } from './ids.js';
import { type AccountingMigration, type AccountingRow, NOTHING } from './row.js';

const to = { stream: ACCESS_STREAM, decider: access };

const camelCased = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const oidcTenantIn = (fields: Fields): OidcTenant => ({
  ...oidcTenantOf((member) => (member === 'issuer' || member === 'tenant_id' ? nameIn : textIn)(fields, camelCased(member))),
  entitlement_management: textOrNull(fields, 'entitlementManagement'),
});

const changeSetting = (fields: Fields) => {
  const [key, value] = [nameIn(fields, 'key'), nameIn(fields, 'value')];
  const setting = SETTINGS.find((known) => known.key === key);
  if (!setting) throw new DocumentRefused(`there is no setting ${key}`);
  if (!setting.allowed.includes(value)) throw new DocumentRefused(`the setting takes ${setting.allowed.join(' or ')}`);
  return { type: 'ChangeSetting', key, value } as const;
};

/** The id that an actor would get by registering here. */
const ownIdOf = (fields: Fields): string => actorIdOf(nameIn(fields, 'issuer'), nameIn(fields, 'oidc_id'));

const takeActor = ({ writer, report, found: { clients } }: AccountingMigration): TakeDocument => {
  /** Clients taken over, by the ids derived from their claims. */
  const taken = new Map<string, string>();
  return async ({ fields, origin, place }) => {
    const [issuer, oidcId] = [nameIn(fields, 'issuer'), nameIn(fields, 'oidc_id')];
    const ownId = ownIdOf(fields);
    const other = taken.get(ownId);
    if (other !== undefined) {
      clients.set(anyId(fields), other);
      throw new DocumentRefused('another actor has the same issuer and oidc_id: what it holds is assigned to that one');
    }
    const given = storedObjectId(anyId(fields));
    const isRegistered = (await writer.state(to.stream, to.decider)).actors.has(ownId);
    const actorId = isRegistered || given === undefined ? ownId : given;
    const command = { type: 'RegisterClient', actorId, oidcId, issuer, ...allTextsIn(fields, 'name', 'email') } as const;
    const written = await writer.decide({ origin, ...to, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
    taken.set(ownId, actorId);
    clients.set(anyId(fields), actorId);
    if (isRegistered) report.changed(place, `a client of this issuer and oidc_id is registered: its id is ${actorId}`);
    else if (given === undefined) report.changed(place, `its _id is not 24 hexadecimal characters: its id is ${actorId}`);
    return written;
  };
};

const takeEntitlement =
  ({ writer, found: { entitlements } }: AccountingMigration): TakeDocument =>
  async ({ fields, origin }) => {
    const [entitlementId, name] = [recordId(fields), nameIn(fields, 'name')];
    const command = { type: 'CreateEntitlement', entitlementId, name } as const;
    try {
      return await writer.decide({ origin, ...to, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'ENTITLEMENT_NAME_TAKEN') throw error;
      const known = await writer.state(to.stream, to.decider);
      for (const [id, other] of known.entitlements) if (other.name === name) entitlements.set(entitlementId, id);
      throw new DocumentRefused('another entitlement has the same name: its assignments are those of that one');
    }
  };

const assignEntitlement = (fields: Fields, { found }: AccountingMigration) => {
  const actorId = found.clients.get(nameIn(fields, 'actor_id'));
  if (actorId === undefined) throw new DocumentRefused('its actor is not there');
  const given = nameIn(fields, 'entitlement_id').toLowerCase();
  const entitlementId = found.entitlements.get(given) ?? given;
  return { type: 'AssignEntitlement', assignmentId: recordId(fields), entitlementId, actorId } as const;
};

const assign = decides(to, (fields, _document, migration: AccountingMigration) => assignEntitlement(fields, migration), 'assigned_at');

/** Two entitlements of one name are one, so a client may have been assigned it already. */
const takeAssignment =
  (migration: AccountingMigration): TakeDocument =>
  async (document) => {
    try {
      return await assign(migration)(document);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'ENTITLEMENT_ASSIGNED_ALREADY')
        throw new LeftOut('its client has the entitlement of that name already');
      throw error;
    }
  };

export const accessRows: readonly AccountingRow[] = [
  {
    collection: 'OidcTenantConfig',
    take: decides(to, (fields) => ({ type: 'CreateOidcTenant', oidcTenantId: recordId(fields), tenant: oidcTenantIn(fields) }) as const),
    compared: {
      expected: ({ fields }) => {
        const { secret: _, ...shown } = oidcTenantIn(fields); // never shown
        return shown;
      },
      found: ({ fields }, { queries }) => queries.access.oidcTenant(recordId(fields)),
    },
  },
  { collection: 'Setting', take: decides(to, changeSetting) },
  {
    collection: 'Entitlement',
    take: takeEntitlement,
    compared: {
      expected: ({ fields }) => ({ id: recordId(fields), name: nameIn(fields, 'name') }),
      found: ({ fields }, { queries }) => queries.access.entitlement(recordId(fields)),
    },
    counted: async ({ queries }) => (await queries.access.entitlements(NOTHING)).total,
  },
  {
    collection: 'Actor',
    take: takeActor,
    compared: {
      expected: ({ fields, place }, { migration }) => ({ id: migration.report.isChanged(place) ? ownIdOf(fields) : recordId(fields) }),
      found: async ({ fields }, { queries }) => {
        const id = (await queries.access.broughtOver(ownIdOf(fields))) ?? ownIdOf(fields);
        return (await queries.access.assignedTo(id)) && { id };
      },
    },
    counted: async ({ queries }) => (await queries.access.clients(NOTHING)).total,
  },
  {
    collection: 'ActorEntitlements',
    take: takeAssignment,
    counted: async ({ queries }) => (await queries.access.assignments(NOTHING)).total,
  },
];
