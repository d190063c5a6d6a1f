import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { projections } from '#api/runtime/vocabulary.js';
import { OWNER_FILES } from '#infra/platform/lmdb/owner.js';
import { documentsOf } from '#test/support/as-of/documents.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { readsOf } from '#test/support/as-of/reads.js';
import { type Headers, SERVICE, World } from '#test/support/as-of/world.js';
import { Cleanup } from '#test/support/cleanup.js';
import { type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import {
  digestOf,
  RETENTION_OF_RELEASES,
  type RecordedAnswer,
  type RecordedAnswers,
  type RecordedDocuments,
  type RecordedPast,
} from '#test/support/releases.js';
import { httpClient } from '#test/support/status-client.js';
import { Life } from './lives.js';

const USAGE = `npm run releases:add -- <name>

Makes test/releases/<name>: data that the build of this checkout writes, and its answers over them (README.md there). Takes six minutes.`;

const [name] = process.argv.slice(2);
if (name === undefined || !/^[\w.-]+$/.test(name)) {
  console.error(USAGE);
  process.exit(2);
}

const SEED = 20_260_101;
/** The address that recorded answers name. */
const ADDRESS = 'http://127.0.0.1:8080';
const OPS: Headers = { 'x-api-key': OPERATOR };
const PULLED = ['passing', 'lasting', 'compacted', 'behind', 'ahead', 'shared', 'workers'];
/** Files of a data directory that no later start needs. */
const LEFT_OUT = ['credentials.json', 'lock', ...OWNER_FILES];

type Moment = RecordedAnswers['moments'][number];

const packed = (folder: string, file: string, content: Buffer | string): void => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(content, { params }));
};

/** Both lives of the server; the data are in the directory of the deployment. */
const live = async ({ environment }: Deployment, cleanup: Cleanup) => {
  const moments: Moment[] = [];
  let http = httpClient(ADDRESS);
  const world = new World(() => http, SEED);
  const note = async (): Promise<void> => {
    const { json } = await http.get('/audit/events?order=desc&limit=1', { headers: OPS });
    const [{ position, time } = { position: '', time: '' }] = (json as { items: readonly Moment[] }).items;
    moments.push({ position, time });
  };
  const serve = async (retention: string, work: (life: Life) => Promise<void>): Promise<void> => {
    const server = await startLogbook({ ...environment, LOGBOOK_HISTORY: 'on', LOGBOOK_MESSAGING_RETENTION: retention });
    cleanup.defer(() => server.kill());
    http = httpClient(server.url);
    while ((await http.get('/health')).status !== 200) await sleep(50);
    await work(new Life(() => http, world, note));
    const code = await server.stop();
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  };
  await serve('5s', (life) => life.first());
  await serve(RETENTION_OF_RELEASES.LOGBOOK_MESSAGING_RETENTION, (life) => life.second());
  return { clock: new Date().toISOString(), moments, world };
};

/** Answers to calls, with the address of the server replaced. */
const recorder = (lab: PastLab, answers: RecordedAnswer[]) => async (call: Omit<RecordedAnswer, 'status' | 'text'>) => {
  const { method, path, headers, body, asOf } = call;
  const sent = asOf === undefined ? headers : { ...headers, 'logbook-as-of': asOf };
  const { status, text } = await lab.http.call(method, path, { headers: sent, ...(body !== undefined && { body }) });
  answers.push({ ...call, status, text: text.replaceAll(lab.url, ADDRESS) });
  return { status, json: status === 200 && text.startsWith('{') ? JSON.parse(text) : {} };
};

type RecordCall = ReturnType<typeof recorder>;

/** Events up to the head, which later starts add to: only pages that are full. */
const recordAudit = async (call: RecordCall, answers: RecordedAnswer[], head: bigint, world: World): Promise<void> => {
  const get = (path: string) => call({ method: 'GET', path, headers: OPS });
  for (const form of ['readable', 'stored'])
    for (let after = ''; ; ) {
      const { json } = await get(`/audit/events?limit=50&form=${form}${after}`);
      const { items, next } = json as { items: readonly { position?: string }[]; next: string | null };
      if (next === null || items.some(({ position }) => position !== undefined && BigInt(position) > head)) {
        answers.pop();
        break;
      }
      after = `&after=${next}`;
    }
  const { json } = await get('/audit/anchors');
  const sizes = (json as { items: readonly { size: number }[] }).items.map(({ size }) => size).sort((one, other) => one - other);
  for (const size of sizes) await get(`/audit/anchors/${size}`);
  await get('/audit/keys');
  for (const [index, size] of sizes.slice(1).entries()) await get(`/audit/consistency?from=${sizes[index]}&to=${size}`);
  for (let index = 0; index < (sizes.at(-1) ?? 0); index += 23)
    for (const part of ['', '/proof', '/resources']) await get(`/audit/events/${index}${part}`);
  await get('/audit/streams/status.tenants-global?limit=1000');
  for (const type of ['MessagePublished', 'TopicCreated', 'MetricRecorded', 'ReportCreated', 'DeadLettersRedriven'])
    await get(`/audit/events?type=${type}&limit=10`);
  const some = (kind: string) => encodeURIComponent(world.some(kind));
  for (const path of [
    'messaging/topic/lasting?scope=lab',
    'messaging/topic/work?scope=lab',
    'messaging/subscription/compacted?scope=lab',
    'messaging/subscription/workers?scope=lab',
    'messaging/project/lab',
    `messaging/user/${some('user')}`,
    `messaging/topic/${some('topic')}?scope=lab`,
    `accounting/installation/${some('installation')}`,
    `accounting/provider/${some('provider')}`,
    `accounting/metric_definition/${some('definition')}`,
    `accounting/metric/${some('metric')}`,
    `status/tenant/${some('tenant')}`,
    `status/weights/${some('weights')}`,
    `status/operations_profile/${some('operations_profiles')}`,
    `status/report/${some('report')}`,
  ])
    await get(`/audit/resources/${path}`);
};

