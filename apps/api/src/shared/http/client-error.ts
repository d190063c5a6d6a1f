import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { getOrInsert } from '#domain/shared/get-or-insert.js';

/** How Node names what no request came of; everything else is no HTTP. */
const STATUSES: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Nothing can be said over a connection whose TLS handshake has failed, or never came: such as one that speaks plain HTTP. */
const NO_HANDSHAKE = /^ERR_(SSL|TLS)_/;

/** Answers of a connection that have not been sent, in the order of their requests. */
const due = new WeakMap<Socket, Set<ServerResponse>>();
/** Connections that end after their last answer, because of what came behind its request. */
const ending = new WeakSet<Socket>();

/** Must be called before requests come in: {@link answerClientError} answers after the requests that came before the error. */
export const watchAnswers = (server: Server): void => {
  server.prependListener('request', ({ socket }, response) => {
    const answers = getOrInsert(due, socket, () => new Set());
    answers.add(response);
    response.on('close', () => answers.delete(response));
  });
};

const answer = (code: string, socket: Socket): void => {
  if (socket.writable && code !== 'ECONNRESET') {
    const status = STATUSES[code] ?? 400;
    const title = STATUS_CODES[status];
    const body = JSON.stringify({ type: 'about:blank', title, status });
    const headers = `Connection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${body.length}`;
    socket.write(`HTTP/1.1 ${status} ${title}\r\n${headers}\r\n\r\n${body}`);
  }
  socket.destroySoon();
};

/**
 * Answers bytes that no request came of, after the requests before them: else a client that sends several at once would take it for the answer to the
 * first. The answer says that the connection ends with it, as it does: a client that keeps connections open would send its next request into this one.
 * Bytes behind a request with `Connection: close` are ignored (RFC 9112 9.6).
 */
export const answerClientError = ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
  if (code === 'HPE_CLOSED_CONNECTION' || ending.has(socket)) return;
  if (NO_HANDSHAKE.test(code)) {
    socket.destroy();
    return;
  }
  const last = [...(due.get(socket) ?? [])].findLast(({ req }) => req.complete);
  if (!last || !socket.writable || code === 'ECONNRESET') {
    answer(code, socket);
    return;
  }
  ending.add(socket);
  last.once('close', () => answer(code, socket));
};
