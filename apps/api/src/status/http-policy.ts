import type { FastifyReply, FastifyRequest } from 'fastify';
import { AsOfRefused, noTenant } from '#api/shared/as-of/as-of-refused.js';
import type { Auditor } from '#api/shared/as-of/past-call.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { absenceIn, isOutage, statusCodeOf } from '#api/shared/http/failures.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { type CorsPolicy, isAllowedPreflight } from '#api/shared/http/headers/cors.js';
import { loggedPath } from '#api/shared/http/paths/logged-path.js';
import { cleanedPath } from '#api/shared/http/paths/request-target.js';
import { looksAgain } from '#api/shared/http/readings.js';
import { firstOf, headerText } from '#api/shared/http/request-context.js';
import { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { ANYBODY, logFailure, type ServiceHttpPolicy, setResumedAfter, setRetryAfter } from '#api/shared/http/service-http-policy.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { DomainError } from '#domain/shared/decider.js';
import { RECOMPUTATION_STATUSES } from '#domain/status/recomputations/recomputations.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';
import { SubjectKeyDestroyed } from '#infra/stores/secrets/subject-keys.js';
import { ACCESS_KEYS } from '#projections/operations/access-keys/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { TENANTS } from '#projections/status/tenants/queries.js';
import { type AllowedCallers, type CalledFor, mayCall, type StatusAccess, type StatusCaller, TENANT_ID } from './access.js';
import { negotiate, type WireFormat } from './answers/accept.js';
import { methods } from './answers/answers.js';
import * as errors from './errors.js';

/** Result of the checks before the handler runs. */
type Admission<Kind extends StatusCaller['kind'] = StatusCaller['kind']> = Readonly<{
  caller: Extract<StatusCaller, { kind: Kind }>;
  format: WireFormat;
}>;

/** `answers`: the media type of the route, if it is neither JSON nor XML; its errors are JSON. */
type KeyedAccess = AllowedCallers & Readonly<{ answers?: string | undefined }>;
/** `everybody`: no key needed; the Accept header is still checked. */
export type RouteAccess = KeyedAccess | 'everybody';
declare module 'fastify' {
  interface FastifyContextConfig {
    status?: RouteAccess;
  }
  interface FastifyRequest {
    statusAdmission?: Admission;
  }
}

/** Only inside handlers of routes for users of tenants, or for nodes. */
export const tenantAdmission = (request: FastifyRequest): Admission<'tenant'> => admission(request, 'tenant');
/** Only inside handlers of routes for administrators or integrations. */
export const adminAdmission = (request: FastifyRequest): Admission<'admin'> => admission(request, 'admin');

const admission = <Kind extends StatusCaller['kind']>(request: FastifyRequest, kind: Kind): Admission<Kind> => {
  const admitted = request.statusAdmission;
  if (admitted?.caller.kind !== kind) throw new Error(`${loggedPath(request)} was not admitted for ${kind} keys`);
  return admitted as Admission<Kind>;
};

/** The contract's errors for domain rules. Controllers handle those whose texts differ between resources. */
const ofDomain = ({ code, details }: DomainError): errors.StatusError | undefined => {
  switch (code) {
    case 'RECORD_NOT_FOUND':
    case 'TENANT_NOT_FOUND':
      return errors.notFound();
    case 'OVER_LIMIT':
      return errors.unprocessable(String(details.text));
    case 'RECORD_INVALID':
      return errors.invalidProfile(details.lines as readonly string[]);
    case 'TENANT_USER_NOT_FOUND':
      return errors.userNotFound();
    case 'TENANT_NAME_TAKEN':
      return errors.conflict('Tenant with same name already exists');
    case 'API_KEY_TAKEN':
      return errors.conflict(`More than one users found using the key: ${details.apiKey}`);
    case 'FEED_TENANT_NOT_FOUND':
      return errors.statusOnly(404, `Tenant ${details.name} not found`);
    case 'FEED_TENANT_NOT_AGREED':
      return errors.ofReference(errors.unprocessable(`Tenant ${details.name} has not agreed that its topology is read`));
    case 'NAMED_TENANT_NOT_FOUND':
      return errors.statusOnly(404, `tenant ${details.name} not found`);
    case 'REPORT_NAME_TAKEN':
      return errors.conflict('Report with the same name already exists');
    case 'REPORT_INVALID':
      return errors.ofReference(errors.unprocessableItems(details.problems as readonly Readonly<{ message: string; details: string }>[]));
    case 'RECOMPUTATION_INVALID':
      return errors.unprocessableItems(details.problems as readonly Readonly<{ message: string; details: string }>[]);
    case 'RECOMPUTATION_STATUS_INELIGIBLE':
      return errors.ineligibleStatus(RECOMPUTATION_STATUSES);
    default:
      return undefined;
  }
};

/** A body above a limit counts as cut off, and therefore as malformed (status contract 1.11). */
const refused = ({ reason }: BodyRefused): errors.StatusError => {
  if (reason === 'busy') return errors.unavailable();
  return reason === 'slow' ? errors.bodyTooSlow() : errors.malformedJson();
};

/** The answer to an error of a handler; `undefined` if the error is unexpected. */
export const statusErrorOf = (error: unknown): errors.StatusError | undefined => {
  if (error instanceof errors.StatusError) return error;
  if (error instanceof AsOfRefused) return errors.asOfRefused(error);
  if (error instanceof RoleElsewhere) return errors.roleElsewhere(error);
  if (error instanceof MalformedJson) return errors.malformedJson();
  if (error instanceof DomainError) return ofDomain(error);
  if (error instanceof IdempotencyKeyReused) return errors.unprocessable('The Idempotency-Key was used before with another request body');
  if (error instanceof SubjectKeyDestroyed) return errors.notFound(); // the tenant or user was deleted meanwhile
  if (error instanceof PartitionSetAside) return errors.setAside();
  if (isOutage(error)) return errors.unavailable(absenceIn(error));
  if (error instanceof BodyRefused) return refused(error);
  if (error instanceof QuotaExceeded) return errors.quotaExceeded(error.message);
  const statusCode = statusCodeOf(error);
  return statusCode !== undefined && statusCode < 500 ? errors.badRequest('The request is not well-formed HTTP') : undefined;
};

/** Preferred format of the caller; `undefined` if it accepts none of the route's formats. */
const formatFor = ({ answers }: Pick<KeyedAccess, 'answers'>, accept: string | undefined): WireFormat | undefined => {
  if (answers === undefined) return negotiate(accept);
  return acceptedType(accept, [answers]) === undefined ? undefined : 'json';
};

/** Status contract 1.10. */
const CORS = { headers: 'Content-Type, Accept, x-api-key', methods: 'GET, POST, DELETE, PUT, OPTIONS' };

/** Tenant or node that the call is for. */
const calledFor = ({ headers, params }: FastifyRequest): CalledFor => ({
  tenantId: firstOf(headers['x-tenant-id']),
  node: (params as Readonly<Record<string, string>> | null)?.node,
});

const refusalOf = (route: KeyedAccess, caller: StatusCaller | undefined): errors.StatusError | undefined => {
  if (!caller) return errors.unauthorized();
  return mayCall(route, caller.roles) ? undefined : errors.forbidden();
};

/** HTTP handling around the handlers of `/api/v2` to `/api/v5` and `/metrics/status`, with the order of checks of status contract 1.4. */
export class StatusHttpPolicy implements ServiceHttpPolicy {
  readonly prefix = '/api/v2';
  readonly readsOf = 'status';
  readonly callersIn = [TENANTS, ACCESS_KEYS];
  readonly otherPrefixes = ['/api/v3', '/api/v4', '/api/v5', '/metrics/status'];
  readonly cors?: CorsPolicy;

  /** @param origins of pages that may call the service */
  constructor(
    private readonly access: StatusAccess,
    private readonly logger: Logger,
    origins: readonly string[],
  ) {
    if (origins.length > 0) this.cors = { ...CORS, origins };
  }

  cleanedPath(path: string): string | undefined {
    return cleanedPath(path);
  }

  unknownPath(_request: FastifyRequest, reply: FastifyReply): void {
    reply.code(404).header('content-type', 'text/plain; charset=utf-8').send('404 page not found\n');
  }

  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
    if (isAllowedPreflight(this.cors, request)) void methods(`${allow}, OPTIONS`).send(reply);
    else reply.code(405).header('allow', allow).send();
  }

  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void {
    const route = request.routeOptions.config.status;
    if (!route) {
      // A route without declared callers is refused, so that the roles of a new route cannot be forgotten.
      if (request.method === 'OPTIONS') proceed(ANYBODY);
      else this.send(reply, errors.forbidden(), negotiate(request.headers.accept));
      return;
    }
    if (route === 'everybody') {
      if (negotiate(request.headers.accept)) proceed(ANYBODY);
      else this.send(reply, errors.notAcceptable(), undefined);
      return;
    }
    const auditor = request.pastCall?.auditor;
    if (auditor) {
      this.admitAuditor(auditor, route, request, reply, proceed);
      return;
    }
    const admitCaller = (caller: StatusCaller | undefined): void => {
      const format = formatFor(route, request.headers.accept);
      const refusal = refusalOf(route, caller);
      if (!caller || refusal) this.send(reply, refusal ?? errors.unauthorized(), format);
      else if (!format) this.send(reply, errors.notAcceptable(route.answers), format);
      else {
        request.statusAdmission = { caller, format };
        proceed(`status ${caller.actorId}`);
      }
    };
    const caller = this.callerOf(request, route);
    if (caller instanceof Promise) caller.then(admitCaller).catch((error: unknown) => this.failed(error, request, reply));
    else admitCaller(caller);
  }

  async admitAgain(request: FastifyRequest): Promise<void> {
    const route = request.routeOptions.config.status;
    if (!route || route === 'everybody' || request.pastCall?.auditor) return;
    const refusal = refusalOf(route, await this.callerOf(request, route));
    if (refusal) throw refusal;
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    setResumedAfter(reply, error);
    const answer = statusErrorOf(error) ?? errors.internalError();
    if (looksAgain(request, reply, 'status', answer.statusCode === 404 || answer.isOfReference)) return;
    logFailure(this.logger, error, request, answer.statusCode);
    this.send(reply, answer, request.statusAdmission?.format ?? negotiate(request.headers.accept));
  }

  private callerOf(request: FastifyRequest, { keys }: KeyedAccess): ReturnType<StatusAccess['authenticate']> {
    const apiKey = request.headers['x-api-key'];
    return typeof apiKey === 'string' && apiKey !== '' ? this.access.authenticate(keys, headerText(apiKey), calledFor(request)) : undefined;
  }

  /** An auditor of the past has the rights of a super administrator, and inside a tenant, existing or not, those of its administrator. */
  private admitAuditor(
    { keyId: actorId }: Auditor,
    { keys, answers }: KeyedAccess,
    request: FastifyRequest,
    reply: FastifyReply,
    proceed: (caller: string) => void,
  ): void {
    const format = formatFor({ answers }, request.headers.accept);
    const tenantId = request.headers['logbook-tenant'];
    if (!format) this.send(reply, errors.notAcceptable(answers), format);
    else if (keys === 'admin' || keys === 'integration') {
      request.statusAdmission = { caller: { kind: 'admin', actorId, roles: ['super_admin'] }, format };
      proceed(`status ${actorId}`);
    } else if (typeof tenantId === 'string' && TENANT_ID.test(tenantId)) {
      request.statusAdmission = { caller: { kind: 'tenant', tenantId, actorId, roles: ['admin'], isAuditor: true }, format };
      proceed(`status ${actorId}`);
    } else this.send(reply, errors.asOfRefused(noTenant()), format);
  }

  private send(reply: FastifyReply, error: errors.StatusError, format: WireFormat | undefined): void {
    const { type, text } = errors.errorBody(error, format === 'xml');
    setRetryAfter(reply, error.statusCode);
    reply.code(error.statusCode).header('content-type', type).send(text);
  }
}
