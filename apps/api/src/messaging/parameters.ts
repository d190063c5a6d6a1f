import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReceivedBody, Shape } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf, firstOf, hashInSlices, receivedBodyOf } from '#api/shared/http/request-context.js';
import type { WantedLabel } from '#domain/messaging/resources/labels.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import type { Page } from '#projections/messaging/newest-first.js';
import { labelOf, pageOf } from './answers/pagination.js';
import { bodyFrom } from './bodies.js';
import type { MessagingError } from './errors.js';
import { callerIfAny, type MessagingCaller, messagingCall, projectOf } from './http-policy.js';

/** Caller of a route open to anyone; `undefined` without a key, or if nobody holds it. */
export const CallerIfAny = parameter(callerIfAny);

const callerContextOf = (request: FastifyRequest): CommandContext => {
  const { kind, actorId } = messagingCall(request).caller;
  return contextOf(request, 'messaging', { kind: kind === 'user' ? 'user' : 'key', id: actorId });
};

/** A call as handlers see it. Each member works only on routes that have it. */
export class MessagingCall {
  /** @param reply for handlers that use it directly: otherwise Nest sends the returned answer */
  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  /** For routes that require a caller. */
  get caller(): MessagingCaller {
    return messagingCall(this.request).caller;
  }

  get context(): CommandContext {
    return callerContextOf(this.request);
  }

  get project(): ProjectReference {
    return projectOf(this.request);
  }

  /** Requested part of a list. @throws MessagingError B26, B27 */
  get page(): Page {
    return pageOf(this.query);
  }

  /** Label filter of a list, if any. @throws MessagingError B39 */
  get label(): WantedLabel | undefined {
    return labelOf(this.query);
  }

  /** Unparsed body. */
  get body(): ReceivedBody | undefined {
    return receivedBodyOf(this.request);
  }

  /** A query parameter: the first if it is repeated, `undefined` if it is absent. */
  readonly queryText = (name: string): string | undefined => firstOf(this.query[name]);

  private get query(): Readonly<Record<string, unknown>> {
    return this.request.query as Readonly<Record<string, unknown>>;
  }
}

export const Call = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const http = host.switchToHttp();
  return new MessagingCall(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});

/** Context of a call whose body may be large. It is made on demand, because hashing the body may take some slices. */
export const LargeCallContext = parameter((request) => async (): Promise<CommandContext> => {
  await hashInSlices(request);
  return callerContextOf(request);
});

type BodyOptions = Readonly<{ shape: Shape<unknown>; malformed: () => MessagingError }>;

const ShapedBody = createParamDecorator(({ shape, malformed }: BodyOptions, host: ExecutionContext) =>
  bodyFrom(receivedBodyOf(host.switchToHttp().getRequest<FastifyRequest>()), shape, malformed),
);

/** Body parsed by this shape. @throws `malformed`, the error of the route for a body of another shape */
export const BodyOf = (shape: Shape<unknown>, malformed: () => MessagingError): ParameterDecorator => ShapedBody({ shape, malformed });
