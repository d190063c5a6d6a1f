import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Longest time without progress for a client whose answer waits to be taken. */
const STALLED_MS = 60_000;

/**
 * Disconnects clients that take nothing of an answer for a minute: its memory is free again. Node calls back when a connection has not moved
 * for that time, or was not used for the keep-alive time; a connection whose answer is not ready yet stays open.
 */
export const disconnectStalled = (fastify: FastifyInstance, milliseconds = STALLED_MS): void => {
  fastify.server.setTimeout(milliseconds, (socket: Socket) => {
    if (socket.writableLength > 0 || socket.timeout !== milliseconds) socket.destroy();
  });
};
