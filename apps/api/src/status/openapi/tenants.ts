import { parameter } from '#api/shared/openapi/described.js';
import { component, doc, schema } from '#api/shared/openapi/shape.js';
import { recordMembers } from '#api/status/bodies.js';
import { database, info, topology } from '#api/status/tenants/tenant-bodies.js';
import { envelopeOf, showsOne } from './envelopes.js';

export const ID = '54f2fd5e-bb1a-492b-947d-23a25fffbfa2';
export const SENT_INFO = { name: 'EGI', email: 'ops@example.org', description: '', image: '', website: 'https://example.org' };
export const SHOWN_INFO = { ...SENT_INFO, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' };
export const SENT_USER = { name: 'ada', email: 'ada@example.org', roles: ['admin'] };
export const SHOWN_USER = {
  id: '262b2829-1fa4-4338-9cd2-68743e219c46',
  name: 'ada',
  email: 'ada@example.org',
  api_key: 'cb419838fdb949140f60916cd9b56460cfdbf8682d0fd644e22f9363a685b471',
  roles: ['admin'],
};
export const SENT_DATABASES = [{ store: 'main', server: 'db.example.org', port: 27017, database: 'egi', username: 'u', password: 'p' }];
export const SENT_TOPOLOGY = { type: 'GOCDB', feed: 'https://feed.example.org' };
export const SENT_TENANT = { info: SENT_INFO, topology: SENT_TOPOLOGY, users: [{ ...SENT_USER, api_key: 'let-me-in' }] };

const TIME = doc('text', 'YYYY-MM-DD HH:MM:SS in UTC');
/** `true`, or left out. */
const MARK = schema({ type: 'boolean', const: true });

export const INFO = component('StatusTenantInfo', { ...recordMembers(info), created: TIME, updated: TIME });
const DATABASE = component('StatusTenantDatabase', recordMembers(database));
const TOPOLOGY = component('StatusTenantTopology', recordMembers(topology), 'Where the topology comes from');

export const USER = component(
  'StatusUser',
  {
    id: 'text',
    name: 'text',
    email: 'text',
    'api_key?': doc('text', 'what the user authenticates with; not shown to restricted administrators'),
    'roles?': doc(['text'], 'such as `admin`, `editor`, `viewer`, `admin_ui`'),
    'component?': doc('text', 'for which component of a monitoring installation the user acts'),
  },
  'A user of a tenant (status contract 9)',
).shownAs(SHOWN_USER);
export const TENANT = component(
  'StatusTenant',
  {
    id: 'uuid',
    info: INFO,
    'db_conf?': doc([DATABASE], 'shown to `super_admin`; a tenant without any has one of `store` `logbook`'),
    topology: TOPOLOGY,
    'users?': doc([USER], 'all, or those that administrators of user interfaces see'),
    'node?': MARK,
  },
  'status contract 8',
).shownAs({ id: ID, info: SHOWN_INFO, db_conf: SENT_DATABASES, topology: SENT_TOPOLOGY, users: [SHOWN_USER] });

const NEW_KEY = envelopeOf('StatusNewApiKey', { api_key: doc('text', '64 hexadecimal digits') });
/** 200 with a new key. */
export const showsKey = (message: string) => showsOne(NEW_KEY, { api_key: SHOWN_USER.api_key }, message);

/** The parameter of paths of a tenant. */
export const TENANT_ID = { id: parameter('text', 'id of the tenant', ID) };
