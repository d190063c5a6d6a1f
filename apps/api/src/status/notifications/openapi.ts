import { LAST_TIME, shownOf } from '#api/status/openapi/envelopes.js';
import { doc, oneOf } from '#domain/shared/shape.js';

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
    last_published: [LAST_TIME, '2026-03-01T12:00:00Z'],
    problem: [doc('text', 'why changes are not published now, of all reports or of one; empty: nothing is wrong'), ''],
  },
  'Where changes of current statuses are published',
);
