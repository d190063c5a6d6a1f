import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.js';

/**
 * While the server drains, each answer says that it is the last one of its connection, so that balancers keep none over which they would send a request
 * just when it is closed. While the server closes, ends each connection after its answer. Node ends only the connections that are idle when the close
 * begins: one whose request is answered after that would keep the process alive for the keep-alive time, 72 seconds, and one over which nothing was ever
 * asked, such as clients open in place of one that they gave up, for a minute.
 */
export const endConnectionsOnClose = (fastify: FastifyInstance, drain: Drain): void => {
  let closing = false;
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.prependListener('request', ({ socket }, response) => {
    unused.delete(socket);
    if (drain.isUnderWay) response.shouldKeepAlive = false; // Node adds `Connection: close`
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of unused) socket.destroy();
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections()); // in this turn the connection still counts as busy
    done();
  });
};
