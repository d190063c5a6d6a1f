import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeCertificate } from '#test/support/eventstoredb/certificate.js';
import { eventually } from '#test/support/eventually.js';
import { launchLogbook } from '#test/support/processes/logbook-process.js';
import { requestHead } from '#test/support/raw-connection.js';
import { httpClient } from '#test/support/status-client.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PUBLISHER = 'publish-and-pull';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logbook-standing-still-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const line = (lines: readonly string[], part: string): Promise<string | undefined> =>
  eventually(async () => lines.find((one) => one.includes(part))).until((found) => found !== undefined);
const errorsIn = (lines: readonly string[]): readonly string[] => lines.filter((one) => one.includes('"level":"error"'));

it('a later signal ends a server at once, whatever goes on', async () => {
  const environment = { LOGBOOK_DATA_DIR: join(directory, 'twice'), LOGBOOK_DRAIN_SECONDS: '600' };
  const server = launchLogbook(environment);
  await server.url;
  const exited = server.signal('SIGTERM');
  const asked = async (): Promise<boolean> => {
    void server.signal('SIGTERM');
    return server.hasEnded;
  };
  await eventually(asked).until((hasEnded) => hasEnded);
  expect([1, null]).toContain(await exited); // null: a signal that came when the exiting process had given up its handlers
});

it('clients that stand still do not keep a server from ending in order', async () => {
  const environment = {
    LOGBOOK_DATA_DIR: join(directory, 'still'),
    LOGBOOK_MESSAGING_SERVICE_TOKEN: PUBLISHER,
  };
  const server = launchLogbook(environment);
  const url = await server.url;
  const service = httpClient(url);
  const call = (path: string, method: 'put' | 'post', body: object) => service[method](`/v1/projects/lab${path}`, { key: PUBLISHER, body });
  await call('', 'post', {});
  await call('/topics/news', 'put', {});
  for (const name of ['long', 'waiting', 'streamed']) await call(`/subscriptions/${name}`, 'put', { topic: 'projects/lab/topics/news' });
  const data = Buffer.alloc(900_000, 'x').toString('base64');
  for (let count = 0; count < 20; count += 1) await call('/topics/news:publish', 'post', { messages: [{ data }] });
  const head = (method: string, path: string, length: number): string =>
    requestHead(method, `/v1/projects/lab${path}`, { 'x-api-key': PUBLISHER, 'content-length': `${length}` });
  const standingStill = [
    'GET /v1/projects HTTP/1.1\r\nhost: he',
    `${head('POST', '/topics/news:publish', 1_000)}{"mess`,
    `${head('POST', '/subscriptions/long:pull', 22)}{"maxMessages": "100"}`,
    `${head('POST', '/subscriptions/waiting:pull', 20)}{"maxMessages": "1"}`,
    head('GET', '/subscriptions/streamed:stream', 0),
  ];
  const { port } = new URL(url);
  for (const text of [...standingStill, ...standingStill])
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined); // reads nothing
      socket.write(text, () => resolve());
    });
  await eventually(async () => (await service.get('/metrics')).text).until((text) => /^logbook_body_bytes [1-9]/m.test(text));
  expect(await server.signal('SIGTERM')).toBe(0);
  expect(errorsIn(server.lines)).toEqual([]);
});

it('ends though a file does not open', async () => {
  const certificate = makeCertificate();
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  await copyFile(certificate.certFile, certFile);
  await copyFile(certificate.keyFile, keyFile);
  certificate.remove();
  const environment = {
    LOGBOOK_DATA_DIR: join(directory, 'blocked'),
    LOGBOOK_TLS_CERT_FILE: certFile,
    LOGBOOK_TLS_KEY_FILE: keyFile,
  };
  const server = launchLogbook(environment);
  await server.url;
  await rm(certFile);
  execFileSync('mkfifo', [certFile]);
  await line(server.lines, 'it is not a file');
  expect(await server.signal('SIGTERM')).toBe(0);
  const again = launchLogbook(environment);
  expect(await again.exited).toBe(1);
  expect(again.lines.join()).toContain('the file of LOGBOOK_TLS_CERT_FILE cannot be read (it is not a file)');
});

it('a process ends though one of its threads waits in the file system for ever', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const module = join(ROOT, 'dist/apps/api/src/hosting/start/end-process.js');
  const program = `import('node:fs').then(({ promises }) => { void promises.readFile('${pipe}'); return import('${module}'); }).then(({ endProcess }) => endProcess(0));`;
  const [, signal] = await once(spawn(process.execPath, ['--eval', program], { cwd: ROOT, stdio: 'ignore' }), 'exit');
  expect(signal).toBe('SIGKILL');
});
