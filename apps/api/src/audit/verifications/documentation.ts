import type { ApiResponseSchemaHost } from '@nestjs/swagger';

const problem = {
  type: 'object',
  nullable: true,
  description: 'the first one in log order',
  properties: {
    index: { type: 'integer' },
    position: { type: 'string', nullable: true },
    kind: { type: 'string', enum: ['altered', 'missing', 'inserted', 'reordered', 'unreadable', 'signature', 'anchor'] },
    detail: { type: 'string' },
  },
} as const;

const verification = {
  title: 'AuditVerification',
  type: 'object',
  required: ['id', 'state', 'startedAt', 'endedAt', 'failure', 'processed', 'total', 'verifiedTo', 'root', 'expired', 'intact', 'problem'],
  properties: {
    id: { type: 'string' },
    state: { type: 'string', enum: ['running', 'done', 'failed', 'cancelled'] },
    startedAt: { type: 'string', format: 'date-time' },
    endedAt: { type: 'string', format: 'date-time', nullable: true },
    failure: { type: 'object', nullable: true, properties: { message: { type: 'string' } } },
    processed: { type: 'integer', description: 'leaves that have been compared' },
    total: { type: 'integer' },
    verifiedTo: { type: 'integer', description: 'size of the tree of `root`' },
    root: { type: 'string', nullable: true, description: 'lower-case hex' },
    expired: { type: 'integer', description: 'events that retention has removed' },
    intact: { type: 'boolean', nullable: true, description: 'null while nothing is known' },
    problem,
  },
  example: {
    id: '4b0c52a3-7f0d-4f59-8f0a-3a2b0b8f2f11',
    state: 'done',
    startedAt: '2026-03-01T12:00:00.000Z',
    endedAt: '2026-03-01T12:00:40.000Z',
    failure: null,
    processed: 81_234,
    total: 81_234,
    verifiedTo: 81_234,
    root: '6b2f0c0b9a4c0f5a3d0f7f1b5f3a1d2c4e5f60718293a4b5c6d7e8f901234567',
    expired: 1_200,
    intact: false,
    problem: { index: 4_711, position: '5022', kind: 'altered', detail: 'leaf 4711: its event is not what it was when it was chained' },
  },
} as const;

type Answer = Readonly<{ description: string }> & ApiResponseSchemaHost;

export const VERIFICATION = { description: 'the verification', schema: verification } as unknown as Answer;
export const VERIFICATIONS = {
  description: 'verifications',
  schema: { type: 'object', properties: { items: { type: 'array', items: verification } } },
} as unknown as Answer;
export const ACCEPTED = {
  description: 'where the verification is found',
  schema: { type: 'object', properties: { id: { type: 'string' }, href: { type: 'string', example: '/audit/verifications/4b0c52a3' } } },
} as unknown as Answer;
