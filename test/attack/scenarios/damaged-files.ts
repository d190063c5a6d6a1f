import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack, Outcome } from '#test/attack/attack.js';
import type { Cleanup } from '#test/support/cleanup.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { damageAtRandom, randomNumbers } from '#test/support/event-stores/damage.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, httpClient, registerTenant, statusClient } from '#test/support/status-client.js';

/** Damaged copies of each kind; a start takes about a second. */
const COPIES = Number(process.env.LOGBOOK_ATTACK_COPIES ?? 8);
const SEED = Number(process.env.LOGBOOK_ATTACK_SEED ?? Date.now() % 2 ** 31);
const KEY = 'attacked-admin';
const READY_WITHIN_MS = 30_000;

/** An installation at rest that is copied, and what it answers. */
type Installation = Readonly<{ directory: string; environment: Readonly<Record<string, string>>; answers: readonly Answer[] }>;

const READS: readonly ((url: string) => Promise<Answer>)[] = [
  (url) => httpClient(url).get('/audit/events?limit=100', { key: OPERATOR }),
  (url) => statusClient(url).get('/weights', { key: KEY }),
  (url) => statusClient(url).get('/admin/tenants', { key: ADMIN }),
  (url) => httpClient(url).get('/v1/projects', { key: SERVICE_TOKEN }),
  (url) => httpClient(url).get('/v1/projects/p/topics', { key: SERVICE_TOKEN }),
  (url) =>
    httpClient(url).post('/v1/projects/p/subscriptions/s:pull', {
      key: SERVICE_TOKEN,
      body: { maxMessages: '100', returnImmediately: 'true' },
    }),
];

const succeed = (answer: Answer): Answer => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
};

const fill = async (url: string): Promise<void> => {
  await registerTenant(statusClient(url), ADMIN, 'attacked', ['admin']);
  const messaging = async (method: string, path: string, body: unknown = {}) =>
    succeed(await httpClient(url).call(method, `/v1/projects/p${path}`, { key: SERVICE_TOKEN, body }));
  await messaging('POST', '');
  await messaging('PUT', '/topics/t');
  await messaging('PUT', '/subscriptions/s', { topic: 'projects/p/topics/t' });
  for (let n = 0; n < 60; n += 1) {
    const groups = Array.from({ length: n }, (_, index) => ({ name: `group ${index}`, value: index }));
    succeed(
      await statusClient(url).post('/weights', {
        key: KEY,
        body: { name: `record ${n}`, weight_type: 'hepspec', group_type: 'SITES', groups },
      }),
    );
    await messaging('POST', '/topics/t:publish', { messages: [{ data: Buffer.from(`message ${n} `.repeat(n + 1)).toString('base64') }] });
  }
};

