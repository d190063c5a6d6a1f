import { LAST_TIME, shownOf } from '#api/status/openapi/envelopes.js';
import { doc, nullable } from '#domain/shared/shape.js';

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
    last_ingested: [LAST_TIME, '2026-03-01T12:00:00Z'],
    last_error: [
      nullable({ message_id: 'text', reason: 'text', timestamp: 'instant' }),
      { message_id: '11', reason: 'the message has no data', timestamp: '2026-03-01T11:00:30Z' },
    ],
    retry: [nullable({ since: doc('text', 'instant; empty: ever') }), null],
    problem: [doc('text', 'why nothing is taken up now; empty: nothing is wrong'), ''],
  },
  'Where metric data of a tenant comes from, and how far it was taken up',
);
