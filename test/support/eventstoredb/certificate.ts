import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `certFile`: also for the client's `tlsCAFile`. */
export type Certificate = Readonly<{ cert: Buffer; key: Buffer; certFile: string; keyFile: string; remove(): void }>;

/** A self-signed certificate for 127.0.0.1 in a temporary folder of its own, made by openssl. */
export const makeCertificate = (): Certificate => {
  const folder = mkdtempSync(join(tmpdir(), 'eventstoredb-tls-'));
  const certFile = join(folder, 'ca.crt');
  const keyFile = join(folder, 'node.key');
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  execFileSync('openssl', [...request, ...names, '-keyout', keyFile, '-out', certFile], { stdio: 'pipe' });
  return {
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    certFile,
    keyFile,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
