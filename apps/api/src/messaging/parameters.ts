import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReceivedBody, Shape } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf, firstOf, hashInSlices, receivedBodyOf } from '#api/shared/http/request-context.js';
import type { WantedLabel } from '#domain/messaging/resources/labels.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { bodyFrom } from './bodies.js';
import type { MessagingError } from './errors.js';
import { callerIfAny, type MessagingCaller, messagingCall, projectOf } from './http-policy.js';
import { labelOf, pageOf } from './pagination.js';

/** Who calls a route for anyone; `undefined` without a key, or if nobody has it. */
export const CallerIfAny = parameter(callerIfAny);

const callerContextOf = (request: FastifyRequest): CommandContext => {
  const { kind, actorId } = messagingCall(request).caller;
  return contextOf(request, 'messaging', { kind: kind === 'user' ? 'user' : 'key', id: actorId });
};

/** What handlers know of their call; each member for routes that have it. */
export class MessagingCall {
  /** @param reply for handlers that need it itself: Nest sends what they return */
  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  /** Of routes that are not for anyone. */
  get caller(): MessagingCaller {
    return messagingCall(this.request).caller;
  }

  /** What surrounds a command of the caller. */
  get context(): CommandContext {
    return callerContextOf(this.request);
  }

  /** That of the path. */
  get project(): ProjectReference {
    return projectOf(this.request);
  }

  /** The part of a list that the query asks for. @throws MessagingError B26, B27 */
  get page(): Page {
    return pageOf(this.query);
  }

  /** The label that a list is to be filtered by, if any. @throws MessagingError B39 */
  get label(): WantedLabel | undefined {
    return labelOf(this.query);
  }

  /** As it came. */
  get body(): ReceivedBody | undefined {
    return receivedBodyOf(this.request);
  }

  /** A parameter of the query; the first where it is repeated, `undefined` where it is absent. */
  readonly queryText = (name: string): string | undefined => firstOf(this.query[name]);

  private get query(): Readonly<Record<string, unknown>> {
    return this.request.query as Readonly<Record<string, unknown>>;
  }
}

export const Call = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const http = host.switchToHttp();
  return new MessagingCall(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/** The context of a call whose body may be large: made when it is asked for, because the body may have to be hashed, which takes some slices. */
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
