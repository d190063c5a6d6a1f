import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Node's error codes for bytes without a request; all others mean that the bytes are not HTTP. */
const STATUSES: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** No answer is possible on a connection whose TLS handshake failed or never came, for example with plain HTTP. */
const NO_HANDSHAKE = /^ERR_(SSL|TLS)_/;

/** Connections that end after their last answer, because invalid bytes followed its request. */
const ending = new WeakSet<Socket>();

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

/** The answer in progress on a connection, which has one at a time. A field internal to Node: tracking answers would cost 2 % of a read. */
export const awaitedAnswer = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage;

const answerAfterOthers = (code: string, socket: Socket): void => {
  const before = awaitedAnswer(socket);
  if (!before?.req.complete || !socket.writable || code === 'ECONNRESET') {
    answer(code, socket);
    return;
  }
  ending.add(socket);
  before.once('close', () => answerAfterOthers(code, socket));
};

/**
 * Answers bytes without a request, after the requests before them: otherwise a pipelining client would take it for the answer to the first
 * one. The answer announces the end of the connection, because a client with keep-alive would send its next request into it. Bytes behind a
 * request with `Connection: close` are ignored (RFC 9112 9.6).
 */
export const answerClientError = ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
  if (code === 'HPE_CLOSED_CONNECTION' || ending.has(socket)) return;
  if (NO_HANDSHAKE.test(code)) {
    socket.destroy();
    return;
  }
  answerAfterOthers(code, socket);
};
