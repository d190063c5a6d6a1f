import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { component, doc, nullable, oneOf, schema } from '#domain/shared/shape.js';

const RECORD = {
  service: 'text',
  kind: 'text',
  id: 'text',
  scope: doc(nullable('text'), 'id of the project or tenant that the id belongs to'),
} as const;

const NAMED = schema<'actor' | 'record' | 'place' | null>({
  type: ['string', 'null'],
  enum: ['actor', 'record', 'place', null],
  description: 'what a name is of; null for the words between',
});

const CHANGE = component('AuditChange', {
  key: doc('text', 'equal for the same item in two answers: the count of a folded one grows while its minute lasts'),
  index: doc('integer', 'of the event, of what is folded the newest one'),
  id: doc('text', 'of the same event'),
  position: 'text',
  time: 'instant',
  type: 'text',
  sentence: 'text',
  parts: [{ text: 'text', is: NAMED }],
  actor: { kind: oneOf('key', 'user', 'system'), id: 'text', name: 'text' },
  record: doc(nullable({ ...RECORD, name: nullable('text'), deleted: 'flag' }), 'null where it is about no record'),
  place: nullable({ service: 'text', kind: oneOf('tenant', 'project'), id: 'text', name: nullable('text') }),
  count: doc('integer', 'events that are folded, or what they stand for, such as metric results; else 1'),
  exact: doc('flag', 'false: at least so many, because the minute has more of them than a call counts'),
  changed: doc('flag', 'whether a record was changed, so that there is a difference'),
  day: doc(nullable('day'), 'from which on a snapshot of a dated record counts'),
});

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';
const TENANT = '6ac7d684-1f8e-4a02-a502-720e8f11e50b';

const EXAMPLE = {
  key: '4711',
  index: 4711,
  id: '0b0c4a43-5d0e-4a62-8f0e-6b9c6d1d7a55',
  position: '8213',
  time: '2026-11-20T12:00:00.000Z',
  type: 'MetricProfileSnapshotDated',
  sentence: 'Ada Lovelace changed the metric profile checks in Alpine Grid',
  parts: [
    { text: 'Ada Lovelace', is: 'actor' },
    { text: ' changed', is: null },
    { text: ' the metric profile ', is: null },
    { text: 'checks', is: 'record' },
    { text: ' in ', is: null },
    { text: 'Alpine Grid', is: 'place' },
  ],
  actor: { kind: 'user', id: '3fa0a1c2-7b1d-4c83-9d13-0d1f3f7f4a11', name: 'Ada Lovelace' },
  record: { service: 'status', kind: 'metric_profile', id: ID, scope: null, name: 'checks', deleted: false },
  place: { service: 'status', kind: 'tenant', id: TENANT, name: 'Alpine Grid' },
  count: 1,
  exact: true,
  changed: true,
  day: '2026-11-03',
} as const;

/** Answer with a page of changes. */
export const CHANGES = shaped(
  'changes, newest first',
  shownInside(
    'AuditChanges',
    {
      items: [CHANGE],
      next: doc(nullable('text'), 'for `after`; null at the end'),
      newer: doc('text', 'for `since`: an answer from there on has all of the newest minute, and what comes after it'),
    },
    { items: [EXAMPLE], next: '8200', newer: '8190' },
  ),
);

/** Answer with the difference of an event. */
export const DIFFERENCE = shaped(
  'the record before and after the event',
  shownInside(
    'AuditDifference',
    {
      record: RECORD,
      against: doc(
        nullable('day'),
        'of a dated record: the day of the snapshot before; null where it is the first one, and for other records',
      ),
      dated: doc('flag', 'whether the record is dated'),
      before: schema({ description: 'null where it was not there; with marks in place of secrets and personal data' }),
      after: schema({ description: 'null where it is deleted' }),
    },
    {
      record: { service: 'status', kind: 'metric_profile', id: ID, scope: null },
      against: '2026-11-03',
      dated: true,
      before: { id: ID, date: '2026-11-03', name: 'checks', services: [] },
      after: { id: ID, date: '2026-11-20', name: 'checks', services: [{ service: 'web', metrics: ['http'] }] },
    },
  ),
);
