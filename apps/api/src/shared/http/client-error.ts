import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** How Node names what no request came of; everything else is no HTTP. */
const STATUSES: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Nothing can be said over a connection whose TLS handshake has failed, or never came: such as one that speaks plain HTTP. */
const NO_HANDSHAKE = /^ERR_(SSL|TLS)_/;

/** Connections that end after their last answer, because of what came behind its request. */
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

/**
 * The answer that a connection waits for, of which there is one at a time. The field is Node's own, and not documented: to note answers as they come and go
 * would cost 2 % of a read.
 */
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
  answerAfterOthers(code, socket);
};
