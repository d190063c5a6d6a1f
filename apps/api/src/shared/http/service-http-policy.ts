import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import type { CorsPolicy } from './headers/cors.js';
import { loggedPath } from './paths/logged-path.js';
import { RoleElsewhere } from './role-elsewhere.js';

import { traceIdOf } from './tracing.js';

export { pathOf } from './paths/path-of.js';

/** What differs between the services at the edge of HTTP: how they answer what no handler sees, and who may come in. */
export interface ServiceHttpPolicy {
  /** The service answers for paths that start with this. */
  readonly prefix: string;
  /** Further prefixes of the same service, for other versions of its API. Default: none. */
  readonly otherPrefixes?: readonly string[];
  /** Which pages of other origins may call the service. Default: none. */
  readonly cors?: CorsPolicy;
  /** The kind of the bodies of POST, PUT and PATCH whose routes name none. Default `record`. */
  readonly usualBody?: BodyKind;
  /** Whether a segment of a path may hold an encoded slash, because ids may. Default `false`: such paths are unknown. */
  readonly slashesInSegments?: boolean;
  /** Whether every GET route also answers HEAD. Default `false`: HEAD is a wrong method. */
  readonly answersHead?: boolean;
  /** Whether caches may keep answers at the path. Default: none of the service. */
  isPublic?(path: string): boolean;
  /** Where the router can match no path as it is written (double slashes, dot segments): the path to redirect to, if the service redirects. */
  cleanedPath?(path: string): string | undefined;
  unknownPath(request: FastifyRequest, reply: FastifyReply): void;
  /** `allow`: the methods the path has, comma-separated. */
  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void;
  /**
   * Before the body is read: authentication, authorization, content negotiation. Calls `proceed`, or answers. `caller`: in whose name, for the
   * share of what all callers have together; callers without a credential go by their addresses.
   */
  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void;
  /** Whatever a handler, a parser or the framework threw. */
  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Seconds. */
const RETRY_AFTER = '1';

/** Until an operator has seen to what is set aside: seconds. */
const RESUMED_AFTER = '60';

/** Every 503 says when to come again. */
export const setRetryAfter = (reply: FastifyReply, statusCode: number): void => {
  if (statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
};

/** What is set aside does not come back in a second, and a quota not before the next hour. Called before `setRetryAfter`. */
export const setResumedAfter = (reply: FastifyReply, error: unknown): void => {
  if (error instanceof PartitionSetAside) reply.header('retry-after', RESUMED_AFTER);
  if (error instanceof QuotaExceeded) reply.header('retry-after', String(error.retryAfter));
};

/**
 * Logs an answer that is the server's fault: with everything that is known where the answer was not foreseen (`500`), else as a warning. See {@link loggedPath}.
 */
export const logFailure = (logger: Logger, error: unknown, request: FastifyRequest, statusCode: number): void => {
  // What is set aside has been logged once; a call that went to the wrong node is no failure of this one.
  if (statusCode < 500 || error instanceof PartitionSetAside || error instanceof RoleElsewhere) return;
  // Refused in bulk: a stack costs time, and memory for source maps, and says nothing.
  const cause = error instanceof BodyRefused ? { why: error.message } : { err: error };
  const facts = {
    ...cause,
    requestId: request.id,
    ...traceIdOf(request),
    method: request.method,
    path: loggedPath(request),
    status: statusCode,
  };
  if (statusCode === 503) logger.warn(facts, 'request refused for now');
  else logger.error(facts, 'request failed');
};
