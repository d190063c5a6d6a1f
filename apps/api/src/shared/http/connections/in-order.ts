import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { awaitedAnswer } from './client-error.js';

/** Maximum number of requests that wait on a connection. */
const MOST_WAITING = 100;

type Waiting = Readonly<{ response: ServerResponse; begin: () => void }>;

/** Requests of each connection that came before the answer to an earlier one. */
const queues = new WeakMap<Socket, Waiting[]>();

const beginNext = (socket: Socket, queue: Waiting[]): void => {
  const [next] = queue;
  const current = awaitedAnswer(socket);
  if (!next || !current || socket.destroyed) return;
  if (current === next.response) {
    queue.shift();
    next.begin();
  }
  if (queue.length > 0) current.once('close', () => beginNext(socket, queue));
};

/**
 * Begins a request once all requests before it on its connection are answered. Even reads do not begin earlier: until its turn comes a
 * response emits no `close` when the connection ends, so nothing would return what the request holds. It is not begun if the connection ends
 * before. A client that sends too many requests ahead is disconnected.
 */
export const inOrder = ({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply, begin: () => void): void => {
  const current = awaitedAnswer(socket);
  if (!current || current === response) {
    begin();
    return;
  }
  const queue = queues.get(socket) ?? [];
  queues.set(socket, queue);
  if (queue.length >= MOST_WAITING) socket.destroy();
  else if (queue.push({ response, begin }) === 1) beginNext(socket, queue);
};
