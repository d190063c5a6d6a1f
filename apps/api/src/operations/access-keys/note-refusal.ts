import type { NoteRefusal } from '#api/ops-kit/http-policy.js';
import type { ReadTrail } from '#api/ops-kit/read-trail.js';
import { contextOf } from '#api/shared/http/request-context.js';

/** Records refused calls of the key administration in the stream of the keys, equal ones of ten minutes together. */
export const noteRefusalBy =
  (reads: Pick<ReadTrail, 'record'>): NoteRefusal =>
  (request, status) => {
    const { method, operator } = request;
    const context = contextOf(request, 'ops', { kind: 'key', id: operator?.keyId ?? '' });
    return reads.record({ type: 'AccessKeyCallRefused', data: { method, status } }, context);
  };
