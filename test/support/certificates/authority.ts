import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM files of a certificate and its key, with their contents. */
export type IssuedCertificate = Readonly<{ certFile: string; keyFile: string; cert: Buffer; key: Buffer }>;

type Issued = Readonly<{
  /** With slashes, the root first. */
  subject: string;
  /** Default: for TLS clients. */
  use?: 'clientAuth' | 'serverAuth';
  /** `YYYYMMDDHHMMSSZ`. Default: two days from now. */
  ends?: string;
}>;

const CONFIGURATION = (folder: string) => `
[ca]
default_ca = own
[own]
dir = ${folder}
database = ${folder}/index.txt
serial = ${folder}/serial
new_certs_dir = ${folder}
certificate = ${folder}/ca.crt
private_key = ${folder}/ca.key
default_md = sha256
policy = any
unique_subject = no
preserve = yes
email_in_dn = yes
[any]
domainComponent = optional
countryName = optional
organizationName = optional
organizationalUnitName = optional
commonName = supplied
emailAddress = optional
[clientAuth]
basicConstraints = CA:FALSE
extendedKeyUsage = clientAuth
[serverAuth]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1,DNS:localhost
`;

/** An authority of its own in a temporary folder, made by openssl. */
export class Authority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'logbook-authority-'));
  private made = 0;
  readonly caFile = this.at('ca.crt');
  readonly ca: Buffer;

  constructor(name: string) {
    writeFileSync(this.at('openssl.cnf'), CONFIGURATION(this.folder));
    writeFileSync(this.at('index.txt'), '');
    writeFileSync(this.at('serial'), '1000\n');
    const subject = ['-subj', `/C=UK/O=eScience/CN=${name}`, '-days', '2'];
    this.openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.at('ca.key'), '-out', this.caFile);
    this.ca = readFileSync(this.caFile);
  }

  issue({ subject, use = 'clientAuth', ends }: Issued): IssuedCertificate {
    const name = `issued-${++this.made}`;
    const [certFile, keyFile, request] = [this.at(`${name}.crt`), this.at(`${name}.key`), this.at(`${name}.csr`)];
    this.openssl('req', '-utf8', '-new', ...NEW_KEY, '-subj', subject, '-keyout', keyFile, '-out', request);
    const period = ends === undefined ? ['-days', '2'] : ['-startdate', '20200101000000Z', '-enddate', ends];
    this.ofCa('-batch', '-notext', '-utf8', '-extensions', use, ...period, '-in', request, '-out', certFile);
    return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
  }

  revoke({ certFile }: IssuedCertificate): void {
    this.ofCa('-revoke', certFile);
  }

  /** A revocation list in PEM. @param hours how long it holds */
  revocationList(hours = 24): Buffer {
    const file = this.at('crl.pem');
    this.ofCa('-gencrl', '-crlhours', String(hours), '-out', file);
    return readFileSync(file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private at(name: string): string {
    return join(this.folder, name);
  }

  private ofCa(...parameters: readonly string[]): void {
    this.openssl('ca', '-config', this.at('openssl.cnf'), ...parameters);
  }

  private openssl(...parameters: readonly string[]): void {
    execFileSync('openssl', parameters, { stdio: 'pipe' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
