import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { weights } from '#test/e2e/status/contract.js';
import {
  ADMIN,
  bothDeployments,
  type Deployment,
  distributed,
  dropReadModels,
  OPERATOR,
  oneMoreNode,
  SERVICE_TOKEN,
  SYSTEM_ADMIN,
} from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { startServer } from '#test/support/server-host/hosted-server.js';
import { type Answer, type HttpClient, httpClient, registerTenant, statusClient } from '#test/support/status-client.js';

const TENANT_KEY = 'lost-admin';
const MESSAGES = 3_000;

/** A read of each shape of answer, and how its 503 looks. */
type Read = Readonly<{ path: string; headers: Readonly<Record<string, string>>; refused: RegExp }>;

const STATUS = /"code": "503"/;
const READS: readonly Read[] = [
  { path: '/api/v2/weights', headers: { 'x-api-key': TENANT_KEY }, refused: STATUS },
  { path: '/api/v2/admin/tenants', headers: { 'x-api-key': ADMIN }, refused: STATUS },
  { path: '/api/v2/metric_data?start_time=2024-01-01T00:00:00Z', headers: { 'x-api-key': TENANT_KEY }, refused: STATUS },
  { path: '/api/v3/results/none?start_time=2024-01-01&end_time=2024-01-02', headers: { 'x-api-key': TENANT_KEY }, refused: STATUS },
  {
    path: '/api/v2/results/none/SITES?start_time=2024-01-01T00:00:00Z&end_time=2024-01-02T00:00:00Z',
    headers: { 'x-api-key': TENANT_KEY, accept: 'application/xml' },
    refused: /<code>503<\/code>/,
  },
  ...[
    '/projects/lost',
    '/projects/lost/topics',
    '/projects/lost/topics/t',
    '/projects/lost/topics/none',
    '/projects/lost/subscriptions/s:offsets',
  ].map((path) => ({ path: `/v1${path}`, headers: { 'x-api-key': SERVICE_TOKEN }, refused: /"code": 503/ })),
  ...['/unit-types', '/providers', '/operands'].map((path) => ({
    path: `/accounting-system${path}`,
    headers: { authorization: `Bearer ${SYSTEM_ADMIN}` },
    refused: /"code":503/,
  })),
  { path: '/ops/keys', headers: { 'x-api-key': OPERATOR }, refused: /"status":503/ },
];

const masked = ({ text }: Answer): string => text.replaceAll(/127\.0\.0\.1:\d+/g, '');

const ask = (root: HttpClient, { path, headers }: Read): Promise<Answer> =>
  root.get(path, { headers, ...(headers.accept && { accept: null }) });

/** Something to read in every service, and a log of some length. */
const fill = async (url: string): Promise<void> => {
  const root = httpClient(url);
  const status = statusClient(url);
  const service = { key: SERVICE_TOKEN };
  await registerTenant(status, ADMIN, 'lost', ['admin']);
  expect((await status.post('/weights', { key: TENANT_KEY, body: weights('lost') })).status).toBe(201);
  expect((await root.post('/v1/projects/lost', { ...service, body: {} })).status).toBe(200);
  expect((await root.put('/v1/projects/lost/topics/t', service)).status).toBe(200);
  const attached = await root.put('/v1/projects/lost/subscriptions/s', { ...service, body: { topic: 'projects/lost/topics/t' } });
  expect(attached.status).toBe(200);
  const messages = Array.from({ length: MESSAGES / 6 }, () => ({ data: 'eA==' }));
  for (let call = 0; call < 6; call++)
    expect((await root.post('/v1/projects/lost/topics/t:publish', { ...service, body: { messages } })).status).toBe(200);
};

const answersOf = (url: string): Promise<readonly Answer[]> => Promise.all(READS.map((read) => ask(httpClient(url), read)));

