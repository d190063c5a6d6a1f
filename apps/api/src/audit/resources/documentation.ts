import { shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { bounded, component, doc, nullable, oneOf, schema } from '#domain/shared/shape.js';

const VERSION = component('AuditRecordVersion', {
  version: bounded('integer', { minimum: 1 }),
  index: 'integer',
  position: 'text',
  time: 'instant',
  actor: { 'kind?': oneOf('key', 'user', 'system'), 'id?': 'text', 'name?': nullable('text') },
  type: bounded('text', { example: 'TopicCreated' }),
  'change?': doc([{}], 'JSON Patch (RFC 6902) from the version before'),
  'value?': schema({ description: 'the record as of then; null once it is deleted' }),
});

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
} as const;

/** Answer with the versions of a record. */
export const RESOURCE = shaped(
  'the record and its versions; `next` for `after`',
  shownInside(
    'AuditRecord',
    {
      resource: { 'service?': 'text', 'kind?': 'text', 'id?': 'text', 'scope?': nullable('text'), 'deleted?': 'flag' },
      versions: [VERSION],
      next: nullable('integer'),
    },
    EXAMPLE,
  ),
);
