import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.js';

/**
 * While the server drains, each answer says that it is the last one of its connection, so that balancers keep none over which they would send a request
 * just when it is closed. While the server closes, ends each connection after its answer. Node ends only the connections that are idle when the close
 * begins: one whose request is answered after that would keep the process alive for the keep-alive time, 72 seconds.
 */
export const endConnectionsOnClose = (fastify: FastifyInstance, drain: Drain): void => {
  let closing = false;
  fastify.server.prependListener('request', (_request, response) => {
    if (drain.isUnderWay) response.shouldKeepAlive = false; // Node adds `Connection: close`
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections()); // in this turn the connection still counts as busy
    done();
  });
};
