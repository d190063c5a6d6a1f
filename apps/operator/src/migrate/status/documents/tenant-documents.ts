import { ensureReadinessSize, type InputReadiness, type Readiness } from '#domain/status/tenants/readiness.js';
import type { DatabaseConfiguration, TenantInfo, UserProfile } from '#domain/status/tenants/tenants.js';
import { DocumentRefused } from '#operator/migrate/migration.js';
import {
  allTextsIn,
  type Fields,
  fieldsIn,
  fieldsListIn,
  flagIn,
  integerIn,
  partIn,
  quietly,
  textIn,
  textsIn,
} from '#operator/migrate/read/fields.js';
import { derivedId } from '#operator/migrate/write/event-ids.js';
import { idIn, instantIn, madeAt } from './members.js';

/** A user of a tenant. `apiKey` is empty if the original has none. */
export type ExportedUser = UserProfile & Readonly<{ userId: string; apiKey: string }>;

export type ExportedTenant = Readonly<{
  tenantId: string;
  info: TenantInfo;
  databases: readonly DatabaseConfiguration[];
  topology: Readonly<{ type: string; feed: string }>;
  users: readonly ExportedUser[];
  /** True if the tenant is a node of a federation. */
  isNode: boolean;
  /** `undefined` if it was never reported, is too large or has another form. */
  readiness: Readiness | undefined;
  created: string;
  updated: string;
}>;

/** Ids of tenants, which sort as UUIDs. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const port = (fields: Fields): number =>
  typeof fields.port === 'string' ? Number.parseInt(fields.port, 10) || 0 : integerIn(fields, 'port', 0);

const databaseIn = (fields: Fields): DatabaseConfiguration => ({
  ...allTextsIn(fields, 'store', 'server'),
  port: port(fields),
  ...allTextsIn(fields, 'database', 'username', 'password'),
});

/** Users of old releases have no id; they get one that is the same in every run. */
const userIn = (tenantId: string, fields: Fields, index: number): ExportedUser => ({
  userId: textIn(fields, 'id') === '' ? derivedId('status', 'user', tenantId, index) : idIn(fields),
  ...allTextsIn(fields, 'name', 'email'),
  roles: textsIn(fields, 'roles'),
  apiKey: textIn(fields, 'api_key'),
  ...(textIn(fields, 'component') === '' ? {} : { component: textIn(fields, 'component') }),
});

/** An early build of 2026 has a document `{id, name}` instead of the flag. @throws WrongField */
const isNode = (fields: Fields): boolean => {
  if (typeof fields.node !== 'object') return flagIn(fields, 'node');
  const node = partIn(fields, 'node');
  return textIn(node, 'id') !== '' || textIn(node, 'name') !== '';
};

const readyIn = (fields: Fields, name: string): InputReadiness => {
  const part = partIn(fields, name);
  return { ready: flagIn(part, 'ready'), message: textIn(part, 'message') };
};

/** `undefined` if it was never reported. @throws WrongField, DomainError `OVER_LIMIT` */
export const readinessIn = (fields: Fields): Readiness | undefined => {
  const ready = fieldsIn(fields, 'ready');
  if (!ready) return undefined;
  const readiness = {
    data: readyIn(ready, 'data'),
    topology: readyIn(ready, 'topology'),
    reports: readyIn(ready, 'reports'),
    last_check: textIn(ready, 'last_check'),
  };
  ensureReadinessSize(readiness);
  return readiness;
};

/** The original's database of a tenant's own data: the first one counts; `undefined` if the tenant has none. @throws WrongField */
export const databaseOf = (fields: Fields): string | undefined => {
  const [first] = fieldsListIn(fields, 'db_conf');
  return (first && textIn(first, 'database')) || undefined;
};

/** @throws Refused, WrongField */
export const tenantDocument = (fields: Fields): ExportedTenant => {
  const tenantId = idIn(fields);
  if (!UUID.test(tenantId)) throw new DocumentRefused('id must be a UUID');
  const info = partIn(fields, 'info');
  const name = textIn(info, 'name');
  if (name === '') throw new DocumentRefused('it has no name');
  const topology = partIn(fields, 'topology');
  const created = instantIn(textIn(info, 'created')) ?? madeAt(fields);
  return {
    tenantId,
    info: { name, ...allTextsIn(info, 'email', 'description', 'image', 'website') },
    databases: fieldsListIn(fields, 'db_conf').map(databaseIn),
    topology: allTextsIn(topology, 'type', 'feed'),
    users: fieldsListIn(fields, 'users').map((user, index) => userIn(tenantId, user, index)),
    isNode: isNode(fields),
    readiness: quietly(() => readinessIn(fields)),
    created,
    updated: instantIn(textIn(info, 'updated')) ?? created,
  };
};
