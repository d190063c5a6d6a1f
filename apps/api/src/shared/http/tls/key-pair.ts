import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type ConnectionOptions, createSecureContext, rootCertificates, type SecureContextOptions } from 'node:tls';
import { InvalidConfiguration } from '#infra/platform/config/configuration.js';

/** Paths of PEM files: the certificate with its intermediate authorities, and its private key. */
export type KeyPairFiles = Readonly<{ certFile: string; keyFile: string }>;

/** Certificate chain and private key of a TLS server. `certificate`: the first one in `cert`. */
export type KeyPair = Readonly<{ cert: Buffer; key: Buffer; certificate: X509Certificate }>;

const CERT = 'LOGBOOK_TLS_CERT_FILE';
const KEY = 'LOGBOOK_TLS_KEY_FILE';

/** All of TLS 1.3, and of TLS 1.2 those with forward secrecy and authenticated encryption: a later leak of the key reveals no traffic. */
const CIPHERS = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
].join(':');

/** Options for the handshakes of a server with this certificate and key, for each context. */
export const contextOptionsOf = ({ cert, key }: Pick<KeyPair, 'cert' | 'key'>): SecureContextOptions => ({
  cert,
  key,
  ciphers: CIPHERS,
  honorCipherOrder: true,
  minVersion: 'TLSv1.2',
});

/** Code of a file system error, or else its text. */
const codeOf = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return error;
  return 'code' in error ? error.code : 'message' in error && error.message;
};

/** Reads a file. Pipes are refused: opening one would wait for a writer, and block the end of the process. */
const textOf = async (path: string): Promise<Buffer> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a file');
    return await file.readFile();
  } finally {
    await file.close();
  }
};

/** @throws InvalidConfiguration the file of the variable cannot be read */
export const contentOf = async (variable: string, path: string): Promise<Buffer> => {
  try {
    return await textOf(path);
  } catch (error) {
    throw new InvalidConfiguration(`wrong configuration: the file of ${variable} cannot be read (${codeOf(error)})`, [variable]);
  }
};

const certificateIn = (cert: Buffer): X509Certificate => {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new InvalidConfiguration(`wrong configuration: the file of ${CERT} holds no certificate in PEM`, [CERT]);
  }
};

const privateKeyIn = (key: Buffer): KeyObject => {
  try {
    return createPrivateKey(key);
  } catch {
    const flaw = key.includes('ENCRYPTED') ? 'is encrypted: it is needed without a passphrase' : 'holds no private key in PEM';
    throw new InvalidConfiguration(`wrong configuration: the file of ${KEY} ${flaw}`, [KEY]);
  }
};

/** Returns whether a certificate (DER) has exactly the names of another one, as a renewal has. */
const isNamedAs = (certificate: Buffer, { subjectAltName: names }: X509Certificate): boolean =>
  names !== undefined && new X509Certificate(certificate).subjectAltName === names;

/**
 * Options for calls to a server of the same installation, whatever its name. It must present the certificate of one of these pairs, or one
 * for the same names from an authority in their files or a public one: a renewal may come from another intermediate authority.
 */
export const peerOptionsOf = (...pairs: readonly Pick<KeyPair, 'cert' | 'certificate'>[]): ConnectionOptions => ({
  // Created once: with `ca` instead, every connection would parse all of them.
  secureContext: createSecureContext({ ca: [...pairs.map(({ cert }) => cert), ...rootCertificates], allowPartialTrustChain: true }),
  checkServerIdentity: (_host, { fingerprint256, raw }) =>
    pairs.some(({ certificate }) => fingerprint256 === certificate.fingerprint256 || isNamedAs(raw, certificate))
      ? undefined
      : new Error('the other node has a certificate of another name'),
});

/** End of a certificate's validity. */
export const endOf = ({ validTo }: X509Certificate): Date => new Date(validTo);

/** @throws InvalidConfiguration the file cannot be read, or holds no certificate */
export const readCertificate = async ({ certFile }: Pick<KeyPairFiles, 'certFile'>): Promise<Pick<KeyPair, 'cert' | 'certificate'>> => {
  const cert = await contentOf(CERT, certFile);
  return { cert, certificate: certificateIn(cert) };
};

/** @throws InvalidConfiguration a file cannot be read, or a server cannot use its content */
export const readKeyPair = async (files: KeyPairFiles): Promise<KeyPair> => {
  const [{ cert, certificate }, key] = await Promise.all([readCertificate(files), contentOf(KEY, files.keyFile)]);
  if (!certificate.checkPrivateKey(privateKeyIn(key)))
    throw new InvalidConfiguration(`wrong configuration: the key of ${KEY} does not belong to the certificate of ${CERT}`, [CERT, KEY]);
  try {
    createSecureContext(contextOptionsOf({ cert, key }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidConfiguration(`wrong configuration: ${CERT} and ${KEY} cannot be used: ${reason}`, [CERT, KEY]);
  }
  return { cert, key, certificate };
};
