import { headed, pageOf, SHA256, shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { component, doc, either, nullable, oneOf, type Shape, schema } from '#domain/shared/shape.js';

const ACTOR_NAME = component('AuditActorName', {
  kind: oneOf('key', 'user', 'system'),
  id: 'text',
  name: doc(nullable('text'), 'of a key'),
});

const PLACE = { index: 'integer', position: 'text', stream: 'text', revision: 'integer', id: 'text', type: 'text' } as const;

const READABLE = shownInside(
  'AuditEvent',
  headed('readable form: data in the current shape, with marks in place of secrets and personal data', {
    ...PLACE,
    time: 'instant',
    actor: ACTOR_NAME,
    'service?': 'text',
    'requestId?': 'text',
    'correlationId?': 'text',
    'causationId?': 'text',
    'traceparent?': doc('text', 'W3C Trace Context; absent if the caller sent none'),
    'schemaVersion?': 'integer',
    data: doc(nullable({}), 'null where this release cannot read the event'),
    hash: SHA256,
  }),
  {
    index: 12,
    position: '13',
    stream: 'status.tenants-global',
    revision: 0,
    id: '0b6c1a52-5b0e-4f5d-9d0e-7f4f8f0f5a11',
    type: 'TenantRegistered',
    time: '2026-03-01T12:00:00.000Z',
    actor: { kind: 'key', id: '2f6c7f0e-1f3d-4c7e-8a55-0d6a3f1c9b21', name: 'status administrator' },
    service: 'status',
    requestId: '5f1d…',
    correlationId: '5f1d…',
    causationId: '5f1d…',
    schemaVersion: 1,
    data: { tenantId: 't', email: '[personal]' },
    hash: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  },
);

const STORED = component(
  'AuditStoredEvent',
  headed('stored form: as the log holds it', { ...PLACE, metadata: {}, data: {}, hash: SHA256 }),
);

const TRUE = schema<true>({ type: 'boolean', enum: [true] });

const EXPIRED = component(
  'AuditExpiredEvent',
  headed('an event that has left the log, or is missing from it', {
    index: 'integer',
    hash: doc(nullable(SHA256), 'null until it is chained'),
    'expired?': TRUE,
    'missing?': TRUE,
  }),
);

const ANY_EVENT = either(READABLE, STORED, EXPIRED);

const events = <const N extends Shape>(name: string, next: N) => ({
  ...shaped('events; as NDJSON all of them, one a line', pageOf(name, ANY_EVENT, next)),
  also: { 'application/x-ndjson': { example: '{"index":12,…}\n{"index":13,…}\n' } },
});

export const CHANGED_RESOURCES = shaped(
  'the records',
  shownInside(
    'AuditChangedResources',
    { items: [{ service: 'text', kind: 'text', id: 'text', scope: doc(nullable('text'), 'id of the project or tenant') }] },
    { items: [{ service: 'status', kind: 'tenant', id: '6ac7d684-1f8e-4a02-a502-720e8f11e50b', scope: null }] },
  ),
);

export const EVENT = shaped('the event', ANY_EVENT);
export const EVENT_PAGE = events('AuditEventPage', 'text');
export const STREAM_PAGE = events('AuditStreamPage', 'integer');

const ACTOR_SCHEMA = shownInside(
  'AuditActor',
  {
    actor: ACTOR_NAME,
    firstSeen: doc('instant', 'log time'),
    lastSeen: doc('instant', 'log time'),
    events: 'integer',
    services: ['text'],
  },
  {
    actor: { kind: 'key', id: '2f6c7f0e-1f3d-4c7e-8a55-0d6a3f1c9b21', name: 'status administrator' },
    firstSeen: '2026-03-01T12:00:00.000Z',
    lastSeen: '2026-03-02T12:00:00.000Z',
    events: 41,
    services: ['ops', 'status'],
  },
);

export const ACTOR = shaped('the actor', ACTOR_SCHEMA);
export const ACTOR_PAGE = shaped('actors by id', pageOf('AuditActorPage', ACTOR_SCHEMA, 'text'));

export const EVENT_TYPES = shaped(
  'names, in their order',
  shownInside(
    'AuditEventTypes',
    { types: ['text'], categories: ['text'] },
    { types: ['TenantRegistered', 'TopicCreated'], categories: ['messaging.resources', 'status.tenants'] },
  ),
);
