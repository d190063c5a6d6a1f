import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What arrived at an endpoint. */
export type Delivered = Readonly<{ path: string; headers: IncomingHttpHeaders; text: string }>;

type Answer = (response: ServerResponse, delivered: Delivered) => void;

/** Answers with a status and nothing else. */
export const status =
  (code: number): Answer =>
  (response) => {
    response.writeHead(code).end();
  };

/** Somebody's HTTP server that messages are pushed to. */
export type PushReceiver = Readonly<{
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Every POST, in the order of arrival, answered or not. */
  deliveries: readonly Delivered[];
  /** Hash that the server gives for its verification. */
  hash: { current: string };
  /** How POSTs are answered from now on; at first with 200. */
  answer(how: Answer): void;
  close(): Promise<void>;
}>;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

/** Starts a receiver on a free port of the loopback interface. */
export const startPushReceiver = async (): Promise<PushReceiver> => {
  const deliveries: Delivered[] = [];
  const hash = { current: '' };
  let how = status(200);
  const server = createServer(async (request, response) => {
    const { method, url: path = '/', headers } = request;
    if (method === 'GET') {
      if (path === '/ams_verification_hash') response.end(hash.current);
      else response.writeHead(404).end();
      return;
    }
    const delivered = { path, headers, text: await textOf(request) };
    deliveries.push(delivered);
    how(response, delivered);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    hash,
    answer: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
