import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readKeyPair } from './key-pair.js';
import { ServerCertificate } from './server-certificate.js';

describe('the certificate of a server', () => {
  let folder: string;
  const file = (name: string): string => join(folder, name);
  const openssl = (...given: readonly string[]): void => void execFileSync('openssl', given, { stdio: 'pipe' });
  const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  /** Creates `<name>.crt` (followed by its authority) and `<name>.key`, signed by `authority`. */
  const issue = (name: string, host: string, authority: string): void => {
    openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', file(`${name}.key`), '-out', file('request'));
    writeFileSync(file('names'), `subjectAltName=DNS:${host}`);
    const signer = ['-CA', file(`${authority}.crt`), '-CAkey', file(`${authority}.key`), '-CAcreateserial'];
    openssl('x509', '-req', '-in', file('request'), ...signer, '-days', '2', '-extfile', file('names'), '-out', file(`${name}.leaf`));
    writeFileSync(file(`${name}.crt`), `${readFileSync(file(`${name}.leaf`))}${readFileSync(file(`${authority}.crt`))}`);
  };
  const pairOf = (name: string) => ({ certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) });

  /** Answer of a node with the certificate `name`, or the reason why the call failed. */
  const answerOf = async (name: string, { peerOptions }: ServerCertificate): Promise<unknown> => {
    const server = createServer(await readKeyPair(pairOf(name)), (_request, response) => void response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      return await new Promise((resolve) =>
        request({ host: '127.0.0.1', port, agent: false, ...peerOptions }, ({ statusCode }) => resolve(statusCode))
          .once('error', ({ message }) => resolve(message))
          .end(),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'logbook-certificate-'));
    for (const name of ['authority', 'stranger'])
      openssl(
        'req',
        '-x509',
        ...NEW_KEY,
        '-days',
        '2',
        '-subj',
        `/CN=${name}`,
        '-keyout',
        file(`${name}.key`),
        '-out',
        file(`${name}.crt`),
      );
    issue('own', 'logbook.example.org', 'authority');
    issue('renewed', 'logbook.example.org', 'authority');
    issue('neighbour', 'other.example.org', 'authority');
    issue('moved', 'logbook.example.org', 'stranger');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['own', 200],
    ['renewed', 200],
    ['neighbour', 'the other node has a certificate of another name'],
    ['moved', expect.stringMatching(/self-signed certificate|unable to/)],
  ])('a node that shows %s is taken for another one of the installation, or not', async (name, expected) => {
    const certificate = await ServerCertificate.open(pairOf('own'), { info: () => undefined, error: () => undefined });
    try {
      expect(await answerOf(name, certificate)).toEqual(expected);
    } finally {
      certificate.close();
    }
  });

  it('renewed by another authority, takes nodes that show the one before for ten minutes', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const replace = (name: string): void => {
      for (const end of ['crt', 'key']) copyFileSync(file(`${name}.${end}`), file(`current.${end}`));
    };
    replace('own');
    const log = new EventEmitter();
    const certificate = await ServerCertificate.open(pairOf('current'), { info: () => void log.emit('renewed'), error: () => undefined });
    const answers = async () => [await answerOf('moved', certificate), await answerOf('own', certificate)];
    try {
      const renewed = once(log, 'renewed');
      replace('moved');
      jest.advanceTimersByTime(2_000);
      await renewed;
      expect(await answers()).toEqual([200, 200]);
      jest.advanceTimersByTime(10 * 60_000);
      expect(await answers()).toEqual([200, expect.stringMatching(/self-signed certificate|unable to/)]);
    } finally {
      certificate.close();
      jest.useRealTimers();
    }
  });

  it('is refused with an encrypted key, and with something else or nothing in the place of either file', async () => {
    openssl('pkey', '-in', file('own.key'), '-aes256', '-passout', 'pass:secret', '-out', file('encrypted.key'));
    const withKey = (keyFile: string) => readKeyPair({ ...pairOf('own'), keyFile });
    await expect(withKey(file('encrypted.key'))).rejects.toThrow('LOGBOOK_TLS_KEY_FILE is encrypted');
    await expect(withKey(file('own.crt'))).rejects.toThrow('LOGBOOK_TLS_KEY_FILE holds no private key');
    await expect(withKey(file('none'))).rejects.toThrow('LOGBOOK_TLS_KEY_FILE cannot be read (ENOENT)');
    await expect(readKeyPair({ ...pairOf('own'), certFile: file('own.key') })).rejects.toThrow(
      'LOGBOOK_TLS_CERT_FILE holds no certificate',
    );
  });
});
