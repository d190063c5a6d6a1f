import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import * as errors from '#api/messaging/errors.js';
import { CannotListen } from '#api/runtime/start-failure.js';
import { AS_OF } from '#api/shared/as-of/as-of-header.js';
import { answerClientError } from '#api/shared/http/connections/client-error.js';
import { connectionsOf, cutAll } from '#api/shared/http/connections/closing-connections.js';
import { idsOf, UNCACHED } from '#api/shared/http/headers/own-headers.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import type { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import { type ClientCertificate, noteClientCertificate } from '#api/shared/http/tls/client-certificates.js';
import type { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { requestIdOf } from '#api/shared/logging/request-id.js';
import { CERTIFICATE, CLIENT_AUTHORITIES } from '#api/shared/tokens.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';

/** The only call that this listener answers. */
const PATH = /^\/v1\/service-types\/ams\/hosts\/[^/]{1,300}:authx509$/;
/** Maximum number of handshakes and requests in progress; further connections are closed at once. */
const MOST_CONNECTIONS = 1_000;
/** Limits of handshake, head and body, each in milliseconds. */
const PATIENCE_MS = 10_000;

/** Time for open requests when the server ends, in milliseconds. */
const CLOSING_MS = 2_000;

/** Texts for the user of the client. */
const REFUSALS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  CRL_HAS_EXPIRED: 'the revocation list of its authority has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its authority is not known here',
  INVALID_PURPOSE: 'it is not for TLS clients',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_GET_CRL: 'there is no revocation list of its authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here',
};

/** `undefined` if the client presented none. */
const certificateOf = (socket: TLSSocket): ClientCertificate | undefined => {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  if (socket.authorized) return { subject: certificate.subject };
  const code = String(socket.authorizationError);
  return { refusal: REFUSALS[code] ?? `it cannot be verified (${code})` };
};

/** Answers 404 at this address: all other calls are answered on the port of the service. */
const refuse = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  const { statusCode, body } = errors.unknownPath();
  response
    .writeHead(statusCode, {
      ...idsOf({ id: requestIdOf({ headers }), headers }),
      ...UNCACHED,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
};

type Parts = Readonly<{ host: string; port: number; certificate: ServerCertificate; authorities: ClientAuthorities }>;

/** Stops listening. Open calls get a moment to finish. */
type Close = () => Promise<void>;

/**
 * Listens for clients that have a certificate and request the token of their user; the call is then answered like any other of the service.
 * Every connection is checked anew and ends with its answer: a resumed session or a lasting connection would outlive a revocation.
 * @throws CannotListen
 */
const listen = async (fastify: FastifyInstance, { host, port, certificate, authorities }: Parts): Promise<Close> => {
  const contextOptions = (pair: SecureContextOptions = certificate.contextOptions): SecureContextOptions => {
    const { ca, crl } = authorities.trust;
    return { ...pair, ca, ...(crl && { crl: [...crl] }), secureOptions: constants.SSL_OP_NO_TICKET };
  };
  const server = createServer({
    ...contextOptions(),
    requestCert: true,
    rejectUnauthorized: false, // an answer can give the reason of a refusal; a closed connection cannot
    handshakeTimeout: PATIENCE_MS,
    headersTimeout: PATIENCE_MS,
    requestTimeout: PATIENCE_MS,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = MOST_CONNECTIONS;
  const connections = connectionsOf(server);
  certificate.follow({ setSecureContext: (pair) => server.setSecureContext(contextOptions(pair)) });
  authorities.follow(() => server.setSecureContext(contextOptions()));
  server.on('clientError', answerClientError);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    if (!PATH.test(pathOf(request.url ?? '/'))) {
      refuse(request, response);
      return;
    }
    const shown = certificateOf(request.socket as TLSSocket);
    if (shown) noteClientCertificate(request, shown);
    delete request.headers[AS_OF]; // the holder of a token is always the current one
    fastify.server.emit('request', request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(host, port, error, 'LOGBOOK_X509_PORT')));
    server.listen({ host, port }, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => cutAll(connections), CLOSING_MS).unref();
    });
};

/** Listens if this node is configured for it and answers calls. @throws CannotListen */
export const listenByCertificate = async (
  app: NestFastifyApplication,
  { x509, host, roles }: Configuration,
  logger: Logger,
): Promise<Close> => {
  const [certificate, authorities] = [app.get(CERTIFICATE), app.get(CLIENT_AUTHORITIES)];
  if (!x509 || !certificate || !authorities || !roles.includes('api')) return async () => {};
  const { port } = x509;
  const close = await listen(app.getHttpAdapter().getInstance(), { host, port, certificate, authorities });
  logger.info({ port }, 'clients with certificates are given tokens at this port');
  return close;
};