/** Documents as of each moment, and digests of them at every seventh position between. */
const recordPast = async ({ runtime }: PastLab, moments: readonly Moment[]): Promise<RecordedPast> => {
  const { past, readStore } = runtime;
  if (!past) throw new Error('there is no history');
  const positions = moments.map(({ position }) => BigInt(position));
  const [first = 0n, last = 0n] = [positions[0], positions.at(-1)];
  const texts: Record<string, Record<string, RecordedDocuments[string]>> = {};
  const digests: Record<string, Record<string, string>> = {};
  for (const { name: projection } of projections) {
    const served = await readStore.served(projection);
    if (!served) throw new Error(`${projection} is not served`);
    const at = (position: bigint, collections: readonly string[]) =>
      documentsOf(past.history.view(projection, position), [...collections].sort());
    const known = new Set<string>();
    for (const position of positions) {
      const found = await at(position, await readStore.collections(served));
      for (const collection of Object.keys(found)) known.add(collection);
      texts[`${position}`] = { ...texts[`${position}`], [projection]: found };
    }
    for (let position = first + 3n; position < last; position += 7n)
      digests[`${position}`] = { ...digests[`${position}`], [projection]: digestOf(await at(position, [...known])) };
  }
  return { versions: Object.fromEntries(projections.map(({ name: one, version }) => [one, version])), texts, digests };
};

/** Answers of this build over a copy of the data, at the time of their end. */
const record = async (data: Deployment, { clock, moments, world }: Awaited<ReturnType<typeof live>>, cleanup: Cleanup) => {
  const copy = await embedded();
  cleanup.defer(() => copy.dispose());
  cpSync(data.dataDirectory, copy.dataDirectory, { recursive: true });
  const lab = await openPastLab(copy, RETENTION_OF_RELEASES);
  cleanup.defer(() => lab.close());
  await lab.settled();
  lab.advance(Date.parse(clock) - lab.runtime.clock());
  await lab.runtime.audit.index.reached(await lab.runtime.eventStore.end(), 60_000);
  const answers: RecordedAnswer[] = [];
  const recordCall = recorder(lab, answers);
  await recordAudit(recordCall, answers, BigInt(moments.at(-1)?.position ?? 0), world);
  const calls = readsOf(lab.routes, world, 3).map(({ route: _, ...call }) => call);
  for (const call of calls) await recordCall(call);
  for (const [index, call] of calls.entries())
    for (const [number, { position, time }] of moments.entries())
      await recordCall({ ...call, asOf: (index + number) % 3 === 0 ? time : position });
  const past = await recordPast(lab, moments);
  for (const subscription of PULLED) {
    const path = `/v1/projects/lab/subscriptions/${subscription}:pull`;
    await recordCall({ method: 'POST', path, headers: SERVICE, body: { maxMessages: '4', returnImmediately: 'true' } });
  }
  const recorded: RecordedAnswers = { clock, moments, answers };
  return { recorded, past };
};

const cleanup = new Cleanup();
try {
  const folder = join(process.cwd(), 'test', 'releases', name);
  const data = await embedded();
  cleanup.defer(() => data.dispose());
  const lived = await live(data, cleanup);
  const { recorded, past } = await record(data, lived, cleanup);
  mkdirSync(folder);
  const plain = ['--sort=name', '--mtime=2026-01-01', '--owner=0', '--group=0', '--numeric-owner'];
  const excluded = LEFT_OUT.map((one) => `--exclude=${one}`);
  const { status, stdout, stderr } = spawnSync('tar', ['-c', ...plain, ...excluded, '-C', data.dataDirectory, '.'], {
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  packed(folder, 'data.tar', stdout);
  packed(folder, 'answers.json', JSON.stringify(recorded));
  packed(folder, 'documents.json', JSON.stringify(past));
  const failed = recorded.answers.filter((answer) => answer.status >= 500);
  console.log(`${folder}: ${recorded.answers.length} answers, ${failed.length} of them 5xx, ${recorded.moments.length} moments`);
  for (const { method, path, asOf, text } of failed.slice(0, 10)) console.log(`${method} ${path} ${asOf ?? ''}: ${text}`);
} finally {
  await cleanup.run();
}
