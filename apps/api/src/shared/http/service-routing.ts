import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler, RouteOptions } from 'fastify';
import findMyWay from 'find-my-way';
import type { BodyIngress } from '#api/shared/bodies/body-ingress.js';
import { inOrder } from './connections/in-order.js';
import { setCorsHeaders } from './headers/cors.js';
import { idsOf, UNCACHED } from './headers/own-headers.js';
import { cleanedPath } from './paths/request-target.js';
import { beginReserved } from './reserved-answers.js';
import type { FindRoleElsewhere } from './role-elsewhere.js';
import { pathOf, type ServiceHttpPolicy } from './service-http-policy.js';

/** Sends the headers of an answer without its body. A stream is not read: its length is unknown, and its content is not needed. */
const withoutBody: onSendHookHandler = (_request, reply, payload, done) => {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) reply.header('content-length', Buffer.byteLength(payload));
  else if (payload && typeof payload === 'object' && 'destroy' in payload && typeof payload.destroy === 'function') payload.destroy();
  done(null, null);
};

/**
 * Adds a HEAD route to a GET route of a service that answers HEAD: the same checks and handler, without the body. Called while the GET
 * route is registered. It replaces Fastify's own `exposeHeadRoutes`, which is decided before a route's service is known, and reads streams
 * to their end.
 */
const addHeadRoute = (
  fastify: FastifyInstance,
  { answersHead = false }: ServiceHttpPolicy,
  route: RouteOptions & { routePath: string },
): void => {
  if (!answersHead || route.method !== 'GET') return;
  const hooks = [route.onSend ?? []].flat();
  fastify.route({ ...route, method: 'HEAD', url: route.routePath, onSend: [...hooks, withoutBody] });
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The policy that the route belongs to. */
    policy?: ServiceHttpPolicy;
  }
}

/** Takes over an unprocessed request and its answer if it belongs elsewhere, and returns `true`. `fail` answers it with an error. */
export type HandOver = (request: FastifyRequest, reply: FastifyReply, policy: ServiceHttpPolicy, fail: (error: unknown) => void) => boolean;

type RoutingOptions = Readonly<{ handOver?: HandOver | undefined; elsewhere?: FindRoleElsewhere | undefined }>;

/** Longer than any URL that Node's HTTP parser accepts, so that no path is refused for the length of a segment. */
export const MAX_PARAMETER_LENGTH = 16_384;

const isUnder = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

/** The policy for a path, including one whose prefix appears only in its clean form. */
const policyOfPath = (policies: readonly ServiceHttpPolicy[], path: string): ServiceHttpPolicy | undefined => {
  const found = policies.find(
    ({ prefix, otherPrefixes = [] }) => isUnder(prefix, path) || otherPrefixes.some((other) => isUnder(other, path)),
  );
  const cleaned = found ? undefined : cleanedPath(path);
  return cleaned === undefined ? found : policyOfPath(policies, cleaned);
};

/** The policy of the route of a request, however its path is spelled; without a route, that of its path. */
const policyOf = (policies: readonly ServiceHttpPolicy[], fallback: ServiceHttpPolicy, request: FastifyRequest): ServiceHttpPolicy =>
  request.routeOptions.config?.policy ?? policyOfPath(policies, pathOf(request.url)) ?? fallback;

/** Sets the headers that all responses have. */
const setHeaders = (policy: ServiceHttpPolicy, request: FastifyRequest, reply: FastifyReply): void => {
  const { cors } = policy;
  reply.headers(idsOf(request));
  // The console takes its time from here, which must be that of events: Node has the machine's, and for the rest of a second an old one.
  if ('x-logbook-console' in request.headers) reply.header('date', new Date().toUTCString());
  if (!policy.isPublic?.(pathOf(request.url))) reply.headers(UNCACHED);
  if (cors) setCorsHeaders(cors, request, reply);
};

/** Answers an error in the shape of the path's service; `fallback` answers for all other paths. */
export const answerFailure =
  (policies: readonly ServiceHttpPolicy[], fallback: ServiceHttpPolicy, bodies: BodyIngress) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const policy = policyOf(policies, fallback, request);
    setHeaders(policy, request, reply); // no hook ran for a URL that the router cannot parse
    bodies.guard(request, reply);
    policy.failed(error, request, reply);
  };

