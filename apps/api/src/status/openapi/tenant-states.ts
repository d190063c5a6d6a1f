import { component, doc, nullable, oneOf } from '#api/shared/openapi/shape.js';
import { INFO } from './tenants.js';

const INGESTION = component('StatusIngestion', {
  ingestion: 'flag',
  publishing: 'flag',
  status_streaming: 'flag',
  messages_arrived: 'integer',
});
const INGESTION_REQUEST = component('StatusIngestionRequest', {
  'ingestion?': 'flag',
  'publishing?': 'flag',
  'status_streaming?': 'flag',
  'messages_arrived?': 'integer',
});
const SYNCHRONIZED = doc({ '*': { '*': 'flag' } }, 'by report: what is there, such as `downtimes`, `group_endpoints`, `metric_profile`');
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
export const ENGINE_STATUS_OF_TENANT = component('StatusEngineStatusOfTenant', { id: 'uuid', info: INFO, status: ENGINE_STATUS });
export const ENGINE_STATUS_REQUEST = component('StatusEngineStatusRequest', {
  'ams?': { 'metric_data?': INGESTION_REQUEST, 'sync_data?': INGESTION_REQUEST },
  'hdfs?': { 'metric_data?': 'flag', 'sync_data?': SYNCHRONIZED },
  'engine_config?': 'flag',
  'last_check?': 'text',
});
const ARRIVED = { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 };
export const SENT_STATUS = {
  ams: { metric_data: ARRIVED, sync_data: ARRIVED },
  hdfs: { metric_data: true, sync_data: { Critical: { downtimes: true, group_endpoints: true } } },
  engine_config: true,
  last_check: '2026-03-01T12:00:00Z',
};

const READY = component('StatusReady', { ready: 'flag', 'message?': 'text' });
export const READINESS = component(
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
const READY_REQUEST = component('StatusReadyRequest', { 'ready?': 'flag', 'message?': 'text' });
export const READINESS_REQUEST = component('StatusReadinessRequest', {
  'data?': READY_REQUEST,
  'topology?': READY_REQUEST,
  'reports?': READY_REQUEST,
  'last_check?': 'text',
});
export const SET_UP = { ready: true, message: '' };

const LAST = doc('text', 'when, as RFC 3339; empty: not yet');
export const SOURCE = component(
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
);
export const SOURCE_REQUEST = component('StatusMetricSourceRequest', {
  project: doc('text', 'name of a project of the messaging service'),
  subscription: doc('text', 'name of a subscription that is pulled'),
  'dead_letter_topic?': 'text',
});
const LEVEL = oneOf('group', 'service', 'endpoint', 'metric');
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
);
export const NOTIFICATIONS_REQUEST = component('StatusNotificationsRequest', {
  project: doc('text', 'name of a project of the messaging service'),
  topic: doc('text', 'name of a topic'),
  'reports?': doc(['text'], 'names of reports; default all'),
  'levels?': doc([LEVEL], 'default all'),
  'repeat_seconds?': doc('count', 'a status that goes on is sent again after so many seconds, 60 to 2592000; default 0: never'),
});
