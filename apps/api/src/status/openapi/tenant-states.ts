import { component, doc, nullable, oneOf } from '#api/shared/openapi/shape.js';
import { recordMembers } from '#api/status/bodies.js';
import { ingestion, SYNCHRONIZED } from '#api/status/tenants/tenant-bodies.js';
import { envelopeOf, shownOf, showsOne } from './envelopes.js';
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
const READINESS = shownOf(
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
/** 200 with the readiness of a tenant. */
export const SHOWS_READINESS = showsOne(envelopeOf('StatusReadinessOfTenant', READINESS), READINESS.example);
const LAST = doc('text', 'when, as RFC 3339; empty: not yet');
export const METRIC_SOURCE = shownOf(
  'StatusMetricSource',
  {
    project: ['text', 'monitoring'],
    subscription: ['text', 'logbook'],
    dead_letter_topic: [doc('text', 'topic for messages that are no metric data; empty: they are dropped'), 'dead'],
    received: [doc('count', 'messages'), 613],
    ingested: [doc('count', 'messages'), 608],
    points: [doc('count', 'metric results'), 609],
    dead_lettered: [doc('count', 'messages that are no metric data, in the dead letter topic'), 5],
    discarded: [doc('count', 'those that no topic took'), 0],
    dropped: [doc('count', 'those that came back from dead letter topics too often'), 0],
    lag: [doc('count', 'messages that wait'), 0],
    last_ingested: [LAST, '2026-03-01T12:00:00Z'],
    last_error: [
      nullable({ message_id: 'text', reason: 'text', timestamp: 'instant' }),
      { message_id: '11', reason: 'the message has no data', timestamp: '2026-03-01T11:00:30Z' },
    ],
    retry: [nullable({ since: doc('text', 'instant; empty: ever') }), null],
    problem: [doc('text', 'why nothing is taken up now; empty: nothing is wrong'), ''],
  },
  'Where metric data of a tenant comes from, and how far it was taken up',
);
export const LEVEL = oneOf('group', 'service', 'endpoint', 'metric');
export const NOTIFICATIONS = shownOf(
  'StatusNotifications',
  {
    project: ['text', 'alerts'],
    topic: ['text', 'changes'],
    reports: [doc(['text'], 'names; empty: all'), []],
    levels: [[LEVEL], ['group']],
    repeat_seconds: [doc('count', 'seconds after which a status that goes on is sent again; 0: never'), 0],
    published: [doc('count', 'notifications'), 2],
    pending: [doc('count', 'notifications that wait'), 0],
    last_published: [LAST, '2026-03-01T12:00:00Z'],
    problem: [doc('text', 'why nothing is published now; empty: nothing is wrong'), ''],
  },
  'Where changes of current statuses are published',
);
