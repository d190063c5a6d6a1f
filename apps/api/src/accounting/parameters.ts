import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Infer, Shape } from '#api/shared/bodies/body-shape.js';
import { parameter, requestOf } from '#api/shared/http/parameters.js';
import { contextOf, firstOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { routeOf } from '#api/shared/routes/route.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { LISTENER_ID } from './ams/listener-configuration.js';
import { bodyFrom, largeBodyFrom, required } from './bodies.js';
import type { AccountingCaller } from './caller.js';
import { accountingCaller, publicUrlOf } from './http-policy.js';
import { type RequestedPage, requestedPage } from './paging.js';
import { Pace } from './search/pace.js';

/**
 * Context for commands of the caller. The actor is its id, with its issuer unless that is Logbook itself. It is a function, because a
 * caller without an id is refused only if the id is needed: after 404 and 403.
 * @throws AccountingError 400 if the token has no id
 */
export type ContextOfCall = () => CommandContext;

/**
 * Reads `page` and `size` of the query. It is a function, because 403 and 404 take precedence over an invalid page.
 * @throws AccountingError 400, about the page first
 */
export type PageOfCall = (largestSize?: number) => RequestedPage;

/** `Location` of a created record: the path of the request and the id. */
export type LocationOf = (id: string) => string;

/** A call as handlers of routes with a token see it. @typeParam Body the declared body of the route */
export type AccountingCall<Body extends Shape<unknown> = never> = Readonly<{
  /** The holder of the access token. */
  caller: AccountingCaller;
  context: ContextOfCall;
  /**
   * The body in its declared shape; `undefined` if there is none, which `present` refuses after the permission check. Handlers read it
   * before they check permissions.
   * @throws MalformedJson (400)
   */
  given: Infer<Body> | undefined;
  pageOf: PageOfCall;
  /** A query parameter: the first if it is repeated, `undefined` if it is absent. */
  queryText: (name: string) => string | undefined;
  locationOf: LocationOf;
  /** Pace of work that ends with the connection. */
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

export const Call = createParamDecorator((_data: unknown, host: ExecutionContext) =>
  callOf(requestOf(host), routeOf(host.getHandler())?.declaration.body),
);

/**
 * The context of a command whose own checks take precedence over a missing id.
 * @param checks first checks of the command: run here only for a caller that will be refused
 */
export const contextAfter = async (context: ContextOfCall, checks: () => Promise<unknown>): Promise<CommandContext> => {
  try {
    return context();
  } catch (error) {
    await checks();
    throw error;
  }
};

/** Context for commands of the push listener. */
export const ListenerContext = parameter((request) => contextOf(request, 'accounting', { kind: 'system', id: LISTENER_ID }));

/** Body that may be large, parsed by this shape; `undefined` if there is none. @throws MalformedJson (400), before permission checks */
export const GivenLargeBody = createParamDecorator((shape: Shape<unknown>, host: ExecutionContext) =>
  largeBodyFrom(requestOf(host), shape),
);

/**
 * External id of a provider in a project; the original names the parameter differently here, also in errors. @throws AccountingError 400
 */
export const ExternalProviderId = parameter((request): string => {
  const query = request.query as Readonly<Record<string, unknown>>;
  return required(firstOf(query.externalProviderId) || firstOf(query.externalId), 'externalProviderId');
});
