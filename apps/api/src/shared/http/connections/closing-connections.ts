import type { Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Drain } from './drain.js';

/** Milliseconds for a request on a connection that was opened just before the close began. */
const UNUSED_MS = 1_000;
/** Milliseconds for open requests to receive their bodies, and for clients to receive the answers. */
const REQUESTS_MS = 5_000;

/** The open connections of a server, also during their TLS handshakes, when Node's `closeAllConnections` does not end them. */
export const connectionsOf = (server: Server): ReadonlySet<Socket> => {
  const open = new Set<Socket>();
  // Over TLS requests use a separate socket above that of the connection. Neither may have been used.
  for (const event of ['connection', 'secureConnection'])
    server.on(event, (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  return open;
};

export const cutAll = (connections: ReadonlySet<Socket>): void => {
  for (const socket of connections) socket.destroy();
};

/**
 * While the server drains, each answer announces the end of its connection, so that balancers do not keep connections that are about to
 * close. While the server closes, ends each connection after its answer. Node ends only the connections that are idle when the close
 * begins. A connection whose request is answered later would keep the process alive for the keep-alive time, 72 seconds. So would an unused
 * connection: browsers open some in advance, other clients in place of one that they dropped. Connections whose client makes no progress,
 * in a head, a body or an answer, are cut after five seconds.
 */
export const endConnectionsOnClose = (fastify: FastifyInstance, drain: Drain): void => {
  let closing = false;
  const open = connectionsOf(fastify.server);
  const closeUnused = (): void => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  fastify.server.prependListener('request', (_request, response) => {
    if (drain.isUnderWay) response.shouldKeepAlive = false; // Node adds `Connection: close`
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    setTimeout(closeUnused, UNUSED_MS).unref(); // unref: the open connections keep the process alive
    setTimeout(() => cutAll(open), REQUESTS_MS).unref();
    done();
  });
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => fastify.server.closeIdleConnections()); // during this turn the connection still counts as busy
    done();
  });
};
