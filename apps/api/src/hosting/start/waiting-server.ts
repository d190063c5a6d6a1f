import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { CannotListen } from '#api/runtime/start-failure.js';
import { readKeyPair } from '#api/shared/http/tls/key-pair.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { WaitingAnswers } from './waiting-answers.js';

/** Answers for a server that still waits for its stores. */
export type WaitingServer = Readonly<{ close(): Promise<void> }>;

/**
 * Listens where the server will: the process counts as alive and not ready, callers are asked to come again, and a port that is in use is noticed
 * before the wait and not after it.
 * @param reason what is waited for, at the time of each request
 * @throws CannotListen; InvalidConfiguration the certificate cannot be used
 */
export const openWaitingServer = async ({ host, port, tls }: Configuration, reason: () => string): Promise<WaitingServer> => {
  const answers = new WaitingAnswers(reason);
  const answer: RequestListener = (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = answers.to(request.url ?? '/');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const server = tls ? createSecureServer(await readKeyPair(tls), answer) : createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(host, port, error)));
    server.listen({ host, port }, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
