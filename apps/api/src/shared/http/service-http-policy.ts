import type { FastifyReply, FastifyRequest } from 'fastify';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { EventStoreReadOnly } from '#domain/shared/event-store.js';
import type { ServiceName } from '#domain/shared/events.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';
import { PartitionSetAside, ReadModelsUnavailable } from '#projections/shared/read-store.js';
import type { CorsPolicy } from './headers/cors.js';
import { loggedPath } from './paths/logged-path.js';
import { RoleElsewhere } from './role-elsewhere.js';
import { traceIdOf } from './tracing.js';

export { ANYBODY } from '#api/shared/bodies/body-budget.js';
export { pathOf } from './paths/request-target.js';

/** Differences between the services at the edge of HTTP: admission, and answers without a handler. */
export interface ServiceHttpPolicy {
  /** Path prefix of the service. */
  readonly prefix: string;
  /** The service whose read models its calls read. Default: any. */
  readonly readsOf?: ServiceName;
  /** Further prefixes of the same service, for other versions of its API. Default: none. */
  readonly otherPrefixes?: readonly string[];
  /** Pages of other origins that may call the service. Default: none. */
  readonly cors?: CorsPolicy;
  /** Kind of the bodies of POST, PUT and PATCH for routes that name none. Default `record`. */
  readonly usualBody?: BodyKind;
  /** Set if a segment of a path may contain an encoded slash, because ids may. Default `false`: such paths are unknown. */
  readonly slashesInSegments?: boolean;
  /** Set if every GET route also answers HEAD. Default `false`: HEAD is a wrong method. */
  readonly answersHead?: boolean;
  /** Returns whether caches may store answers at the path. Default: no path of the service. */
  isPublic?(path: string): boolean;
  /** The path to redirect to, for a path that the router cannot match (double slashes, dot segments), if the service redirects. */
  cleanedPath?(path: string): string | undefined;
  unknownPath(request: FastifyRequest, reply: FastifyReply): void;
  /** `allow`: methods of the path, comma-separated. */
  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void;
  /**
   * Runs before the body is read: authentication, authorization, content negotiation. Calls `proceed`, or answers. `caller`: whose share of
   * the common resources is used; {@link ANYBODY} for all callers without a credential.
   */
  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void;
  /** Read models with the callers of the service and their rights. */
  readonly callersIn: readonly string[];
  /**
   * Admits a request again while its answer is under way, and updates what handlers know of the caller. Its key has to be valid still, but a
   * token may expire meanwhile.
   * @throws the error of the service if the caller is not admitted any more; others if that is not known
   */
  admitAgain(request: FastifyRequest): Promise<void>;
  /** Answers any error of a handler, a parser or the framework. */
  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Seconds. */
const RETRY_AFTER = '1';

/** Seconds; a partition that is set aside needs an operator. */
const RESUMED_AFTER = '60';

/** Seconds; the pace of a read model that is filled may change. */
const MOST_RETRY_AFTER = 60;

/** Every 503 has a time for a retry. */
export const setRetryAfter = (reply: FastifyReply, statusCode: number): void => {
  if (statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
};

/** Header of a 503 that waiting does not change: the role of the nodes that answer the call, or `writer` for a server that shows only the past. */
const ELSEWHERE = 'logbook-elsewhere';

/**
 * A partition that is set aside does not return within a second, a quota only in the next hour, and a read model once it is filled. Call it before
 * `setRetryAfter`.
 */
export const setResumedAfter = (reply: FastifyReply, error: unknown): void => {
  if (error instanceof PartitionSetAside) reply.header('retry-after', RESUMED_AFTER);
  if (error instanceof ReadModelsUnavailable && error.secondsLeft !== null)
    reply.header('retry-after', String(Math.min(Math.max(1, Math.ceil(error.secondsLeft)), MOST_RETRY_AFTER)));
  if (error instanceof RoleElsewhere) reply.header(ELSEWHERE, error.role);
  if (error instanceof AsOfRefused && error.obstacle === 'unavailable') reply.header(ELSEWHERE, 'history');
  if (error instanceof EventStoreReadOnly) reply.header(ELSEWHERE, 'writer');
  if (error instanceof QuotaExceeded) reply.header('retry-after', String(error.retryAfter));
};

/** Logs an answer with a server error: with all details if it was unexpected (`500`), otherwise as a warning. See {@link loggedPath}. */
export const logFailure = (logger: Logger, error: unknown, request: FastifyRequest, statusCode: number): void => {
  // A pause has been logged once. A call to the wrong node is not a failure of this one.
  if (statusCode < 500 || error instanceof PartitionSetAside || error instanceof RoleElsewhere) return;
  // Refused in bulk: a stack costs time and memory for source maps, and adds nothing.
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
