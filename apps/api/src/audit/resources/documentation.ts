import type { ApiResponseSchemaHost } from '@nestjs/swagger';

const version = {
  title: 'AuditRecordVersion',
  type: 'object',
  required: ['version', 'index', 'position', 'time', 'actor', 'type'],
  properties: {
    version: { type: 'integer', minimum: 1 },
    index: { type: 'integer' },
    position: { type: 'string' },
    time: { type: 'string', format: 'date-time' },
    actor: {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['key', 'user', 'system'] },
        id: { type: 'string' },
        name: { type: 'string', nullable: true },
      },
    },
    type: { type: 'string', example: 'TopicCreated' },
    change: { type: 'array', items: { type: 'object' }, description: 'JSON Patch (RFC 6902) from the version before' },
    value: { nullable: true, description: 'the record as of then; null once it is deleted' },
  },
} as const;

const ID = '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60';

const EXAMPLE = {
  resource: { service: 'status', kind: 'tenant', id: ID, scope: null, deleted: false },
  versions: [
    {
      version: 1,
      index: 12,
      position: '13',
      time: '2026-03-01T12:00:00.000Z',
      actor: { kind: 'key', id: ID, name: 'status administrator' },
      type: 'TenantRegistered',
      change: [{ op: 'add', path: '', value: { name: 'EGI' } }],
      value: { name: 'EGI' },
    },
  ],
  next: null,
};

/** Answer of a record as versions. */
export const RESOURCE = {
  description: 'the record and its versions; `next` for `after`',
  schema: {
    title: 'AuditRecord',
    type: 'object',
    required: ['resource', 'versions', 'next'],
    properties: {
      resource: {
        type: 'object',
        properties: {
          service: { type: 'string' },
          kind: { type: 'string' },
          id: { type: 'string' },
          scope: { type: 'string', nullable: true },
          deleted: { type: 'boolean' },
        },
      },
      versions: { type: 'array', items: version },
      next: { type: 'integer', nullable: true },
    },
    example: EXAMPLE,
  },
} as unknown as Readonly<{ description: string }> & ApiResponseSchemaHost;