/** Returns whether every path parameter is a non-empty segment. The router also matches empty ones and encoded slashes. */
const areSegments = (parameters: unknown, { slashesInSegments = false }: ServiceHttpPolicy): boolean => {
  const values = parameters as Readonly<Record<string, string>>;
  for (const name in values) {
    if (name !== '*' && (values[name] === '' || (!slashesInSegments && values[name]?.includes('/')))) return false;
  }
  return true;
};

/** The error of a request of HTTP/1.1 that names no host (RFC 9112 3.2). Node's own answer to it has no body. */
const lackOfHost = ({ raw: { httpVersion }, headers: { host } }: FastifyRequest): Error | undefined =>
  host === undefined && httpVersion === '1.1' ? Object.assign(new Error('the request names no host'), { statusCode: 400 }) : undefined;

/**
 * Routing errors and admission, before any body is read. Must be registered before the routes, whose paths and methods it collects: a known
 * path with another method is 405, not 404.
 * @param handOver called for every request
 * @param elsewhere reason why this node does not answer a request; called before `handOver`
 */
export const routeServices = (
  fastify: FastifyInstance,
  policies: readonly ServiceHttpPolicy[],
  fallback: ServiceHttpPolicy,
  bodies: BodyIngress,
  { handOver, elsewhere }: RoutingOptions = {},
): void => {
  const fail = answerFailure(policies, fallback, bodies);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) request.server.longCalls.cutOff(request, reply);
    done(null, payload);
  });
  // Nest passes on errors of the file server without their headers: the length of a file, to a request for bytes behind its end.
  fastify.addHook('onError', (_request, reply, error: Error & Readonly<{ headers?: Readonly<Record<string, string>> }>, done) => {
    const range = error.headers?.['Content-Range'];
    if (range !== undefined) reply.header('content-range', range);
    done();
  });
  const methodsByPath = new Map<string, Set<string>>();
  const knownPaths = findMyWay({ maxParamLength: MAX_PARAMETER_LENGTH });
  fastify.addHook('onRoute', function (route) {
    const { url, method } = route;
    const policy = policyOfPath(policies, url) ?? fallback;
    route.config = { ...route.config, policy };
    if (url === '*' || url === '/*') return;
    let methods = methodsByPath.get(url);
    if (!methods) {
      methods = new Set();
      methodsByPath.set(url, methods);
      knownPaths.on('GET', url, () => {}, methods);
    }
    for (const one of [method].flat()) methods.add(one);
    addHeadRoute(this, policy, route);
  });

  const refusalOf = (request: FastifyRequest, policy: ServiceHttpPolicy): Error | undefined =>
    lackOfHost(request) ?? elsewhere?.(request, policy);

  const admit = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const path = pathOf(request.url);
    const policy = policyOf(policies, fallback, request);
    const refusal = refusalOf(request, policy);
    if (refusal) {
      fail(refusal, request, reply);
      return;
    }
    if (handOver?.(request, reply, policy, (error) => fail(error, request, reply))) return;
    setHeaders(policy, request, reply);
    bodies.guard(request, reply);
    const cleaned = policy.cleanedPath?.(path);
    if (cleaned !== undefined) {
      reply
        .code(301)
        .header('location', cleaned + request.url.slice(path.length))
        .send();
    } else if (request.is404 || !areSegments(request.params, policy)) {
      const known = knownPaths.find('GET', path);
      if (known && areSegments(known.params, policy)) policy.wrongMethod(request, reply, [...(known.store as Set<string>)].join(', '));
      else policy.unknownPath(request, reply);
    } else {
      policy.authorize(request, reply, (caller) => {
        request.sharedBy = caller;
        const refused = bodies.admit(request, reply, caller);
        if (refused) fail(refused, request, reply);
        else beginReserved(request, reply, done);
      });
    }
  };
  fastify.addHook('onRequest', (request, reply, done) => inOrder(request, reply, () => admit(request, reply, done)));
};
