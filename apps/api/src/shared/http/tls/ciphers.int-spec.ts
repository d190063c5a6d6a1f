import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerCertificate } from './server-certificate.js';

/** With an RSA key, which TLS 1.2 by default also uses without forward secrecy. */
describe('a TLS server', () => {
  let folder: string;
  let server: Server;
  let certificate: ServerCertificate;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logbook-ciphers-'));
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const names = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-keyout', keyFile, '-out', certFile];
    execFileSync('openssl', ['req', '-x509', ...names], { stdio: 'pipe' });
    certificate = await ServerCertificate.open({ certFile, keyFile }, { info: () => {}, error: () => {} });
    server = createServer(certificate.serverOptions);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    certificate.close();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Protocol and cipher of a connection; `refused` if there is none. */
  const agreed = async (ciphers: string, servername?: string): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const offer = { ciphers: `${ciphers}:@SECLEVEL=0`, maxVersion: 'TLSv1.2', minVersion: 'TLSv1' } as const;
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...offer, ...(servername && { servername }) });
    try {
      await once(socket, 'secureConnect');
      return `${socket.getProtocol()} ${socket.getCipher().name}`;
    } catch {
      return 'refused';
    } finally {
      socket.destroy();
    }
  };

  it.each(['by its first certificate', 'after a renewal', 'for a client that names the host'])(
    'speaks TLS 1.2 with forward secrecy only: %s',
    async (when) => {
      if (when === 'after a renewal') server.setSecureContext(certificate.contextOptions);
      const name = when.startsWith('for') ? 'logbook.example.org' : undefined;
      expect(await agreed('ECDHE-RSA-AES128-GCM-SHA256', name)).toBe('TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256');
      for (const weak of ['AES128-GCM-SHA256', 'AES256-SHA256', 'ECDHE-RSA-AES128-SHA256'])
        expect(await agreed(weak, name)).toBe('refused');
    },
  );
});
