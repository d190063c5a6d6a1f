import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import type { ServiceHttpPolicy } from './service-http-policy.js';

/** The headers of the answer without its body. A stream is not read: its length is not known, and its content would be produced for nobody. */
const withoutBody: onSendHookHandler = (_request, reply, payload, done) => {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) reply.header('content-length', Buffer.byteLength(payload));
  else if (payload && typeof payload === 'object' && 'destroy' in payload && typeof payload.destroy === 'function') payload.destroy();
  done(null, null);
};

/**
 * Makes a HEAD route of a GET route whose service answers HEAD: the same checks and handler, without the body. Called while the GET route is registered.
 * Not Fastify's own `exposeHeadRoutes`: it is decided before a route's service is known, and reads streams to their end.
 */
export const addHeadRoute = (
  fastify: FastifyInstance,
  { answersHead = false }: ServiceHttpPolicy,
  route: RouteOptions & { routePath: string },
): void => {
  if (!answersHead || route.method !== 'GET') return;
  const hooks = [route.onSend ?? []].flat();
  fastify.route({ ...route, method: 'HEAD', url: route.routePath, onSend: [...hooks, withoutBody] });
};
