/**
 * Ends with code 0 if the server of this machine answers `GET /health/live` with 200, else with 1; `ready` as argument asks for `/health/ready`.
 * For health checks of containers, which need no further program then.
 */
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';

const { LOGBOOK_HOST, LOGBOOK_PORT, LOGBOOK_TLS_CERT_FILE } = process.env;
const host = LOGBOOK_HOST || '127.0.0.1';
const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
const path = `/health/${process.argv[2] ?? 'live'}`;

// The certificate is for the name by which others find this machine; nothing secret is said, and who answers here answers for it.
const server = { host: own, port: LOGBOOK_PORT || 8080, path, timeout: 4_000, rejectUnauthorized: false };
const asked = (LOGBOOK_TLS_CERT_FILE ? getSecurely : get)(server, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
asked.on('timeout', () => asked.destroy(new Error('no answer within 4 s')));
asked.on('error', ({ message }) => {
  console.error(message);
  process.exit(1);
});
