import { answer, type Catalogue, type Described } from '#api/shared/openapi/described.js';
import { component, doc, either, type Shape, schema } from '#api/shared/openapi/shape.js';
import { call, envelopeOf, listOf, lists, refers, says, shows } from './envelopes.js';

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

const USER = component(
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
const TENANT = component(
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

const INFO_REQUEST = component('StatusTenantInfoRequest', {
  name: NAME,
  'email?': 'text',
  'description?': 'text',
  'image?': 'text',
  'website?': 'text',
});
const optionally = (members: Readonly<Record<string, Shape>>): Readonly<Record<string, Shape>> =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [`${name}?`, shape]));
const DATABASE_REQUEST = component('StatusTenantDatabaseRequest', optionally(DATABASE_MEMBERS));
const TOPOLOGY_REQUEST = component('StatusTenantTopologyRequest', { 'type?': 'text', 'feed?': 'text' });
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
const TENANT_REQUEST = component('StatusTenantRequest', {
  info: INFO_REQUEST,
  'db_conf?': [DATABASE_REQUEST],
  'topology?': TOPOLOGY_REQUEST,
  'users?': doc([USER_OF_TENANT], 'an update keeps those whose key is in the list'),
});
const NEW_USER = component('StatusNewUser', USER_MEMBERS, 'The key is generated');
const USER_CHANGE = component('StatusUserChange', { ...USER_MEMBERS, 'api_key?': 'text' }, 'Empty members change nothing');

export const ID = '54f2fd5e-bb1a-492b-947d-23a25fffbfa2';
const SENT_INFO = { name: 'EGI', email: 'ops@example.org', description: '', image: '', website: 'https://example.org' };
export const SHOWN_INFO = { ...SENT_INFO, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' };
const SENT_USER = { name: 'ada', email: 'ada@example.org', roles: ['admin'] };
const SHOWN_USER = {
  id: '262b2829-1fa4-4338-9cd2-68743e219c46',
  name: 'ada',
  email: 'ada@example.org',
  api_key: 'cb419838fdb949140f60916cd9b56460cfdbf8682d0fd644e22f9363a685b471',
  roles: ['admin'],
};
const SENT_DATABASES = [{ store: 'main', server: 'db.example.org', port: 27017, database: 'egi', username: 'u', password: 'p' }];
const SENT_TOPOLOGY = { type: 'GOCDB', feed: 'https://feed.example.org' };
const SENT_TENANT = { info: SENT_INFO, topology: SENT_TOPOLOGY, users: [{ ...SENT_USER, api_key: 'let-me-in' }] };
const SHOWN_TENANT = { id: ID, info: SHOWN_INFO, db_conf: SENT_DATABASES, topology: SENT_TOPOLOGY, users: [SHOWN_USER] };

const ROOT = '/api/v2/admin/tenants';
export const ONE = `${ROOT}/{id}`;
const IGNORED = ['id', 'created', 'updated'] as const;

const NEW_KEY = envelopeOf('StatusNewApiKey', { api_key: doc('text', '64 hexadecimal digits') });
const renewed = (message: string): Described => ({ answers: shows(NEW_KEY, { api_key: SHOWN_USER.api_key }, message) });

const RECORDS: Catalogue = {
  [`get ${ROOT}`]: { answers: lists(TENANT, SHOWN_TENANT) },
  [`post ${ROOT}`]: {
    answers: refers(201, 'Tenant was successfully created', 'admin/tenants'),
    request: TENANT_REQUEST,
    ignores: IGNORED,
    body: SENT_TENANT,
  },
  [`get ${ONE}`]: { answers: lists(TENANT, SHOWN_TENANT) },
  [`put ${ONE}`]: { answers: says('Tenant successfully updated'), request: TENANT_REQUEST, ignores: IGNORED, body: SENT_TENANT },
  [`delete ${ONE}`]: call('Tenant Successfully Deleted'),
  [`put ${ONE}/info`]: {
    answers: says('Tenant info successfully updated'),
    request: component('StatusTenantInfoChange', { info: INFO_REQUEST }),
    ignores: IGNORED,
    body: { info: SENT_INFO },
  },
  [`put ${ONE}/db-conf`]: {
    answers: says('Tenant database configuration successfully updated'),
    request: component('StatusTenantDatabasesChange', { db_conf: [DATABASE_REQUEST] }),
    body: { db_conf: SENT_DATABASES },
  },
  [`put ${ONE}/topology`]: {
    answers: says('Tenant topology configuration successfully updated'),
    request: component('StatusTenantTopologyChange', { topology: TOPOLOGY_REQUEST }),
    body: { topology: SENT_TOPOLOGY },
  },
  [`post ${ONE}/node-set`]: call('Tenant has been set as node'),
  [`post ${ONE}/node-unset`]: call('Tenant has been unset from being a node'),
};

const USERS: Catalogue = {
  [`get ${ONE}/users`]: { answers: lists(USER, SHOWN_USER) },
  [`post ${ONE}/users`]: {
    answers: refers(201, 'User was successfully created', `admin/tenants/${ID}/users`),
    request: NEW_USER,
    ignores: ['id', 'api_key'],
    body: SENT_USER,
  },
  [`get ${ONE}/users/{userId}`]: { answers: lists(USER, SHOWN_USER) },
  [`put ${ONE}/users/{userId}`]: {
    answers: says('User succesfully updated'),
    request: USER_CHANGE,
    ignores: ['id'],
    body: { roles: ['viewer'] },
  },
  [`delete ${ONE}/users/{userId}`]: call('User succesfully deleted'),
  [`post ${ONE}/users/{userId}/renew_api_key`]: renewed('User api key succesfully renewed'),
  'get /api/v2/admin/users:byID/{id}': {
    answers: {
      200: {
        ...answer(either(listOf(USER), USER), {
          status: { message: 'User was successfully retrieved', code: '200' },
          data: [SHOWN_USER],
        }),
        description: 'the user; with `export=flat` without envelope',
      },
    },
  },
  'post /api/v3/integrations/components/{component}/by-tenant-name/{tenant}/refresh': renewed('component api key succesfully renewed'),
};

export const TENANTS: Catalogue = { ...RECORDS, ...USERS };
