import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AsOfRefused } from '#api/shared/as-of/as-of-refused.js';
import { BodyRefused } from '#api/shared/bodies/body-refused.js';
import { absenceIn, isOutage, SET_ASIDE, statusCodeOf } from '#api/shared/http/failures.js';
import { looksAgain } from '#api/shared/http/readings.js';
import { RoleElsewhere } from '#api/shared/http/role-elsewhere.js';
import { ANYBODY, logFailure, type ServiceHttpPolicy, setResumedAfter, setRetryAfter } from '#api/shared/http/service-http-policy.js';
import { MOST_CERTIFICATES } from '#domain/operations/certificates.js';
import { DomainError } from '#domain/shared/decider.js';
import { EventStoreReadOnly } from '#domain/shared/event-store.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { SubjectKeyDestroyed } from '#infra/stores/secrets/subject-keys.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import { PartitionSetAside } from '#projections/shared/read-store.js';
import type { OpsKeys } from './ops-keys.js';
import { Problem } from './problem.js';

export type OpsRole = 'operator' | 'auditor';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Roles of the operations service of which a key needs one. */
    opsRoles?: readonly OpsRole[];
  }
  interface FastifyRequest {
    operator?: AccessKeyDocument;
  }
}

const LATER = 'the stores cannot take the request now, try again later';
const UNRECORDED = 'this call is recorded in the log, and a server of the past writes nothing: ask the server that writes';

const noSuchMember = (): Problem => new Problem(404, 'the messaging project has no member of this name');

/** Rules of `/ops` by their code in the domain. */
const REFUSED: Readonly<Record<string, (error: DomainError) => Problem>> = {
  KEY_NOT_FOUND: () => new Problem(404, 'there is no key with this id'),
  LAST_OPERATOR_KEY: () => new Problem(409, 'this is the last key with the role operator: make another one first'),
  CERTIFICATE_NOT_FOUND: () => new Problem(404, 'there is no binding with this id'),
  CERTIFICATE_BOUND: ({ details }) => new Problem(409, `the certificate is bound already: end the binding ${details?.bindingId} first`),
  TOO_MANY_CERTIFICATES: () =>
    new Problem(409, `${MOST_CERTIFICATES.toLocaleString('en-US')} certificates are bound, as many as there may be`),
  OVER_LIMIT: ({ details }) => new Problem(409, String(details.text)),
  TENANT_NOT_FOUND: () => new Problem(404, 'the tenant has no report of this name'),
  NO_SUCH_MEMBER: noSuchMember,
};

const nothingHere = (): Problem => new Problem(404, 'there is nothing at this path');

const translate = (error: unknown): Problem | undefined => {
  if (error instanceof Problem) return error;
  if (error instanceof RoleElsewhere || error instanceof AsOfRefused) return new Problem(error.statusCode, error.message);
  if (error instanceof DomainError) return REFUSED[error.code]?.(error);
  if (error instanceof SubjectKeyDestroyed) return noSuchMember(); // only certificates are sealed for a record that may be erased
  if (error instanceof IdempotencyKeyReused) return new Problem(422, 'the Idempotency-Key was used before with another request body');
  if (error instanceof PartitionSetAside) return new Problem(503, SET_ASIDE);
  if (error instanceof EventStoreReadOnly) return new Problem(503, UNRECORDED);
  if (isOutage(error)) return new Problem(503, `${LATER}${absenceIn(error)}`);
  if (error instanceof BodyRefused) return new Problem(error.statusCode, error.message);
  const statusCode = statusCodeOf(error);
  if (statusCode === undefined || statusCode >= 500) return undefined;
  if (statusCode === 403 || statusCode === 404) return nothingHere(); // of files that are served
  // Texts of the framework may quote the request, and so a key in it.
  return new Problem(statusCode, `the request was refused: ${STATUS_CODES[statusCode] ?? 'bad request'}`);
};

/** Records a refused call. */
export type NoteRefusal = (request: FastifyRequest, status: number) => Promise<unknown>;

/** Returns whether the caller is admitted to the key administration. Its calls are recorded, even refused ones (operations contract 1). */
const isKeyCall = ({ operator, routeOptions }: FastifyRequest): boolean =>
  operator !== undefined && routeOptions.url?.startsWith('/ops/keys') === true;

/** The edge of all paths outside of the services: `/ops`, health, metrics, documentation. Errors are problem details. */
export class OperationsHttpPolicy implements ServiceHttpPolicy {
  readonly prefix = '';
  readonly callersIn = [ACCESS_KEYS];
  readonly usualBody = 'form';
  /** Ids of actors and names of streams may contain any character. */
  readonly slashesInSegments = true;
  readonly answersHead = true;

  constructor(
    private readonly keys: OpsKeys,
    private readonly logger: Logger,
    private readonly noteRefusal: NoteRefusal,
  ) {}

  /** Paths without a key: files of the console, documentation, health, metrics. */
  isPublic(path: string): boolean {
    return !/^\/(ops|audit|console\/(session|live))(\/|$)/.test(path);
  }

  unknownPath(request: FastifyRequest, reply: FastifyReply): void {
    this.send(request, reply, nothingHere());
  }

  wrongMethod(request: FastifyRequest, reply: FastifyReply, allow: string): void {
    this.send(request, reply.header('allow', allow), new Problem(405, `this path answers ${allow}`));
  }

  authorize(request: FastifyRequest, reply: FastifyReply, proceed: (caller: string) => void): void {
    const roles = request.routeOptions.config.opsRoles;
    if (!roles) {
      proceed(ANYBODY);
      return;
    }
    this.admitted(request, roles)
      .then((key) => {
        request.operator = key;
        if (request.incomingBody && ['GET', 'HEAD', 'DELETE'].includes(request.method))
          throw new Problem(400, 'this call takes no body', [{ member: 'body', detail: 'must not be given' }]);
        proceed(`ops ${key.keyId}`);
      })
      .catch((error: unknown) => this.failed(error, request, reply));
  }

  async admitAgain(request: FastifyRequest): Promise<void> {
    const roles = request.routeOptions.config.opsRoles;
    if (roles) request.operator = await this.admitted(request, roles);
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    setResumedAfter(reply, error);
    const problem = translate(error) ?? new Problem(500, 'something went wrong inside; the log has it under this instance');
    if (looksAgain(request, reply, 'ops', problem.status === 404)) return;
    logFailure(this.logger, error, request, problem.status);
    if (isKeyCall(request) && problem.status < 500)
      this.noteRefusal(request, problem.status)
        .catch((failure: unknown) => logFailure(this.logger, failure, request, 503))
        .finally(() => this.send(request, reply, problem));
    else this.send(request, reply, problem);
  }

  /** @throws Problem 401, 403 */
  private async admitted({ headers }: FastifyRequest, roles: readonly OpsRole[]): Promise<AccessKeyDocument> {
    const key = await this.keys.ofRequest(headers);
    if (!key) throw new Problem(401, 'send a key of the operations service in the header x-api-key');
    if (!roles.some((role) => key.roles.includes(role))) throw new Problem(403, `this call needs the role ${roles.join(' or ')}`);
    return key;
  }

  private send(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
    setRetryAfter(reply, problem.status);
    reply.code(problem.status).type('application/problem+json; charset=utf-8').send(problem.body(request.id));
  }
}
