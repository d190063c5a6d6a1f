import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { CERTIFICATE } from '#api/shared/tokens.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';
import { Authority } from '#test/support/certificates/authority.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { openWaitingServer } from './start/waiting-server.js';
import { listenByCertificate } from './x509-listener.js';

describe('a client that does not begin its handshake', () => {
  const authority = new Authority('Test CA');
  const { caFile } = authority;
  const { certFile, keyFile } = authority.issue({ subject: '/CN=127.0.0.1', use: 'serverAuth' });
  afterAll(() => authority.remove());

  const configurationWith = (port: number, x509Port: number) =>
    loadConfiguration({
      LOGBOOK_HOST: '127.0.0.1',
      LOGBOOK_PORT: `${port}`,
      LOGBOOK_TLS_CERT_FILE: certFile,
      LOGBOOK_TLS_KEY_FILE: keyFile,
      LOGBOOK_X509_PORT: `${x509Port}`,
      LOGBOOK_X509_CA_FILE: caFile,
    });

  /** Connects, then closes the server. Returns whether that ends within a time that is shorter than the limit of handshakes. */
  const closesAtOnce = async (port: number, close: () => Promise<void>, milliseconds: number): Promise<boolean> => {
    const client = connect(port, '127.0.0.1').resume();
    await once(client, 'connect');
    await nextTurn(); // the server has its side, too
    const ended = once(client, 'close');
    const closed = close().then(() => true);
    const isClosed = await within(milliseconds, closed, () => false);
    client.destroy();
    await Promise.all([closed, ended]);
    return isClosed;
  };

  it('does not keep the server of a node that waits open', async () => {
    const [port = 0, x509Port = 0] = await freePorts(2);
    const { close } = await openWaitingServer(configurationWith(port, x509Port), () => 'Redis');
    expect(await closesAtOnce(port, close, 60_000)).toBe(true);
  });

  it('does not keep the port for certificates open', async () => {
    const [port = 0, x509Port = 0] = await freePorts(2);
    const log = createLogger('silent');
    const certificate = await ServerCertificate.open({ certFile, keyFile }, log);
    const authorities = await ClientAuthorities.open({ caFile }, log);
    const app = {
      get: (token: unknown) => (token === CERTIFICATE ? certificate : authorities),
      getHttpAdapter: () => ({ getInstance: () => ({ server: new EventEmitter() }) }),
    } as unknown as NestFastifyApplication;
    const close = await listenByCertificate(app, configurationWith(port, x509Port), log);
    expect(await closesAtOnce(x509Port, close, 8_000)).toBe(true);
    certificate.close();
    authorities.close();
  });
});
