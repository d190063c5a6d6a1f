import { component, doc, nullable, oneOf } from '#api/shared/openapi/shape.js';
import { recordMembers } from '#api/status/bodies.js';
import { ingestion, SYNCHRONIZED } from '#api/status/tenants/tenant-bodies.js';
import { envelopeOf, showsOne } from './envelopes.js';
import { ID, INFO, SHOWN_INFO } from './tenants.js';

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
const READY = component('StatusReady', { ready: 'flag', 'message?': 'text' });
const READINESS = component(
  'StatusReadiness',
  {
    id: 'uuid',
    name: 'text',
    ready: doc('flag', 'whether all three are'),
    data: READY,
    topology: READY,
    reports: READY,
    last_check: doc('text', 'as it was sent; empty: never'),
  },
  'Whether a tenant is set up: as it was said, else whether there are a topology and a report (status contract of 2026, 3)',
);
/** 200 with the readiness of a tenant. */
export const SHOWS_READINESS = showsOne(envelopeOf('StatusReadinessOfTenant', READINESS), {
  id: ID,
  name: 'EGI',
  ready: true,
  data: { ready: true },
  topology: { ready: true },
  reports: { ready: true },
  last_check: '2026-03-01T12:00:00Z',
});
const LAST = doc('text', 'when, as RFC 3339; empty: not yet');
export const METRIC_SOURCE = component(
  'StatusMetricSource',
  {
    project: 'text',
    subscription: 'text',
    dead_letter_topic: doc('text', 'topic for messages that are no metric data; empty: they are dropped'),
    received: doc('count', 'messages'),
    ingested: doc('count', 'messages'),
    points: doc('count', 'metric results'),
    dead_lettered: doc('count', 'messages that are no metric data, in the dead letter topic'),
    discarded: doc('count', 'those that no topic took'),
    dropped: doc('count', 'those that came back from dead letter topics too often'),
    lag: doc('count', 'messages that wait'),
    last_ingested: LAST,
    last_error: nullable({ message_id: 'text', reason: 'text', timestamp: 'instant' }),
    retry: nullable({ since: doc('text', 'instant; empty: ever') }),
    problem: doc('text', 'why nothing is taken up now; empty: nothing is wrong'),
  },
  'Where metric data of a tenant comes from, and how far it was taken up',
).shownAs({
  project: 'monitoring',
  subscription: 'logbook',
  dead_letter_topic: 'dead',
  received: 613,
  ingested: 608,
  points: 609,
  dead_lettered: 5,
  discarded: 0,
  dropped: 0,
  lag: 0,
  last_ingested: '2026-03-01T12:00:00Z',
  last_error: { message_id: '11', reason: 'the message has no data', timestamp: '2026-03-01T11:00:30Z' },
  retry: null,
  problem: '',
});
export const LEVEL = oneOf('group', 'service', 'endpoint', 'metric');
export const NOTIFICATIONS = component(
  'StatusNotifications',
  {
    project: 'text',
    topic: 'text',
    reports: doc(['text'], 'names; empty: all'),
    levels: [LEVEL],
    repeat_seconds: doc('count', 'seconds after which a status that goes on is sent again; 0: never'),
    published: doc('count', 'notifications'),
    pending: doc('count', 'notifications that wait'),
    last_published: LAST,
    problem: doc('text', 'why nothing is published now; empty: nothing is wrong'),
  },
  'Where changes of current statuses are published',
).shownAs({
  project: 'alerts',
  topic: 'changes',
  reports: [],
  levels: ['group'],
  repeat_seconds: 0,
  published: 2,
  pending: 0,
  last_published: '2026-03-01T12:00:00Z',
  problem: '',
});
