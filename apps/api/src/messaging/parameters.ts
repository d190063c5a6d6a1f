import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Shape } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf, hashInSlices, receivedBodyOf } from '#api/shared/http/request-context.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { bodyFrom } from './bodies.js';
import type { MessagingError } from './errors.js';
import { callerIfAny, messagingCall, projectOf } from './http-policy.js';
import { labelOf, pageOf } from './pagination.js';

/** Who calls a route that is not for anyone: a {@link MessagingCaller}. */
export const Caller = parameter((request) => messagingCall(request).caller);

/** Who calls a route for anyone; `undefined` without a key, or if nobody has it. */
export const CallerIfAny = parameter(callerIfAny);

/** The project of the path: a {@link ProjectReference}. */
export const Project = parameter(projectOf);

/** The part of a list that the query asks for: a {@link Page}. @throws MessagingError B26, B27 */
export const PageQuery = parameter((request) => pageOf(request.query as Readonly<Record<string, unknown>>));

/** The label that a list is to be filtered by, if any: a {@link WantedLabel}. @throws MessagingError B39 */
export const LabelQuery = parameter((request) => labelOf(request.query as Readonly<Record<string, unknown>>));

const callerContextOf = (request: FastifyRequest): CommandContext => {
  const { kind, actorId } = messagingCall(request).caller;
  return contextOf(request, 'messaging', { kind: kind === 'user' ? 'user' : 'key', id: actorId });
};

/** What surrounds a command of the caller: a {@link CommandContext}. */
export const CallerContext = parameter(callerContextOf);

/** The same of a call whose body may be large: made when it is asked for, because the body may have to be hashed, which takes some slices. */
export const LargeCallContext = parameter((request) => async (): Promise<CommandContext> => {
  await hashInSlices(request);
  return callerContextOf(request);
});

type BodyOptions = Readonly<{ shape: Shape<unknown>; malformed: () => MessagingError }>;

const ShapedBody = createParamDecorator(({ shape, malformed }: BodyOptions, host: ExecutionContext) =>
  bodyFrom(receivedBodyOf(host.switchToHttp().getRequest<FastifyRequest>()), shape, malformed),
);

/** The body as this shape reads it. @throws `malformed`, the error that the route has for a body of another shape */
export const BodyOf = (shape: Shape<unknown>, malformed: () => MessagingError): ParameterDecorator => ShapedBody({ shape, malformed });
