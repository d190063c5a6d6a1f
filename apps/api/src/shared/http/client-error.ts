import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** How Node names what no request came of; everything else is no HTTP. */
const STATUSES: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers bytes that no request came of. The answer says that the connection ends with it, as it does: a client that keeps connections open
 * would send its next request into this one.
 */
export const answerClientError = ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
  if (socket.writable && code !== 'ECONNRESET') {
    const status = STATUSES[code] ?? 400;
    const title = STATUS_CODES[status];
    const body = JSON.stringify({ type: 'about:blank', title, status });
    const headers = `Connection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${body.length}`;
    socket.write(`HTTP/1.1 ${status} ${title}\r\n${headers}\r\n\r\n${body}`);
  }
  socket.destroySoon();
};