/** Asks everything again and again until all answers are as they were: until then each is that, or a 503 in the shape of its service. */
const expectWholeOrRefused = async (url: string, whole: readonly Answer[]): Promise<void> => {
  const isWhole = (answer: Answer, at: number): boolean => {
    const before = whole[at];
    return before !== undefined && answer.status === before.status && masked(answer) === masked(before);
  };
  await eventually(async () => {
    const answers = await answersOf(url);
    answers.forEach((answer, at) => {
      if (isWhole(answer, at)) return;
      const { path, refused } = READS[at] as Read;
      expect([path, answer.status, answer.text, answer.headers.get('retry-after')]).toEqual([
        path,
        503,
        expect.stringMatching(refused),
        expect.stringMatching(/^\d+$/),
      ]);
    });
    return answers;
  }).until((answers) => answers.every(isWhole));
};

describe('read models that Redis has lost while they are in use', () => {
  let deployment: Deployment;
  let nodes: readonly LogbookProcess[] = [];

  beforeAll(async () => {
    deployment = await distributed();
    // Without a history, which is beside Redis and would be deleted with the read models.
    const start = (environment: Deployment['environment']) => startLogbook({ ...environment, LOGBOOK_HISTORY: 'off' });
    nodes = [await start(deployment.environment), await start(await oneMoreNode(deployment))];
    for (const { url } of nodes) await untilReady(httpClient(url));
    await fill(nodes[0]?.url ?? '');
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await deployment?.dispose();
  });

  it('are built anew although nothing is written; until then every call gets 503 at every node, and no node is ready', async () => {
    const [{ url = '' } = {}] = nodes;
    const whole = await answersOf(url);
    expect(whole.filter(({ status }) => status === 200)).toHaveLength(10);
    await eventually(() => Promise.all(nodes.map((node) => answersOf(node.url)))).until((all) =>
      all.every((answers) => answers.every((answer, at) => masked(answer) === masked(whole[at] as Answer))),
    );
    await dropReadModels(deployment);
    const ready = await httpClient(url).get('/health/ready');
    expect([ready.status, ready.text]).toEqual([503, expect.stringContaining('read models behind the log')]);
    await Promise.all(nodes.map((node) => expectWholeOrRefused(node.url, whole)));
    for (const node of nodes) await untilReady(httpClient(node.url));
    expect((await statusClient(url).get('/weights', { key: 'nobody-has-this' })).status).toBe(401);
  });

  it('keep no writer from what it writes, and show all of it afterwards', async () => {
    const [{ url = '' } = {}] = nodes;
    const [root, status] = [httpClient(url), statusClient(url)];
    await dropReadModels(deployment);
    const written: string[] = [];
    const seen = new Set<number>();
    await eventually(async () => {
      const name = `topic-${written.length}`;
      const { status: put } = await root.put(`/v1/projects/lost/topics/${name}`, { key: SERVICE_TOKEN });
      seen.add(put);
      if (put !== 200) return put;
      written.push(name);
      const { status: read } = await root.get(`/v1/projects/lost/topics/${name}`, { key: SERVICE_TOKEN });
      seen.add(read);
      return read;
    }).until((read) => read === 200);
    expect([...seen].filter((one) => one !== 200 && one !== 503)).toEqual([]);
    await untilReady(root);
    for (const name of written) expect((await root.get(`/v1/projects/lost/topics/${name}`, { key: SERVICE_TOKEN })).status).toBe(200);
    expect((await status.get('/weights', { key: TENANT_KEY })).status).toBe(200);
  });
});

describe.each(bothDeployments)('read models that were deleted before a start: %s', (_name, open) => {
  let deployment: Deployment;
  let server: LogbookProcess | undefined;
  afterAll(async () => {
    await server?.stop();
    await deployment?.dispose();
  });

  it('are built from the log; until they show all of it, calls get 503', async () => {
    deployment = await open();
    server = await startServer(deployment.environment);
    await untilReady(httpClient(server.url));
    await fill(server.url);
    const whole = await answersOf(server.url);
    await server.stop();
    await dropReadModels(deployment);
    server = await startServer(deployment.environment);
    await expectWholeOrRefused(server.url, whole);
    await untilReady(httpClient(server.url));
  });
});
