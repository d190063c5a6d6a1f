import { component, doc, either, type Shape, schema } from '#api/shared/openapi/shape.js';
import { envelopeOf, listOf } from './envelopes.js';

const TIME = doc('text', 'YYYY-MM-DD HH:MM:SS in UTC');
/** `true`, or left out. */
const MARK = schema({ type: 'boolean', const: true });

const NAME = doc('text', 'unique in the service');
export const INFO = component('StatusTenantInfo', {
  name: NAME,
  email: 'text',
  description: 'text',
  image: 'text',
  website: 'text',
  created: TIME,
  updated: TIME,
});
const DATABASE_MEMBERS = {
  store: 'text',
  server: 'text',
  port: 'integer',
  database: 'text',
  username: 'text',
  password: 'text',
} as const;
const DATABASE = component('StatusTenantDatabase', DATABASE_MEMBERS);
const TOPOLOGY = component('StatusTenantTopology', { type: 'text', feed: 'text' }, 'Where the topology comes from');

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
);
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
);

export const INFO_REQUEST = component('StatusTenantInfoRequest', {
  name: NAME,
  'email?': 'text',
  'description?': 'text',
  'image?': 'text',
  'website?': 'text',
});
const optionally = (members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [`${name}?`, shape]));
export const DATABASE_REQUEST = component('StatusTenantDatabaseRequest', optionally(DATABASE_MEMBERS));
export const TOPOLOGY_REQUEST = component('StatusTenantTopologyRequest', { 'type?': 'text', 'feed?': 'text' });
const USER_MEMBERS = {
  'name?': 'text',
  'email?': 'text',
  'roles?': doc(['text'], 'a user without roles is refused everything'),
  'component?': 'text',
} as const;
const USER_OF_TENANT = component('StatusUserOfTenantRequest', {
  ...USER_MEMBERS,
  'api_key?': doc('text', 'unique in the service; of a new tenant generated when it is left out'),
});
export const TENANT_REQUEST = component('StatusTenantRequest', {
  info: INFO_REQUEST,
  'db_conf?': [DATABASE_REQUEST],
  'topology?': TOPOLOGY_REQUEST,
  'users?': doc([USER_OF_TENANT], 'an update keeps those whose key is in the list'),
});
export const NEW_USER = component('StatusNewUser', USER_MEMBERS, 'The key is generated');
export const USER_CHANGE = component('StatusUserChange', { ...USER_MEMBERS, 'api_key?': 'text' }, 'Empty members change nothing');

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
export const SHOWN_TENANT = { id: ID, info: SHOWN_INFO, db_conf: SENT_DATABASES, topology: SENT_TOPOLOGY, users: [SHOWN_USER] };

const ROOT = '/api/v2/admin/tenants';
export const ONE = `${ROOT}/{id}`;
export const IGNORED = ['id', 'created', 'updated'] as const;

export const ONE_USER = either(listOf(USER), USER);
export const NEW_KEY = envelopeOf('StatusNewApiKey', { api_key: doc('text', '64 hexadecimal digits') });
