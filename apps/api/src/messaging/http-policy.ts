import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import type { Auditor } from '#api/shared/as-of/past-call.js';
import type { BodyKind } from '#api/shared/bodies/body-limits.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { absenceIn, isOutage, statusCodeOf } from '#api/shared/http/failures.js';
import type { CorsPolicy } from '#api/shared/http/headers/cors.js';
import { loggedPath } from '#api/shared/http/paths/logged-path.js';
import { cleanedPath } from '#api/shared/http/paths/request-target.js';
import { looksAgain } from '#api/shared/http/readings.js';
import { bearerTokenOf, firstOf } from '#api/shared/http/request-context.js';
import { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { ANYBODY, logFailure, type ServiceHttpPolicy, setResumedAfter, setRetryAfter } from '#api/shared/http/service-http-policy.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import { DomainError } from '#domain/shared/decider.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';
import { SubjectKeyDestroyed } from '#infra/stores/secrets/subject-keys.js';
import { ACCOUNTS, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ACCESS_KEYS } from '#projections/operations/access-keys/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import { type KeyHolder, MessagingAccess } from './access.js';
import { empty, JSON_TYPE } from './answers/answers.js';
import { toHttpError } from './domain-errors.js';
import * as errors from './errors.js';
import { wrongVariables } from './names.js';
import type { Callers } from './roles.js';

/**
 * The caller. The role table and ACLs are applied to `roles`: the roles in the project of the path and the service roles (messaging
 * contract 1.4). Everything beyond that project depends on `serviceRoles` alone, because the administrator of a project can grant any role
 * in it, `service_admin` included.
 */
export type MessagingCaller = KeyHolder & Readonly<{ roles: readonly string[] }>;

/** Result of the checks before the handler runs. `project`: that of the path, if it exists. */
type Admission = Readonly<{ caller: MessagingCaller; project?: ProjectReference }>;

export type RouteOptions = Readonly<{
  who: Callers;
  /** `new`: the project of the path need not exist. Default `known`. */
  project?: 'known' | 'new';
  /** Set if variables of the path need not be valid names. */
  anyVariables?: boolean;
}>;
declare module 'fastify' {
  interface FastifyContextConfig {
    messaging?: RouteOptions;
  }
  interface FastifyRequest {
    messagingCall?: Admission;
  }
}

/** Only inside handlers of routes that require a caller. */
export const messagingCall = (request: FastifyRequest): Admission => {
  const call = request.messagingCall;
  if (!call) throw new Error(`${loggedPath(request)} was not admitted`);
  return call;
};

/** Project of the path; only inside handlers of routes that require it to exist. */
export const projectOf = (request: FastifyRequest): ProjectReference => {
  const { project } = messagingCall(request);
  if (!project) throw new Error(`${loggedPath(request)} has no project`);
  return project;
};

/** Only inside handlers of routes open to anyone: `undefined` without a key, or if nobody holds it. */
export const callerIfAny = (request: FastifyRequest): MessagingCaller | undefined => request.messagingCall?.caller;

const refused = ({ reason }: BodyRefused, limit: BodyKind | undefined): errors.MessagingError => {
  if (reason === 'busy') return errors.notReady();
  if (reason === 'slow') return errors.bodyTooSlow();
  return limit === 'publish' ? errors.messageTooLarge() : errors.invalidBody();
};

/** The subject was erased or deleted meanwhile: secret or personal data cannot be written to it any more. */
const erased = ({ subject }: SubjectKeyDestroyed): errors.MessagingError => {
  if (subject.startsWith('subscription-')) return errors.subscriptionNotFound();
  return subject.startsWith('registration-') ? errors.registrationNotFound() : errors.userNotFound();
};

const translate = (error: unknown, limit: BodyKind | undefined): errors.MessagingError | undefined => {
  if (error instanceof errors.MessagingError) return error;
  if (error instanceof AsOfRefused) return errors.asOfRefused(error);
  if (error instanceof RoleElsewhere) return errors.roleElsewhere(error);
  if (error instanceof MalformedJson) return errors.invalidBody();
  if (error instanceof DomainError) return toHttpError(error);
  if (error instanceof IdempotencyKeyReused) return errors.idempotencyKeyReused();
  if (error instanceof SubjectKeyDestroyed) return erased(error);
  if (error instanceof PartitionSetAside) return errors.setAside();
  if (isOutage(error)) return errors.notReady(absenceIn(error));
  if (error instanceof BodyRefused) return refused(error, limit);
  if (error instanceof QuotaExceeded) return errors.quotaExceeded(error.message);
  const statusCode = statusCodeOf(error);
  return statusCode !== undefined && statusCode < 500 ? errors.malformedRequest() : undefined;
};

/** Messaging contract 0.1. */
const CORS = {
  headers: 'X-Requested-With, Content-Type, x-api-key',
  headersOnRequest: ['Authorization'],
  methods: 'OPTIONS, POST, GET, PUT, DELETE, HEAD',
  methodsOnRequest: ['PATCH'],
};

/** The HTTP policy of `/v1`. The order of checks is that of messaging contract 1.3, with the key before the project (design 8, O8). */
@Injectable()
export class MessagingHttpPolicy implements ServiceHttpPolicy {
  readonly prefix = '/v1';
  readonly readsOf = 'messaging';
  readonly callersIn = [ACCOUNTS, ACCESS_KEYS];
  readonly cors: CorsPolicy;

  constructor(
    private readonly access: MessagingAccess,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIGURATION) { corsOrigins }: Pick<Configuration, 'corsOrigins'>,
  ) {
    this.cors = { ...CORS, origins: corsOrigins.messaging };
  }

  cleanedPath(path: string): string | undefined {
    return cleanedPath(path);
  }

  unknownPath(_request: FastifyRequest, reply: FastifyReply): void {
    this.send(reply, errors.unknownPath());
  }

  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
    reply.header('allow', allow);
    if (request.method === 'OPTIONS')
      empty().send(reply); // a preflight: every response has the CORS headers
    else this.send(reply, errors.wrongMethod());
  }

  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void {
    const route = request.routeOptions.config.messaging;
    if (!route) {
      this.send(reply, errors.forbidden()); // a route without declared callers is closed
      return;
    }
    this.admission(request, route).then(
      (call) => {
        request.messagingCall = call;
        proceed(call ? `messaging ${call.caller.actorId}` : ANYBODY);
      },
      (error: unknown) => this.failed(error, request, reply),
    );
  }

  /** A project that was renamed is not found, even if another one has its name now. */
  async admitAgain(request: FastifyRequest): Promise<void> {
    const { messagingCall: first } = request;
    const route = request.routeOptions.config.messaging;
    if (!first || !route) return;
    const call = await this.admission(request, route);
    if (!call) throw errors.unauthorized();
    if (call.project?.projectId !== first.project?.projectId) throw errors.projectNotFound();
    request.messagingCall = call;
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    setResumedAfter(reply, error);
    const known = translate(error, request.routeOptions.config.body);
    const answer = known ?? errors.internalError();
    if (looksAgain(request, reply, 'messaging', answer.statusCode === 404)) return;
    if (known !== error) logFailure(this.logger, error, request, answer.statusCode);
    this.send(reply, answer);
  }

  /** @throws MessagingError if the call is not admitted */
  private async admission(request: FastifyRequest, route: RouteOptions): Promise<Admission | undefined> {
    const variables = request.params as Readonly<Record<string, string>>;
    const wrong = route.anyVariables ? [] : wrongVariables(variables);
    const [first] = wrong;
    if (first === undefined) return this.admissionTo(request, route, variables);
    // Names that came from bodies may be any text. Only admitted callers learn that one exists.
    if (!(await this.mayBeNames(request, wrong, variables))) throw errors.invalidName(first);
    return this.admissionTo(request, route, variables).catch((error: unknown) => {
      throw error instanceof errors.MessagingError ? errors.invalidName(first) : error;
    });
  }

  /** Looks nothing up for requests without a caller. If it cannot be known now whether a project or user has the name, none has. */
  private async mayBeNames(
    request: FastifyRequest,
    wrong: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    if (request.pastCall?.refusal) return true;
    try {
      if (!(await this.holderOf(request))) return false;
      const named = await Promise.all(wrong.map((variable) => this.access.isNamed(variable, variables[variable] ?? '')));
      return !named.includes(false);
    } catch (error) {
      if (isOutage(error)) return false;
      throw error;
    }
  }

  private async admissionTo(
    request: FastifyRequest,
    { who, project: presence }: RouteOptions,
    variables: Readonly<Record<string, string>>,
  ): Promise<Admission | undefined> {
    const holder = await this.holderOf(request);
    if (who === 'anyone') return holder && { caller: { ...holder, roles: holder.serviceRoles } };
    if (!holder) throw errors.unauthorized();

    const project = variables.project === undefined ? undefined : await this.access.project(variables.project);
    if (variables.project !== undefined && !project && presence !== 'new') {
      // A read of the past that cannot be served looks up the present project, and that of then may be gone.
      throw request.pastCall?.refusal ?? errors.projectNotFound();
    }
    const roles = [...rolesIn(project, holder), ...holder.serviceRoles];
    if (roles.length === 0) throw errors.unauthorized();
    if (holder.kind === 'user' && !who.some((role) => roles.includes(role))) throw errors.forbidden();
    return project ? { caller: { ...holder, roles }, project } : { caller: { ...holder, roles } };
  }

  private async holderOf(request: FastifyRequest): Promise<KeyHolder | undefined> {
    const { pastCall } = request;
    if (pastCall?.auditor) return asAdministrator(pastCall.auditor);
    const key = keyOf(request);
    const holder = key ? await this.access.authenticate(key) : undefined;
    return holder && pastCall ? this.access.withRightsOfNow(holder) : holder;
  }

  private send(reply: FastifyReply, error: errors.MessagingError): void {
    setRetryAfter(reply, error.statusCode);
    reply.code(error.statusCode).header('content-type', JSON_TYPE).send(error.body);
  }
}

/** From `x-api-key`, then the query, then a bearer token. An empty one counts as absent (messaging contract 1.1). */
const keyOf = ({ headers, query }: FastifyRequest): string | undefined =>
  firstOf(headers['x-api-key']) || firstOf((query as Readonly<Record<string, unknown>>).key) || bearerTokenOf(headers);

/** An auditor who reads the past has the rights of a service administrator. */
const asAdministrator = ({ keyId }: Auditor): KeyHolder => ({
  kind: 'service',
  actorId: keyId,
  userId: null,
  name: null,
  serviceRoles: ['service_admin'],
  memberships: [],
});

const rolesIn = (project: ProjectReference | undefined, { memberships }: KeyHolder): readonly string[] =>
  memberships.find(({ projectId }) => projectId === project?.projectId)?.roles ?? [];
