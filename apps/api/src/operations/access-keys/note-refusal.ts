import type { NoteRefusal } from '#api/ops-kit/http-policy.js';
import { contextOf } from '#api/shared/http/request-context.js';
import { ACCESS_KEYS_STREAM, accessKeys } from '#domain/operations/access-keys.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';

/** Records refused calls of the key administration in the stream of the keys. */
export const noteRefusalBy =
  (processor: Pick<StreamProcessor, 'execute'>): NoteRefusal =>
  (request, status) => {
    const { method, operator } = request;
    // Without the Idempotency-Key, which stays free for a successful call.
    const { idempotency: _given, ...context } = contextOf(request, 'ops', { kind: 'key', id: operator?.keyId ?? '' });
    const command = { type: 'NoteRefusal', method, status } as const;
    return processor.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, command, context });
  };
