import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { pathOf, type ServiceEdge } from './service-edge.js';

/** Longer than any URL that Node's HTTP parser lets through, so that no path is refused for the length of a segment. */
export const MAX_PARAMETER_LENGTH = 16_384;

const edgeOf = (edges: readonly ServiceEdge[], path: string): ServiceEdge | undefined =>
  edges.find(({ prefix }) => path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'));

/** Answers an error in the shape of the service that the path belongs to; `fallback` answers for all other paths. */
export const answerFailure =
  (edges: readonly ServiceEdge[], fallback: ServiceEdge) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
    (edgeOf(edges, pathOf(request.url)) ?? fallback).failed(error, request, reply);

/**
 * Routing answers and admission, before any body is read. Must be registered before the routes, whose paths and methods it collects:
 * a known path with another method is 405, not 404.
 */
export const registerEdge = (fastify: FastifyInstance, edges: readonly ServiceEdge[], fallback: ServiceEdge): void => {
  const methodsByPath = new Map<string, Set<string>>();
  const knownPaths = findMyWay({ maxParamLength: MAX_PARAMETER_LENGTH });
  fastify.addHook('onRoute', ({ url, method }) => {
    if (url === '*' || url === '/*') return;
    let methods = methodsByPath.get(url);
    if (!methods) {
      methods = new Set();
      methodsByPath.set(url, methods);
      knownPaths.on('GET', url, () => {}, methods);
    }
    for (const one of [method].flat()) methods.add(one);
  });

  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const path = pathOf(request.url);
    const edge = edgeOf(edges, path) ?? fallback;
    const cleaned = edge.cleanedPath?.(path);
    if (cleaned !== undefined) {
      reply
        .code(301)
        .header('location', cleaned + request.url.slice(path.length))
        .send();
    } else if (request.is404) {
      const methods = knownPaths.find('GET', path)?.store as Set<string> | undefined;
      if (methods) edge.wrongMethod(request, reply, [...methods].join(', '));
      else edge.unknownPath(request, reply);
    } else {
      edge.admit(request, reply, done);
    }
  });
};
