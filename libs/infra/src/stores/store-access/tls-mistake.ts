import { isIP, connect as tcpConnect } from 'node:net';
import { connect } from 'node:tls';

/** Servers of a store, and how they are to be spoken to. `ca`: the certificates that replace the system's trusted ones. */
export type StoreServers = Readonly<{ hosts: readonly Readonly<{ host: string; port: number }>[]; tls: boolean; ca?: Buffer | undefined }>;

/** Codes of OpenSSL's own errors and of invalid certificates; never those of failed or closed connections. */
const TLS_CODE =
  /^(EPROTO$|ERR_SSL_|ERR_TLS_|ERR_OSSL_|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/;

/** Returns whether an error code means that TLS itself failed, so that a retry would fail the same way. */
export const isTlsCode = (code: unknown): boolean => typeof code === 'string' && TLS_CODE.test(code);

/** Error codes when a server without TLS answers a handshake. */
const NOT_TLS: readonly unknown[] = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'];

type Handshake = 'done' | 'no answer' | Readonly<{ code: string; message: string }>;

type Attempt = Readonly<{ host: string; port: number; timeLimitMs: number }>;

const handshake = (
  { host, port, timeLimitMs }: Attempt,
  options: Readonly<{ ca?: Buffer; rejectUnauthorized: boolean }>,
): Promise<Handshake> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, ALPNProtocols: ['h2'], ...(isIP(host) === 0 && { servername: host }), ...options });
    const end = (result: Handshake): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeLimitMs, () => end('no answer'));
    socket.once('secureConnect', () => end('done'));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(isTlsCode(error.code) ? { code: String(error.code), message: error.message } : 'no answer'),
    );
    socket.once('close', () => end('no answer'));
  });

/** Redis takes a handshake for the beginning of a command and waits for the rest of it. Without TLS it answers any command. */
const answersWithoutTls = ({ host, port, timeLimitMs }: Attempt): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = tcpConnect({ host, port }, () => socket.write('PING\r\n'));
    const end = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(timeLimitMs, () => end(false));
    socket.once('data', (answer) => end(/^[+-]/.test(answer.toString('latin1'))));
    socket.on('error', () => end(false)).once('close', () => end(false));
  });

/** Checks one server. */
const mistakeAt = async (attempt: Attempt, tls: boolean, ca: Buffer | undefined): Promise<string | null> => {
  const at = `${attempt.host}:${attempt.port}`;
  const found = await handshake(attempt, { rejectUnauthorized: tls, ...(ca && { ca }) });
  if (!tls) return found === 'done' ? `${at} speaks TLS only, which this address does not ask for` : null;
  if (found === 'done') return null;
  const isPlain = found === 'no answer' ? await answersWithoutTls(attempt) : NOT_TLS.includes(found.code);
  if (isPlain) return `${at} does not speak TLS, which this address asks for`;
  return found === 'no answer' ? null : `TLS with ${at} fails: ${found.message} (${found.code})`;
};

/**
 * Looks for a TLS mismatch, in either direction, that keeps clients from a reachable server. Returns it as a sentence without the name of
 * the store; `null` if there is none, or nothing answers.
 * @param timeLimitMs for each answer
 */
export const tlsMistake = async ({ hosts, tls, ca }: StoreServers, timeLimitMs: number): Promise<string | null> => {
  for (const { host, port } of hosts) {
    const mistake = await mistakeAt({ host, port, timeLimitMs }, tls, ca);
    if (mistake !== null) return mistake;
  }
  return null;
};
