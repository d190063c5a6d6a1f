import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, type Deployment, distributed, embedded, OPERATOR, oneMoreNode, SERVICE_TOKEN } from '#test/support/deployments.js';
import { makeCertificate } from '#test/support/eventstoredb/certificate.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { type LogbookProcess, launchLogbook, runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { rawConnection } from '#test/support/raw-connection.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

describe('a server that speaks https itself', () => {
  const [first, second, third] = [makeCertificate(), makeCertificate(), makeCertificate()];
  const trusted = Buffer.concat([first.cert, second.cert, third.cert]);
  let folder: string;
  let deployment: Deployment;
  let environment: Readonly<Record<string, string>>;
  let server: LogbookProcess;
  let client: HttpClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logbook-tls-'));
    deployment = await distributed();
    environment = {
      ...deployment.environment,
      ...certified(),
      LOGBOOK_HISTORY: 'off',
      LOGBOOK_ACCESS_LOG: 'true',
    };
    await show(first);
    server = await startLogbook(environment);
    client = httpClient(server.url, '', trusted);
    await untilReady(client);
  });
  afterAll(async () => {
    await server?.stop();
    await deployment?.dispose();
    await rm(folder, { recursive: true, force: true });
    for (const certificate of [first, second, third]) certificate.remove();
  });

  const certified = () => ({ LOGBOOK_TLS_CERT_FILE: join(folder, 'tls.crt'), LOGBOOK_TLS_KEY_FILE: join(folder, 'tls.key') });
  /** Puts a pair into the place of the one that the server has. */
  const show = async ({ certFile, keyFile }: Readonly<{ certFile: string; keyFile: string }>): Promise<void> => {
    await copyFile(keyFile, join(folder, 'tls.key'));
    await copyFile(certFile, join(folder, 'tls.crt'));
  };
  /** The certificate that a new connection is shown. */
  const shown = async ({ url } = server): Promise<string | undefined> => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), ca: trusted });
    try {
      await once(socket, 'secureConnect');
      return socket.getPeerX509Certificate()?.fingerprint256;
    } finally {
      socket.destroy();
    }
  };
  const fingerprint = ({ cert }: Readonly<{ cert: Buffer }>): string => new X509Certificate(cert).fingerprint256;
  const health = async () => (await client.get('/health')).json as Readonly<{ certificate: { expires: string; trouble: string | null } }>;

  it('says so in its address, in links and in cookies', async () => {
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const signedIn = await client.post('/console/session', { body: { key: OPERATOR }, headers: { 'content-type': 'application/json' } });
    expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([204, expect.stringMatching(/; HttpOnly; .*; Secure$/)]);
    expect((await client.post('/v1/projects/p', { key: SERVICE_TOKEN, body: {} })).status).toBe(200);
    const { status, json } = await client.post('/api/v2/admin/tenants', { key: ADMIN, body: { info: { name: 'tenant' } } });
    expect([status, (json as { data: { links: { self: string } } }).data.links.self]).toEqual([
      201,
      expect.stringContaining(`${server.url}/api/v2/`),
    ]);
  });

  it('passes the health check of the image', async () => {
    const { port } = new URL(server.url);
    const env = { ...environment, LOGBOOK_PORT: port };
    const child = spawn(process.execPath, ['tools/health.mjs', 'ready'], { env, stdio: 'ignore' });
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('ends connections that speak no TLS, and those that say nothing', async () => {
    const files = await embedded();
    const hasty = await startLogbook({ ...files.environment, ...certified(), LOGBOOK_BODY_TIMEOUT: '1s', LOGBOOK_HISTORY: 'off' });
    try {
      const plain = await rawConnection(hasty.url);
      await plain.send('GET /health/live HTTP/1.1\r\nhost: here\r\n\r\n');
      const silent = await rawConnection(hasty.url);
      expect(await Promise.all([plain.ended, silent.ended])).toEqual(['', '']);
      expect((await httpClient(hasty.url, '', trusted).get('/health/live')).status).toBe(200);
    } finally {
      await hasty.stop();
      await files.dispose();
    }
  });

  it('is asked by the command line with the authority that is named, and the doctor looks at its certificate', async () => {
    const asking = { LOGBOOK_URL: server.url, LOGBOOK_OPS_KEY: OPERATOR };
    const refused = await runLogbook(['doctor'], asking);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Name the file of its authority in NODE_EXTRA_CA_CERTS')]);
    const unencrypted = await runLogbook(['doctor'], { ...asking, LOGBOOK_URL: server.url.replace('https:', 'http:') });
    expect([unencrypted.code, unencrypted.stderr]).toEqual([1, expect.stringContaining('if it speaks https, write that')]);
    const own = await runLogbook(['projections', 'list'], { ...asking, LOGBOOK_TLS_CERT_FILE: first.certFile });
    expect([own.code, own.stderr]).toEqual([0, '']);
    const atRest = await runLogbook(['doctor'], environment);
    expect(atRest.stdout).toMatch(/^certificate +WRONG: ends 20.*: renew it$/m); // made for two days
    const trusting = { ...environment, LOGBOOK_X509_PORT: '8443', LOGBOOK_X509_CA_FILE: first.keyFile };
    expect((await runLogbook(['doctor'], trusting)).stdout).toMatch(/^client authorities +WRONG: .*LOGBOOK_X509_CA_FILE/m);
    const { code, stdout } = await runLogbook(['doctor'], { ...asking, NODE_EXTRA_CA_CERTS: first.certFile });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^event log +ok$[\s\S]*^certificate +.*ends 20/m)]);
  });

  it('is asked by commands beside it without further ado, where it has embedded stores', async () => {
    const files = await embedded();
    const settings = { ...files.environment, ...certified() };
    const beside = await startLogbook(settings);
    try {
      await untilReady(httpClient(beside.url, '', trusted));
      const listed = await runLogbook(['projections', 'list'], settings);
      expect([listed.code, listed.stderr]).toEqual([0, '']);
      const verified = await runLogbook(['audit', 'verify'], settings);
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('intact')]);
    } finally {
      await beside.stop();
      await files.dispose();
    }
  });

  it('shows a new certificate to all new connections, and keeps it when the next one cannot be used', async () => {
    expect(await shown()).toBe(fingerprint(first));
    await show(second);
    let inARow = 0; // both processes look by themselves
    await eventually(async () => {
      inARow = (await shown()) === fingerprint(second) ? inARow + 1 : 0;
      return inARow;
    }).until((seen) => seen === 20);
    const expires = new Date(new X509Certificate(second.cert).validTo);
    expect((await health()).certificate).toEqual({ expires: expires.toISOString(), trouble: null });
    expect((await client.get('/metrics', { accept: null })).text).toContain(
      `\nlogbook_tls_certificate_expiry_timestamp_seconds ${expires.getTime() / 1_000}\n`,
    );

    await copyFile(first.keyFile, join(folder, 'tls.key'));
    const { certificate } = await eventually(health).until((said) => said.certificate.trouble !== null);
    expect(certificate).toEqual({ expires: expires.toISOString(), trouble: expect.stringContaining('does not belong to the certificate') });
    expect(await shown()).toBe(fingerprint(second));
    expect(server.lines.filter((line) => line.includes('cannot be used: the one before it stays'))).toHaveLength(1);
    await show(second);
    await eventually(health).until((said) => said.certificate.trouble === null);
  });

  it('passes calls on to the node that serves a subscription, which has the same certificate, also while that is renewed', async () => {
    const other = await startLogbook({ ...environment, ...(await oneMoreNode(deployment)) });
    try {
      const there = httpClient(other.url, '/v1/projects/p', trusted);
      const here = httpClient(server.url, '/v1/projects/p', trusted);
      const options = (body: object) => ({ key: SERVICE_TOKEN, body });
      const subscription = { topic: 'projects/p/topics/t', ackMode: 'message', ackDeadlineSeconds: 300 };
      const [a, b, c] = ['a', 'b', 'c'].map((text) => ({ data: Buffer.from(text).toString('base64') }));
      expect((await here.put('/topics/t', { key: SERVICE_TOKEN })).status).toBe(200);
      expect((await here.put('/subscriptions/s', options(subscription))).status).toBe(200);
      expect((await here.post('/topics/t:publish', options({ messages: [a, b] }))).status).toBe(200);
      const pulled = async (at: HttpClient, more = {}) => {
        const { status, json } = await at.post('/subscriptions/s:pull', options({ maxMessages: '1', ...more }));
        return [
          status,
          (json as { receivedMessages?: { message: { data: string } }[] }).receivedMessages?.map(({ message }) => message.data),
        ];
      };
      expect(await pulled(here)).toEqual([200, [a?.data]]);
      await untilReady(httpClient(other.url, '', trusted));
      await eventually(() => there.get('/subscriptions/s', { key: SERVICE_TOKEN })).until(({ status }) => status === 200);
      expect(await pulled(there)).toEqual([200, [b?.data]]);

      const waiting = pulled(there, { returnImmediately: 'false' });
      await show(third);
      await eventually(() => shown(other)).until((seen) => seen === fingerprint(third));
      expect((await here.post('/topics/t:publish', options({ messages: [c] }))).status).toBe(200);
      expect(await waiting).toEqual([200, [c?.data]]);
    } finally {
      await other.stop();
    }
  });

  it('speaks it while it waits for its stores, too', async () => {
    const [port = 0] = await freePorts(1);
    const waiting = launchLogbook({ ...environment, LOGBOOK_PORT: `${port}`, REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const asked = httpClient(`https://127.0.0.1:${port}`, '', trusted);
      const live = await eventually(() => asked.get('/health/live').catch(() => undefined)).until((answer) => answer !== undefined);
      expect([live?.status, (await asked.get('/health/ready')).status]).toEqual([200, 503]);
      const quarkus = [await asked.get('/q/health/live'), await asked.get('/q/health/ready'), await asked.get('/q/health')];
      expect(quarkus.map(({ status, json }) => [status, (json as { status: string }).status])).toEqual([
        [200, 'UP'],
        [503, 'DOWN'],
        [503, 'DOWN'],
      ]);
    } finally {
      await waiting.signal('SIGTERM');
    }
  });

  it('does not start with a pair that cannot be used', async () => {
    const started = async (more: Readonly<Record<string, string>>) => {
      const { code, stderr } = await runLogbook(['serve'], { ...environment, ...more });
      const { variable, message } = JSON.parse(stderr) as Readonly<Record<string, string>>;
      return [code, variable, message];
    };
    expect(await Promise.all([started({ LOGBOOK_TLS_CERT_FILE: '' }), started({ LOGBOOK_TLS_KEY_FILE: first.keyFile })])).toEqual([
      [1, 'LOGBOOK_TLS_CERT_FILE', expect.stringContaining('LOGBOOK_TLS_CERT_FILE must be given where LOGBOOK_TLS_KEY_FILE is')],
      [1, 'LOGBOOK_TLS_CERT_FILE, LOGBOOK_TLS_KEY_FILE', expect.stringContaining('does not belong to the certificate')],
    ]);
  });
});
