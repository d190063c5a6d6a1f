import type { ApiResponseOptions } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const TEXT: Schema = { type: 'string' };
const INSTANT: Schema = { type: 'string', format: 'date-time' };
const INTEGER: Schema = { type: 'integer' };

const ACTOR_MEMBER: Schema = {
  title: 'AuditActorName',
  type: 'object',
  required: ['kind', 'id', 'name'],
  properties: {
    kind: { type: 'string', enum: ['key', 'user', 'system'] },
    id: TEXT,
    name: { type: 'string', nullable: true, description: 'of a key' },
  },
};

const PLACE = { index: INTEGER, position: TEXT, stream: TEXT, revision: INTEGER, id: TEXT, type: TEXT };

const READABLE: Schema = {
  title: 'AuditEvent',
  type: 'object',
  required: ['index', 'position', 'stream', 'revision', 'id', 'type', 'time', 'actor', 'data', 'hash'],
  description: 'readable form: data in the current shape, with marks in place of secrets and personal data',
  properties: {
    ...PLACE,
    time: INSTANT,
    actor: ACTOR_MEMBER,
    service: TEXT,
    requestId: TEXT,
    correlationId: TEXT,
    causationId: TEXT,
    traceparent: { ...TEXT, description: 'W3C Trace Context; absent if the caller sent none' },
    schemaVersion: INTEGER,
    data: { type: 'object', nullable: true, description: 'null where this release cannot read the event' },
    hash: HASH,
  },
  example: {
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
};

const STORED: Schema = {
  title: 'AuditStoredEvent',
  type: 'object',
  required: ['index', 'position', 'stream', 'revision', 'id', 'type', 'metadata', 'data', 'hash'],
  description: 'stored form: as the log holds it',
  properties: { ...PLACE, metadata: { type: 'object' }, data: { type: 'object' }, hash: HASH },
};

const EXPIRED: Schema = {
  title: 'AuditExpiredEvent',
  type: 'object',
  required: ['index', 'hash', 'expired'],
  description: 'an event that has left the log',
  properties: { index: INTEGER, hash: HASH, expired: { type: 'boolean', enum: [true] } },
};

const ANY_EVENT: Schema = { anyOf: [READABLE, STORED, EXPIRED] };

const json = (description: string, schema: Schema): ApiResponseOptions => ({ description, content: { 'application/json': { schema } } });

const list = (title: string, items: Schema, next: Schema): Schema => ({
  title,
  type: 'object',
  required: ['items', 'next'],
  properties: { items: { type: 'array', items }, next: { ...next, nullable: true, description: 'for `after`; null at the end' } },
});

const events = (title: string, next: Schema): ApiResponseOptions => ({
  description: 'events; as NDJSON all of them, one a line',
  content: {
    'application/json': { schema: list(title, ANY_EVENT, next) },
    'application/x-ndjson': { schema: { type: 'string' }, example: '{"index":12,…}\n{"index":13,…}\n' },
  },
});

export const CHANGED_RESOURCES = json('the records', {
  title: 'AuditChangedResources',
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['service', 'kind', 'id', 'scope'],
        properties: { service: TEXT, kind: TEXT, id: TEXT, scope: { ...TEXT, nullable: true, description: 'id of the project or tenant' } },
      },
    },
  },
  example: { items: [{ service: 'status', kind: 'tenant', id: '6ac7d684-1f8e-4a02-a502-720e8f11e50b', scope: null }] },
});

export const EVENT = json('the event', ANY_EVENT);
export const EVENT_PAGE = events('AuditEventPage', TEXT);
export const STREAM_PAGE = events('AuditStreamPage', INTEGER);

const ACTOR_SCHEMA: Schema = {
  title: 'AuditActor',
  type: 'object',
  required: ['actor', 'firstSeen', 'lastSeen', 'events', 'services'],
  properties: {
    actor: ACTOR_MEMBER,
    firstSeen: { ...INSTANT, description: 'log time' },
    lastSeen: { ...INSTANT, description: 'log time' },
    events: INTEGER,
    services: { type: 'array', items: TEXT },
  },
  example: {
    actor: { kind: 'key', id: '2f6c7f0e-1f3d-4c7e-8a55-0d6a3f1c9b21', name: 'status administrator' },
    firstSeen: '2026-03-01T12:00:00.000Z',
    lastSeen: '2026-03-02T12:00:00.000Z',
    events: 41,
    services: ['ops', 'status'],
  },
};

export const ACTOR = json('the actor', ACTOR_SCHEMA);
export const ACTOR_PAGE = json('actors by id', list('AuditActorPage', ACTOR_SCHEMA, TEXT));
