import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { unavailable as accountingUnavailable } from '#api/accounting/errors.js';
import { notReady } from '#api/messaging/errors.js';
import { Problem } from '#api/ops-kit/problem.js';
import { CannotListen } from '#api/runtime/start-failure.js';
import { connectionsOf, cutAll } from '#api/shared/http/connections/closing-connections.js';
import { idsOf, UNCACHED } from '#api/shared/http/headers/own-headers.js';
import { contextOptionsOf, readKeyPair } from '#api/shared/http/tls/key-pair.js';
import { requestIdOf } from '#api/shared/logging/request-id.js';
import { quarkusHealth, readinessCheck } from '#api/shared/quarkus-health.js';
import { unavailable as statusUnavailable } from '#api/status/errors.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { wireText } from '#projections/status/layout.js';

type WaitingAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const accountingBody = (): string => {
  const { statusCode: code, message } = accountingUnavailable();
  return JSON.stringify({ code, message });
};

/** Answer of each service while it cannot process requests. */
const BODIES: readonly (readonly [path: RegExp, body: () => string])[] = [
  [/^\/v1\//, () => notReady().body],
  [/^\/accounting-system\//, accountingBody],
  [/^\/api\/v\d\//, () => wireText(statusUnavailable().body)],
];

/** The answers of a server that waits: alive, not ready, and 503 in the shape of the requested service. */
export class WaitingAnswers {
  /** @param reason current reason of the wait */
  constructor(private readonly reason: () => string) {}

  send({ url, method, headers: given }: IncomingMessage, response: ServerResponse): void {
    const id = requestIdOf({ headers: given });
    const { status, headers, body } = this.to(url ?? '/', id);
    const common = { ...idsOf({ id, headers: given }), ...UNCACHED };
    response.writeHead(status, { ...common, ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
    response.end(method === 'HEAD' ? undefined : body);
  }

  private to(url: string, id: string): WaitingAnswer {
    const path = url.split('?', 1)[0] ?? url;
    if (path === '/health/live') return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ status: 'up' }) };
    if (path === '/q/health/live') return { status: 200, headers: JSON_TYPE, body: JSON.stringify(quarkusHealth([]).body) };
    const headers = { ...JSON_TYPE, 'retry-after': '5' };
    if (path === '/health' || path === '/health/ready')
      return { status: 503, headers, body: JSON.stringify({ status: 'down', reason: this.reason() }) };
    if (path === '/q/health' || path === '/q/health/ready')
      return { status: 503, headers, body: JSON.stringify(quarkusHealth([readinessCheck(this.reason())]).body) };
    const body = BODIES.find(([prefix]) => prefix.test(path))?.[1];
    if (body) return { status: 503, headers, body: body() };
    const problem = new Problem(503, `The server waits: ${this.reason()}.`).body(id);
    return { status: 503, headers: { ...headers, 'content-type': 'application/problem+json' }, body: problem };
  }
}

/** Answers for a server that still waits for its stores. */
export type WaitingServer = Readonly<{ port: number; close(): Promise<void> }>;

/**
 * Listens at the address of the server. The process counts as alive and not ready, callers get a time for a retry, and a port in use is
 * detected before the wait.
 * @param reason reason of the wait, at the time of each request
 * @throws CannotListen; InvalidConfiguration the certificate cannot be used
 */
export const openWaitingServer = async (configuration: Configuration, reason: () => string): Promise<WaitingServer> => {
  const answers = new WaitingAnswers(reason);
  return listenSimply(configuration, (request, response) => answers.send(request, response));
};

/** A server without an application. @throws CannotListen; InvalidConfiguration the certificate cannot be used */
export const listenSimply = async ({ host, port, tls }: Configuration, answer: RequestListener): Promise<WaitingServer> => {
  const server = tls ? createSecureServer(contextOptionsOf(await readKeyPair(tls)), answer) : createServer(answer);
  const connections = connectionsOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(host, port, error)));
    server.listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cutAll(connections);
      }),
  };
};
