import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountingAccess } from '#api/accounting/access/access.js';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { absenceIn, isOutage, statusCodeOf } from '#api/shared/http/failures.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { type CorsPolicy, isAllowedPreflight } from '#api/shared/http/headers/cors.js';
import { loggedPath } from '#api/shared/http/paths/logged-path.js';
import { looksAgain } from '#api/shared/http/readings.js';
import { bearerTokenOf } from '#api/shared/http/request-context.js';
import { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { logFailure, pathOf, type ServiceHttpPolicy, setResumedAfter, setRetryAfter } from '#api/shared/http/service-http-policy.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { DomainError } from '#domain/shared/decider.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { SubjectKeyDestroyed } from '#infra/stores/secrets/subject-keys.js';
import { ACCESS } from '#projections/accounting/access/queries.js';
import { ACCESS_KEYS } from '#projections/operations/access-keys/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { AccountingCaller } from './caller.js';
import { toHttpError } from './domain-errors.js';
import * as errors from './errors.js';

export type RouteOptions = Readonly<{
  /** Accepted content types: `json` (or no content type), or `anything`. Default: `json` for POST, PATCH and PUT, otherwise `anything`. */
  consumes?: 'json' | 'anything';
  /** `listener`: callers present a secret of the push listener instead of an access token. Default `token`. */
  access?: 'token' | 'listener';
  /** Content types of the answer. Default: JSON. */
  produces?: readonly string[];
}>;

type Admission = Readonly<{ caller?: AccountingCaller; publicUrl: string }>;

declare module 'fastify' {
  interface FastifyContextConfig {
    accounting?: RouteOptions;
  }
  interface FastifyRequest {
    accounting?: Admission;
  }
}

const admission = (request: FastifyRequest): Admission => {
  if (!request.accounting) throw new Error(`${loggedPath(request)} was not admitted`);
  return request.accounting;
};

/** Only inside handlers of routes of this service that take tokens. */
export const accountingCaller = (request: FastifyRequest): AccountingCaller => {
  const { caller } = admission(request);
  if (!caller) throw new Error(`${loggedPath(request)} takes no token`);
  return caller;
};

/** Public URL of this server, without a trailing slash, for links and `Location`. */
export const publicUrlOf = (request: FastifyRequest): string => admission(request).publicUrl;

const PREFIX = '/accounting-system';

/** The first segments of all paths. */
const ROOTS = new Set([
  'installations',
  'projects',
  'metrics',
  'metric-definitions',
  'unit-types',
  'metric-types',
  'providers',
  'resources',
  'clients',
  'admin',
  'operands',
  'operators',
  'ams-listener',
]);

const JSON_CONTENT = /^\s*application\/json\s*(?:;|$)/i;

const consumesJson = ({ method, routeOptions }: FastifyRequest): boolean => {
  const consumes = routeOptions.config.accounting?.consumes ?? (['POST', 'PATCH', 'PUT'].includes(method) ? 'json' : 'anything');
  return consumes === 'json';
};

const JSON_ONLY = ['application/json'];

/** Error in a request line or headers that the route does not support. */
const obstacle = (request: FastifyRequest): errors.AccountingError | undefined => {
  const { accept, 'content-type': contentType } = request.headers;
  if (contentType && consumesJson(request) && !JSON_CONTENT.test(contentType)) return errors.unsupportedMediaType();
  return acceptedType(accept, request.routeOptions.config.accounting?.produces ?? JSON_ONLY) === undefined
    ? errors.notAcceptable()
    : undefined;
};

const translate = (error: unknown): errors.AccountingError | undefined => {
  if (error instanceof errors.AccountingError) return error;
  if (error instanceof AsOfRefused) return errors.asOfRefused(error);
  if (error instanceof RoleElsewhere) return errors.roleElsewhere(error);
  if (error instanceof MalformedJson) return errors.malformed();
  if (error instanceof DomainError) return toHttpError(error);
  if (error instanceof IdempotencyKeyReused) return errors.keyReused();
  if (error instanceof SubjectKeyDestroyed) return errors.gone(); // deleted meanwhile
  if (error instanceof PartitionSetAside) return errors.setAside();
  if (isOutage(error)) return errors.unavailable(absenceIn(error));
  if (error instanceof BodyRefused) return errors.bodyRefused(error);
  const statusCode = statusCodeOf(error);
  return statusCode !== undefined && statusCode < 500 ? errors.malformed() : undefined;
};

const CORS = { headers: 'Authorization, Content-Type, Accept', methods: 'GET, POST, PATCH, PUT, DELETE, OPTIONS' };

/** Checks of calls to `/accounting-system`: 401, then 404 and 405, 415, 406 (accounting contract 1.2, 1.8, 2.2), then the body. */
export class AccountingHttpPolicy implements ServiceHttpPolicy {
  readonly prefix = PREFIX;
  readonly readsOf = 'accounting';
  readonly callersIn = [ACCESS, ACCESS_KEYS];
  readonly usualBody = 'entry';
  /** Ids of projects, providers and resources may be any text. */
  readonly slashesInSegments = true;

  readonly cors?: CorsPolicy;

  /**
   * @param publicUrl called for every request, because the port may not be known earlier
   * @param origins of pages that may call the service
   * @param listenerSecrets values of `Authorization` that the push listener accepts
   */
  constructor(
    private readonly access: AccountingAccess,
    private readonly logger: Logger,
    private readonly publicUrl: () => string,
    origins: readonly string[],
    private readonly listenerSecrets: readonly string[],
  ) {
    if (origins.length > 0) this.cors = { ...CORS, origins };
  }

  unknownPath(request: FastifyRequest, reply: FastifyReply): void {
    const root = pathOf(request.url).split('/')[2] ?? '';
    this.authenticated(request, reply, () => this.send(reply, ROOTS.has(root) ? errors.unknownPath() : errors.unknownRoot()));
  }

  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
    if (isAllowedPreflight(this.cors, request)) reply.header('allow', `${allow}, OPTIONS`).send('');
    else this.authenticated(request, reply, () => this.send(reply.header('allow', allow), errors.wrongMethod()));
  }

  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void {
    const isListener = request.routeOptions.config.accounting?.access === 'listener';
    const enter = (caller?: AccountingCaller): void => {
      const problem = obstacle(request) ?? (isListener && !this.knowsSecret(request) ? errors.noListenerSecret() : undefined);
      if (problem) {
        this.send(reply, problem);
        return;
      }
      request.accounting = { caller, publicUrl: this.publicUrl() };
      proceed(`accounting ${caller?.shareName ?? 'listener'}`);
    };
    if (isListener) enter();
    else this.authenticated(request, reply, enter);
  }

  async admitAgain(request: FastifyRequest): Promise<void> {
    if (!request.accounting?.caller || request.pastCall?.auditor) return;
    const token = bearerTokenOf(request.headers);
    if (token === undefined) throw errors.unauthorized();
    request.accounting = { ...request.accounting, caller: await this.access.recognize(token) };
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const answer = translate(error) ?? errors.internal();
    if (looksAgain(request, reply, 'accounting', answer.statusCode === 404)) return;
    logFailure(this.logger, error, request, answer.statusCode);
    // A URL that the router cannot parse arrives here without admission.
    const isForAll = error instanceof errors.AccountingError || error instanceof AsOfRefused || error instanceof RoleElsewhere;
    const send = (): void => {
      setResumedAfter(reply, error);
      this.send(reply, answer);
    };
    if (request.accounting || isForAll) send();
    else this.authenticated(request, reply, send);
  }

  /** Callers without a token get 401 in every case. */
  private authenticated(request: FastifyRequest, reply: FastifyReply, proceed: (caller: AccountingCaller) => void): void {
    const auditor = request.pastCall?.auditor;
    if (auditor) {
      proceed(this.access.asAdministrator(auditor));
      return;
    }
    const token = bearerTokenOf(request.headers);
    if (token === undefined) {
      this.send(reply, errors.unauthorized());
      return;
    }
    const caller = this.access.authenticate(token);
    if (caller instanceof AccountingCaller) {
      proceed(caller);
      return;
    }
    caller.then(proceed, (error: unknown) => {
      setResumedAfter(reply, error);
      const answer = translate(error) ?? errors.internal();
      logFailure(this.logger, error, request, answer.statusCode);
      this.send(reply, answer);
    });
  }

  private knowsSecret({ headers }: FastifyRequest): boolean {
    const given = hash('sha256', headers.authorization ?? '', 'buffer');
    return this.listenerSecrets.some((secret) => timingSafeEqual(given, hash('sha256', secret, 'buffer')));
  }

  private send(reply: FastifyReply, { statusCode, message }: errors.AccountingError): void {
    setRetryAfter(reply, statusCode);
    if (statusCode === 401) reply.header('www-authenticate', 'Bearer');
    reply.code(statusCode).header('content-type', 'application/json; charset=utf-8').send(errors.envelope(statusCode, message));
  }
}
