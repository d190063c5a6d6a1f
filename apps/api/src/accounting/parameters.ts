import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Infer, Shape } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { contextOf, firstOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { routeOf } from '#api/shared/routes/route.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { bodyFrom, largeBodyFrom, required } from './bodies.js';
import type { AccountingCaller } from './caller.js';
import { accountingCaller, publicUrlOf } from './http-policy.js';
import { LISTENER_ID } from './listener-configuration.js';
import { type RequestedPage, requestedPage } from './paging.js';
import { Pace } from './search/pace.js';

/**
 * What surrounds a command of the caller; the actor is its id, with its issuer unless that is Logbook itself. A function, because a caller without an
 * id is refused only where the id is needed: after 404 and 403.
 * @throws AccountingError 400 when the token has no id
 */
export type ContextOfCall = () => CommandContext;

/**
 * Reads `page` and `size` of the query. A function, because 403 and 404 come before a page that is not valid.
 * @throws AccountingError 400, about the page first
 */
export type PageOfCall = (largestSize?: number) => RequestedPage;

/** `Location` of a record that the call creates: the path of the request and the id. */
export type LocationOf = (id: string) => string;

/** What handlers of routes that take a token know of their call. @typeParam Body what the route declares as the body */
export type AccountingCall<Body extends Shape<unknown> = never> = Readonly<{
  /** The holder of the access token. */
  caller: AccountingCaller;
  context: ContextOfCall;
  /**
   * The body as the route declares it; `undefined` where there is none, which `present` refuses once the caller's permission is known. Handlers take it
   * before they look at any permission.
   * @throws MalformedJson (400)
   */
  given: Infer<Body> | undefined;
  pageOf: PageOfCall;
  /** A parameter of the query; the first where it is repeated, `undefined` where it is absent. */
  queryText: (name: string) => string | undefined;
  locationOf: LocationOf;
  /** Of work that ends with the connection. */
  pace: Pace;
}>;

export const callOf = (request: FastifyRequest, body?: Shape<unknown>): AccountingCall<Shape<unknown>> => {
  const caller = accountingCaller(request);
  return {
    caller,
    context: () => {
      const { id, issuer } = caller;
      const actor = { kind: 'user', id: issuer === OWN_ISSUER ? id : `${id}@${issuer}` } as const;
      return contextOf(request, 'accounting', actor);
    },
    get given() {
      return body && bodyFrom(request, body);
    },
    pageOf: (largestSize) => requestedPage(request, largestSize),
    queryText: (name) => firstOf((request.query as Readonly<Record<string, unknown>>)[name]),
    locationOf: (id) => `${publicUrlOf(request)}${pathOf(request.url)}/${encodeURIComponent(id)}`,
    pace: new Pace(() => request.raw.socket.destroyed),
  };
};

const requestOf = (host: ExecutionContext): FastifyRequest => host.switchToHttp().getRequest<FastifyRequest>();

export const Call = createParamDecorator((_data: unknown, host: ExecutionContext) =>
  callOf(requestOf(host), routeOf(host.getHandler())?.declaration.body),
);

/**
 * The context of a command whose own checks come before the need for an id.
 * @param checks what the command checks first: made here only for a caller that will be refused
 */
export const contextAfter = async (context: ContextOfCall, checks: () => Promise<unknown>): Promise<CommandContext> => {
  try {
    return context();
  } catch (error) {
    await checks();
    throw error;
  }
};

/** What surrounds a command of the push listener. */
export const ListenerContext = parameter((request) => contextOf(request, 'accounting', { kind: 'system', id: LISTENER_ID }));

/** The body as this shape reads it, where it may be large; `undefined` where there is none. @throws MalformedJson (400), before any permission is looked at */
export const GivenLargeBody = createParamDecorator((shape: Shape<unknown>, host: ExecutionContext) =>
  largeBodyFrom(requestOf(host), shape),
);

/** External id of a provider in a project; the original names the parameter otherwise than elsewhere. @throws AccountingError 400, naming it as the original does */
export const ExternalProviderId = parameter((request): string => {
  const query = request.query as Readonly<Record<string, unknown>>;
  return required(firstOf(query.externalProviderId) || firstOf(query.externalId), 'externalProviderId');
});
