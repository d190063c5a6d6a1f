import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { awaitedAnswer } from './client-error.js';

/** A request on a connection. `begun`: false while it waits for those before it. */
type Pipelined = { readonly response: ServerResponse; readonly isSafe: boolean; begun: boolean };

/** The newest request of each connection that came before the answer to an earlier one. */
const newest = new WeakMap<Socket, Pipelined>();

const isSafe = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/**
 * Begins a request once all requests before it on its connection are answered, unless they and itself are safe: only safe requests may be
 * processed in parallel (RFC 9112 9.3.2). It is not begun if the connection ends before.
 */
export const inOrder = ({ method, raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply, begin: () => void): void => {
  const current = awaitedAnswer(socket);
  const known = current && newest.get(socket);
  if (!current || current === response || known?.response === response) {
    begin();
    return;
  }
  const before = known && !known.response.writableFinished ? known : { response: current, isSafe: isSafe(current.req.method), begun: true };
  const own = { response, isSafe: isSafe(method), begun: before.begun && before.isSafe && isSafe(method) };
  newest.set(socket, own);
  if (own.begun) {
    begin();
    return;
  }
  before.response.once('close', () => {
    if (socket.destroyed) return;
    own.begun = true;
    begin();
  });
};
