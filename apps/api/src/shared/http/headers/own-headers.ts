import type { IncomingMessage } from 'node:http';
import { correlationIdOf } from '#api/shared/http/request-context.js';

/** Access to an answer depends on a key, which caches do not check, even if it is in the query. Browsers must not take it for a page or a script. */
export const UNCACHED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Ids of a request, in the headers of its answer. */
export const idsOf = (request: Readonly<{ id: string }> & Pick<IncomingMessage, 'headers'>): Readonly<Record<string, string>> => ({
  'x-request-id': request.id,
  'x-correlation-id': correlationIdOf(request),
});
