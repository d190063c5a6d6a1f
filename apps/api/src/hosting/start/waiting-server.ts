import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CannotListen } from '#api/runtime/start-failure.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { WaitingAnswers } from './waiting-answers.js';

/** Answers for a server that still waits for its stores. */
export type WaitingServer = Readonly<{ close(): Promise<void> }>;

/**
 * Listens where the server will: the process counts as alive and not ready, callers are asked to come again, and a port that is in use is noticed
 * before the wait and not after it.
 * @param reason what is waited for, at the time of each request
 * @throws CannotListen
 */
export const openWaitingServer = async ({ host, port }: Configuration, reason: () => string): Promise<WaitingServer> => {
  const answers = new WaitingAnswers(reason);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = answers.to(request.url ?? '/');
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
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
