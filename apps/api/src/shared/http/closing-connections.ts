import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.js';

/** A request may be on its way over a connection that was opened just before the close began: milliseconds. */
const UNUSED_MS = 1_000;
/** So long requests under way have for their bodies, and their clients to take the answers: milliseconds. */
const REQUESTS_MS = 5_000;

/**
 * While the server drains, each answer says that it is the last one of its connection, so that balancers keep none over which they would send a request
 * just when it is closed. While the server closes, ends each connection after its answer. Node ends only the connections that are idle when the close
 * begins: one whose request is answered after that would keep the process alive for the keep-alive time, 72 seconds, and so would one over
 * which nothing was ever asked: browsers open some in advance, other clients one in place of one that they gave up. Connections on which the client stands
 * still, in a head, a body or an answer, are cut after five seconds.
 */
export const endConnectionsOnClose = (fastify: FastifyInstance, drain: Drain): void => {
  let closing = false;
  const open = new Set<Socket>();
  const closeUnused = (): void => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  const cutAll = (): void => {
    for (const socket of open) socket.destroy(); // also one in the midst of a handshake
  };
  // Over TLS requests come by a socket of its own, above the one of the connection: neither may have been used.
  for (const event of ['connection', 'secureConnection'])
    fastify.server.on(event, (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  fastify.server.prependListener('request', (_request, response) => {
    if (drain.isUnderWay) response.shouldKeepAlive = false; // Node adds `Connection: close`
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    setTimeout(closeUnused, UNUSED_MS).unref(); // what it would close keeps the process alive
    setTimeout(cutAll, REQUESTS_MS).unref();
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections()); // in this turn the connection still counts as busy
    done();
  });
};
