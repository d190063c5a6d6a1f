import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readLargeBody, type Shape } from '#api/shared/bodies/body-shape.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Day } from '#domain/shared/time.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { bodyOf, firstOf, receivedBodyOf } from './request-context.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds since 1970-01-01 UTC, for all requests. */
    clock: Clock;
    credentialHashes: CredentialHashes;
    /** Today in UTC. */
    today: () => Day;
  }
}

export const requestOf = (host: ExecutionContext): FastifyRequest => host.switchToHttp().getRequest<FastifyRequest>();

/** A parameter decorator for handlers. The value is the result of `read`, which may be a promise. An error that it throws is the answer. */
export const parameter = <Value>(read: (request: FastifyRequest) => Value) =>
  createParamDecorator((_data: unknown, host: ExecutionContext) => read(requestOf(host)));

/** The body, parsed by this shape. @throws MalformedJson */
export const Body = createParamDecorator((shape: Shape<unknown>, host: ExecutionContext) =>
  readLargeBody(shape, receivedBodyOf(requestOf(host))),
);

/** A query parameter: the first if it is repeated, `undefined` if it is absent. */
export const QueryText = createParamDecorator((name: string, host: ExecutionContext) =>
  firstOf((requestOf(host).query as Readonly<Record<string, unknown>>)[name]),
);

/** The bytes of the body; empty if there is no body. */
export const BodyBytes = parameter((request): Buffer => bodyOf(request) ?? Buffer.alloc(0));