const untilReady = async (url: string): Promise<Answer> => {
  const end = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await httpClient(url).get('/health/ready');
    if (answer.status === 200 || performance.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** A filled installation whose server was stopped, or killed while it wrote. */
const prepare = async (cleanup: Cleanup, killed: boolean): Promise<Installation> => {
  const deployment = await embedded();
  cleanup.defer(() => deployment.dispose());
  const { dataDirectory: directory, environment } = deployment;
  const first = await startLogbook(environment);
  cleanup.defer(() => first.kill());
  await fill(first.url);
  await (killed ? first.kill() : first.stop());
  // What it answers is asked of a copy, so that nothing more happens to the original.
  const copy = `${directory}.asked`;
  cpSync(directory, copy, { recursive: true });
  cleanup.defer(() => rmSync(copy, { recursive: true, force: true }));
  const second = await startLogbook({ ...environment, LOGBOOK_DATA_DIR: copy });
  cleanup.defer(() => second.kill());
  await untilReady(second.url);
  const answers = await Promise.all(READS.map((read) => read(second.url)));
  await second.stop();
  return { directory, environment, answers: answers.map(succeed) };
};

type Fate = 'refused' | 'right' | 'made anew' | 'said so';

/** @throws when the damage was neither told nor harmless */
const fateOf = async ({ environment, answers }: Installation, directory: string): Promise<Fate> => {
  let server: LogbookProcess;
  try {
    server = await startLogbook({ ...environment, LOGBOOK_DATA_DIR: directory });
  } catch (error) {
    const [, code, output = ''] = /^the server ended with (\S+): (.*)$/s.exec((error as Error).message) ?? [];
    const lines = output.split('\n').map((line) => JSON.parse(line) as Readonly<{ level: string; message: string; err?: unknown }>);
    const last = lines.at(-1);
    if (code === '1' && last?.level === 'error' && last.err === undefined && last.message.includes(directory)) return 'refused';
    throw error;
  }
  try {
    let ready = await untilReady(server.url);
    const readAll = () => Promise.all(READS.map((read) => read(server.url)));
    let found = await readAll();
    if (ready.status === 200 && found.some(({ status }) => status === 503)) {
      // A read found damage that the start had not read: the documents are built anew, and clients try again.
      ready = await untilReady(server.url);
      found = await readAll();
    }
    for (const [index, { status, text }] of found.entries()) {
      const expected = answers[index];
      const isRefused = status >= 500 && ready.status === 503;
      if (!isRefused && (status !== expected?.status || withoutAckIds(text) !== withoutAckIds(expected.text)))
        throw new Error(`read ${index} answered ${status} ${text.slice(0, 200)}, ready ${ready.status} ${ready.text}`);
    }
    if (ready.status !== 200) return 'said so';
    return server.lines.some((line) => /to be built again|built anew/.test(line)) ? 'made anew' : 'right';
  } finally {
    await server.stop();
  }
};

const withoutAckIds = (text: string): string => text.replace(/"ackId": "[^"]*"/g, '');

/** One of the files that hold data below a directory. */
const fileIn = (directory: string, random: () => number): string => {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /data\.mdb$|\.docs$|^builds$|current$|journal-/.test(name),
  );
  return join(directory, names.sort()[Math.floor(random() * names.length)] ?? '');
};

const damaging = (name: string, part: 'log' | 'documents' | 'audit' | 'results', killed: boolean): Attack => ({
  name,
  run: async (cleanup: Cleanup): Promise<Outcome> => {
    const installation = await prepare(cleanup, killed);
    const random = randomNumbers(SEED);
    const copy = `${installation.directory}.copy`;
    cleanup.defer(() => rmSync(copy, { recursive: true, force: true }));
    const fates = new Map<Fate, number>();
    const broken: string[] = [];
    for (let attempt = 0; attempt < COPIES; attempt += 1) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(installation.directory, copy, { recursive: true });
      const damage = damageAtRandom(fileIn(join(copy, part), random), random);
      try {
        const fate = await fateOf(installation, copy);
        fates.set(fate, (fates.get(fate) ?? 0) + 1);
      } catch (error) {
        broken.push(`${damage}: ${(error as Error).message.slice(0, 300)}`);
      }
    }
    const detail = [...fates].map(([fate, count]) => `${count} ${fate}`).join(', ');
    const held = broken.length === 0 && (part === 'log' ? !fates.has('made anew') : !fates.has('refused') && !fates.has('said so'));
    return { held, attempts: COPIES, detail: [`${detail} (seed ${SEED})`, ...broken].join('; ').replaceAll('\n', ' ') };
  },
});

export const attacks: readonly Attack[] = [
  damaging('damaged copies of a log that was closed', 'log', false),
  damaging('damaged copies of a log whose server was killed', 'log', true),
  damaging('damaged copies of read models that were closed', 'documents', false),
  damaging('damaged copies of read models whose server was killed', 'documents', true),
  damaging('damaged copies of an audit index that was closed', 'audit', false),
  damaging('damaged copies of an audit index whose server was killed', 'audit', true),
  damaging('damaged copies of results that were closed', 'results', false),
  damaging('damaged copies of results whose server was killed', 'results', true),
];
