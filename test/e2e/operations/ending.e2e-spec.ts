import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { launchLogbook } from '#test/support/processes/logbook-process.js';
import { type RawConnection, rawConnection } from '#test/support/raw-connection.js';
import { httpClient } from '#test/support/status-client.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = join(ROOT, 'dist/server/main.js');
const PUBLISHER = 'publish-and-pull';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logbook-ending-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

type LogLine = Readonly<Record<string, unknown>>;
const parsed = (lines: readonly string[]): readonly LogLine[] =>
  lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
const saying = (lines: readonly string[], message: string): Promise<LogLine | undefined> =>
  eventually(async () => parsed(lines).find((line) => line.message === message)).until((line) => line !== undefined);

/** Where a server on a terminal says that it is. */
const servedBy = (lines: readonly string[]): Promise<string> =>
  eventually(async () => lines.map((line) => /^Logbook \S+ serves (\S+)$/.exec(line)?.[1] ?? '').join('')).until((url) => url !== '');

/** `npm start` in the foreground of an interactive shell: Ctrl-C reaches the whole process group, and npm passes on its own. */
const npmStart = (environment: Readonly<Record<string, string>>) => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('script', ['-qec', 'exec bash --norc --noprofile --noediting -i', '/dev/null'], {
    cwd: ROOT,
    env: { PATH, HOME, TERM: 'dumb', LOGBOOK_PORT: '0', ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const all = (rest + text).split(/\r?\n/);
    rest = all.pop() ?? '';
    lines.push(...all);
  });
  child.stdin.write('stty -echo; PS1=\nnpm start\n');
  const exit = async (): Promise<void> => {
    child.stdin.end('exit\n'); // read by the shell once npm has ended
    await once(child, 'close');
  };
  return { lines, interrupt: () => child.stdin.write('\u0003'), exit };
};

/** A request of which the server has only half of the body. */
const begunRequest = async (url: string): Promise<Readonly<{ connection: RawConnection; end: () => Promise<string> }>> => {
  const [body, connection] = [JSON.stringify({ description: 'x'.repeat(1_000) }), await rawConnection(url)];
  const head = [`POST /v1/projects/begun HTTP/1.1`, 'host: here', `x-api-key: ${PUBLISHER}`, 'content-type: application/json'];
  await connection.send(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 500)}`);
  const end = async (): Promise<string> => {
    await connection.send(body.slice(500));
    return connection.ended;
  };
  return { connection, end };
};

/** Until the server has the beginning of a request body: a metric says how many bytes it expects. */
const untilBegun = (url: string) =>
  eventually(async () => (await httpClient(url).get('/metrics')).text).until((text) => /^logbook_body_bytes [1-9]/m.test(text));

it('Ctrl-C under npm start, which reaches the server twice, cuts no request', async () => {
  const data = join(directory, 'terminal');
  const terminal = npmStart({ LOGBOOK_DATA_DIR: data, LOGBOOK_MESSAGING_SERVICE_TOKEN: PUBLISHER });
  const url = await servedBy(terminal.lines);
  const request = await begunRequest(url);
  await untilBegun(url);
  terminal.interrupt();
  await saying(terminal.lines, 'shutting down');
  expect(await request.end()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"projects\/begun|"name": "begun"/);
  await terminal.exit();
  expect(parsed(terminal.lines).filter(({ message }) => message === 'shutting down')).toHaveLength(1);

  expect(readdirSync(join(data, 'log')).filter((name) => name === 'lock')).toEqual([]); // closed in order
});

const DRAINING = 'draining: not ready any more, and serving for this time';

it('a server that drains is not ready, and serves on with the last answer of each connection', async () => {
  const server = launchLogbook({
    LOGBOOK_DATA_DIR: join(directory, 'draining'),
    LOGBOOK_DRAIN_SECONDS: '600',
    LOGBOOK_OPS_KEY: OPERATOR,
  });
  const root = httpClient(await server.url);
  expect((await root.get('/health/live')).headers.get('connection')).toBe('keep-alive');
  void server.signal('SIGTERM');
  await saying(server.lines, DRAINING);
  const ready = await root.get('/health/ready');
  expect([ready.status, ready.json]).toEqual([503, { status: 'down', reason: 'the server is ending' }]);
  for (const path of ['/health/live', '/ops/log']) {
    const answer = await root.get(path, { key: OPERATOR });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  }
  await server.signal('SIGKILL');
});

it('a server takes .env and secret files, warns of unknown variables, says in every log line who it is, and ends in order, though asked twice while it drains', async () => {
  await writeFile(
    join(directory, '.env'),
    `LOGBOOK_OPS_KEY_FILE=${join(directory, 'ops-key')}\nLOGBOOK_PROT=1\nLOGBOOK_DATA_DIR=elsewhere\nLOGBOOK_DRAIN_SECONDS=1\n`,
  );
  await writeFile(join(directory, 'ops-key'), `${OPERATOR}\n`);
  const server = launchLogbook({ LOGBOOK_DATA_DIR: join(directory, 'data') }, [MAIN], directory);
  const root = httpClient(await server.url);
  expect((await root.get('/ops/log', { key: OPERATOR })).status).toBe(200);
  const { status, json } = await root.get('/version');
  const text = expect.any(String);
  expect([status, json]).toEqual([
    200,
    { version: text, commit: expect.stringMatching(/^([0-9a-f]{40}(-dirty)?)?$/), buildTime: text, node: process.version },
  ]);
  void server.signal('SIGTERM');
  const exited = server.signal('SIGTERM');
  await saying(server.lines, DRAINING);
  expect(await exited).toBe(0);
  expect(parsed(server.lines)).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      variable: 'LOGBOOK_PROT',
      message: 'LOGBOOK_PROT is not a variable of Logbook: did you mean LOGBOOK_PORT?',
    }),
  );
  const { version } = json as { version: string };
  for (const line of parsed(server.lines))
    expect(line).toMatchObject({ service: 'logbook', node: expect.stringMatching(/:\d+$/), version });
  expect(parsed(server.lines)).toHaveLength(server.lines.length);
});
