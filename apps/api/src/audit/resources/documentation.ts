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
  },
} as unknown as Readonly<{ description: string }> & ApiResponseSchemaHost;
