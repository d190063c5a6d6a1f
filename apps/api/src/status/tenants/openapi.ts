import { recordMembers } from '#api/status/bodies.js';
import { envelopeOf, shownOf, showsOne } from '#api/status/openapi/envelopes.js';
import { component, doc, schema } from '#domain/shared/shape.js';
import { database, info, ingestion, SYNCHRONIZED, topology } from './tenant-bodies.js';

export const ID = '54f2fd5e-bb1a-492b-947d-23a25fffbfa2';
export const SENT_INFO = { name: 'EGI', email: 'ops@example.org', description: '', image: '', website: 'https://example.org' };
const SHOWN_INFO = { ...SENT_INFO, created: '2026-03-01 12:00:00', updated: '2026-03-01 12:00:00' };
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
/** `true`, or omitted. */
const MARK = schema<true>({ type: 'boolean', const: true });

const INFO = component('StatusTenantInfo', { ...recordMembers(info), created: TIME, updated: TIME });
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
export const showsKey = (message: string) => showsOne(NEW_KEY, { api_key: SHOWN_USER.api_key }, message);

const ARRIVED = { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 };
export const SENT_STATUS = {
  ams: { metric_data: ARRIVED, sync_data: ARRIVED },
  hdfs: { metric_data: true, sync_data: { Critical: { downtimes: true, group_endpoints: true } } },
  engine_config: true,
  last_check: '2026-03-01T12:00:00Z',
};

const INGESTION = component('StatusIngestion', recordMembers(ingestion));
const ENGINE_STATUS = component(
  'StatusEngineStatus',
  {
    total_status: doc('flag', 'whether everything is in place; computed'),
    ams: { metric_data: INGESTION, sync_data: INGESTION },
    hdfs: { metric_data: 'flag', 'sync_data?': SYNCHRONIZED },
    engine_config: 'flag',
    last_check: doc('text', 'as it was sent; empty: never'),
  },
  'status contract 10',
);
export const ENGINE_STATUS_OF_TENANT = component('StatusEngineStatusOfTenant', { id: 'uuid', info: INFO, status: ENGINE_STATUS }).shownAs({
  id: ID,
  info: SHOWN_INFO,
  status: { total_status: true, ...SENT_STATUS },
});
export const READY = component('StatusReady', { ready: 'flag', 'message?': 'text' });
export const READINESS = shownOf(
  'StatusReadiness',
  {
    id: ['uuid', ID],
    name: ['text', 'EGI'],
    ready: [doc('flag', 'whether all three are'), true],
    data: [READY, { ready: true }],
    topology: [READY, { ready: true }],
    reports: [READY, { ready: true }],
    last_check: [doc('text', 'as it was sent; empty: never'), '2026-03-01T12:00:00Z'],
  },
  'Whether a tenant is set up: as it was said, else whether there are a topology and a report (status contract of 2026, 3)',
);
export const SHOWS_READINESS = showsOne(envelopeOf('StatusReadinessOfTenant', READINESS), READINESS.example);
