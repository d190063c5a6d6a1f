import type { Catalogue } from '#api/shared/openapi/described.js';
import { component, doc, nullable, oneOf } from '#api/shared/openapi/shape.js';
import { call, envelopeOf, lists, says, shows } from './envelopes.js';
import { ID, INFO, ONE, SHOWN_INFO } from './tenants.js';

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
const ENGINE_STATUS_OF_TENANT = component('StatusEngineStatusOfTenant', { id: 'uuid', info: INFO, status: ENGINE_STATUS });
const ENGINE_STATUS_REQUEST = component('StatusEngineStatusRequest', {
  'ams?': { 'metric_data?': INGESTION_REQUEST, 'sync_data?': INGESTION_REQUEST },
  'hdfs?': { 'metric_data?': 'flag', 'sync_data?': SYNCHRONIZED },
  'engine_config?': 'flag',
  'last_check?': 'text',
});
const ARRIVED = { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 };
const SENT_STATUS = {
  ams: { metric_data: ARRIVED, sync_data: ARRIVED },
  hdfs: { metric_data: true, sync_data: { Critical: { downtimes: true, group_endpoints: true } } },
  engine_config: true,
  last_check: '2026-03-01T12:00:00Z',
};

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
const READY_REQUEST = component('StatusReadyRequest', { 'ready?': 'flag', 'message?': 'text' });
const READINESS_REQUEST = component('StatusReadinessRequest', {
  'data?': READY_REQUEST,
  'topology?': READY_REQUEST,
  'reports?': READY_REQUEST,
  'last_check?': 'text',
});
const SET_UP = { ready: true, message: '' };

const LAST = doc('text', 'when, as RFC 3339; empty: not yet');
const SOURCE = component(
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
const SOURCE_REQUEST = component('StatusMetricSourceRequest', {
  project: doc('text', 'name of a project of the messaging service'),
  subscription: doc('text', 'name of a subscription that is pulled'),
  'dead_letter_topic?': 'text',
});
const LEVEL = oneOf('group', 'service', 'endpoint', 'metric');
const NOTIFICATIONS = component(
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
const NOTIFICATIONS_REQUEST = component('StatusNotificationsRequest', {
  project: doc('text', 'name of a project of the messaging service'),
  topic: doc('text', 'name of a topic'),
  'reports?': doc(['text'], 'names of reports; default all'),
  'levels?': doc([LEVEL], 'default all'),
  'repeat_seconds?': doc('count', 'a status that goes on is sent again after so many seconds, 60 to 2592000; default 0: never'),
});

export const TENANT_STATES: Catalogue = {
  [`get ${ONE}/status`]: {
    answers: lists(ENGINE_STATUS_OF_TENANT, { id: ID, info: SHOWN_INFO, status: { total_status: true, ...SENT_STATUS } }),
  },
  [`put ${ONE}/status`]: {
    answers: says('Tenant successfully updated'),
    request: ENGINE_STATUS_REQUEST,
    ignores: ['total_status'],
    body: SENT_STATUS,
  },
  [`get ${ONE}/ready`]: {
    answers: shows(envelopeOf('StatusReadinessOfTenant', READINESS), {
      id: ID,
      name: 'EGI',
      ready: true,
      data: { ready: true },
      topology: { ready: true },
      reports: { ready: true },
      last_check: '2026-03-01T12:00:00Z',
    }),
  },
  [`put ${ONE}/ready`]: {
    answers: says('Tenant successfully updated'),
    request: READINESS_REQUEST,
    body: { data: SET_UP, topology: SET_UP, reports: SET_UP, last_check: '2026-03-01T12:00:00Z' },
  },
  [`get ${ONE}/metric-source`]: {
    answers: lists(SOURCE, {
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
    }),
  },
  [`put ${ONE}/metric-source`]: {
    answers: says('Metric source successfully updated'),
    request: SOURCE_REQUEST,
    body: { project: 'monitoring', subscription: 'logbook', dead_letter_topic: 'dead' },
  },
  [`delete ${ONE}/metric-source`]: call('Metric source successfully deleted'),
  [`post ${ONE}/metric-source/retry`]: {
    answers: says('Messages set aside are taken up again'),
    request: component('StatusMetricSourceRetryRequest', {
      'since?': doc('text', 'when they were set aside at the earliest: an instant; default ever'),
    }),
    body: { since: '2026-03-01T00:00:00Z' },
  },
  [`get ${ONE}/status-notifications`]: {
    answers: lists(NOTIFICATIONS, {
      project: 'alerts',
      topic: 'changes',
      reports: [],
      levels: ['group'],
      repeat_seconds: 0,
      published: 2,
      pending: 0,
      last_published: '2026-03-01T12:00:00Z',
      problem: '',
    }),
  },
  [`put ${ONE}/status-notifications`]: {
    answers: says('Status notifications successfully updated'),
    request: NOTIFICATIONS_REQUEST,
    body: { project: 'alerts', topic: 'changes', levels: ['group'], repeat_seconds: 86_400 },
  },
  [`delete ${ONE}/status-notifications`]: call('Status notifications successfully deleted'),
};
