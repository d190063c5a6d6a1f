import type { FastifyInstance } from 'fastify';

/**
 * While the server closes, ends each connection after its answer. Node ends only the connections that are idle when the close begins: one whose
 * request is answered after that would keep the process alive for the keep-alive time, 72 seconds.
 */
export const endConnectionsOnClose = (fastify: FastifyInstance): void => {
  let closing = false;
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections()); // in this turn the connection still counts as busy
    done();
  });
};
