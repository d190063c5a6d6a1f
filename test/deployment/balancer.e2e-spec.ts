import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { distributed, OPERATOR, oneMoreNode, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { firstOverview } from '#test/support/first-overview.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { removeKeys } from '#test/support/redis/redis.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';
import { ROOT } from './image.js';

const inHaproxy = spawnSync('haproxy', ['-v']).error ? describe.skip : describe;

/** The shipped file, with ports of this machine in place of names of hosts. @param nodes address by name of the server */
const configurationOf = async (port: number, nodes: Readonly<Record<string, string>>): Promise<string> => {
  const shipped = await readFile(join(ROOT, 'deploy/haproxy.cfg'), 'utf8');
  return shipped
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^( {4}server (\S+)) \S+:8080$/gm, (_line, server: string, name: string) => `${server} ${nodes[name] ?? '127.0.0.1:1'}`);
};

const ops = { 'x-api-key': OPERATOR };
const service = { 'x-api-key': SERVICE_TOKEN };

/** Nodes of one role each, and HAProxy before those that the shipped file names. `disposals` are made in reverse order. */
const openBalanced = async (disposals: (() => Promise<unknown>)[]) => {
  const deployment = await distributed();
  disposals.push(deployment.dispose);
  const start = async (roles: string): Promise<LogbookProcess> => {
    const node = await startLogbook({ ...(await oneMoreNode(deployment)), LOGBOOK_ROLES: roles });
    disposals.push(node.stop);
    return node;
  };
  const [api, projector, history] = await Promise.all([start('api'), start('projector,push'), start('history')]);
  await Promise.all([api, projector, history].map(({ url }) => untilReady(httpClient(url))));
  const folder = await mkdtemp(join(tmpdir(), 'logbook-balancer-'));
  disposals.push(() => rm(folder, { recursive: true }));
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, await configurationOf(port, { api1: new URL(api.url).host, worker1: new URL(history.url).host }));
  const balancer = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(balancer, 'exit');
  disposals.push(() => {
    balancer.kill();
    return ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const client = httpClient(url);
  await eventually(() => client.get('/audit/anchors', { headers: ops }).catch(() => null)).until((answer) => answer?.status === 200);
  return { url, client, api, projector, history, deployment };
};

type Balanced = Awaited<ReturnType<typeof openBalanced>>;

const expectServedWithoutCounters = async ({ client, api, projector, deployment }: Balanced): Promise<void> => {
  const put = (path: string, body = {}) => client.call('PUT', `/v1/projects/balanced/${path}`, { headers: service, body });
  await put('topics/t');
  await put('subscriptions/s', { topic: 'projects/balanced/topics/t' });
  const offsets = () => client.get('/v1/projects/balanced/subscriptions/s:offsets', { headers: service });
  await eventually(offsets).until(({ status }) => status === 200);
  await projector.stop();
  const { REDIS_URL = '', LOGBOOK_REDIS_PREFIX } = deployment.environment;
  await removeKeys(REDIS_URL, `${LOGBOOK_REDIS_PREFIX}:{messaging.counters}`);
  const node = httpClient(api.url);
  const { projections } = await eventually(async () => (await node.get('/health')).json as { projections: Record<string, string> }).until(
    (health) => health.projections['messaging.counters'] === 'catching-up',
  );
  expect(projections['messaging.accounts']).toBe('live');
  const lost = await offsets();
  expect([lost.status, lost.text, lost.headers.get('retry-after')]).toEqual([
    503,
    expect.stringContaining('the read model messaging.counters is not there yet'),
    expect.stringMatching(/^[1-9]\d*$/),
  ]);
  await eventually(() => node.get('/health/ready')).until(({ status }) => status === 200);
  const publish = { headers: service, body: { messages: [{ data: 'eA==' }] }, mayBeBehind: true };
  const published = await client.call('POST', '/v1/projects/balanced/topics/t:publish', publish);
  expect([published.status, published.headers.get('logbook-read-model')]).toEqual([200, 'behind']);
};

inHaproxy('HAProxy with the shipped file, before nodes of one role each', () => {
  const disposals: (() => Promise<unknown>)[] = [];
  let balanced: Balanced;
  let client: HttpClient;
  let history: LogbookProcess;
  beforeAll(async () => {
    balanced = await openBalanced(disposals);
    ({ client, history } = balanced);
  });
  afterAll(async () => {
    for (const dispose of disposals.reverse()) await dispose();
  });

  const rebuilt = async (): Promise<unknown> => {
    const { status, json } = await client.call('POST', '/ops/projections/messaging.resources/rebuild', { headers: ops });
    expect(status).toBe(202);
    const done = await eventually(() => client.get((json as { href: string }).href, { headers: ops })).until(
      (answer) => answer.status === 200 && (answer.json as { state: string }).state === 'done',
    );
    return done.json;
  };

  it('brings every call to a node that answers it', async () => {
    const written = await client.call('POST', '/v1/projects/balanced', { headers: service, body: { description: 'first' } });
    const position = written.headers.get('logbook-position') ?? '';
    await client.call('PUT', '/v1/projects/balanced', { headers: service, body: { description: 'second' } });
    const then = await eventually(() => client.get('/v1/projects/balanced', { headers: { ...ops, 'logbook-as-of': position } })).until(
      ({ status }) => status !== 503,
    );
    expect([written.status, then.status, (then.json as { description: string }).description]).toEqual([200, 200, 'first']);
    const calls = ['/ops/projections', '/ops/log', '/ops/keys', '/ops/backups', '/audit/events', '/docs', '/console', '/openapi.json'];
    for (const path of calls) expect([path, (await client.get(path, { headers: ops })).status]).toEqual([path, 200]);
    expect((await client.get('/metrics')).status).toBe(404);
    expect((await client.call('POST', '/ops/signing-keys', { headers: ops })).status).toBe(201);
    await eventually(() => firstOverview(balanced.url, OPERATOR)).until(
      ({ chain, services }) => chain.status === 'live' && services.hours !== null,
    );
  });

  it('has a rebuild and a verification done that it sends to a node without the role', async () => {
    expect(await rebuilt()).toMatchObject({ projection: 'messaging.resources', failure: null });
    const { status, json } = await client.call('POST', '/ops/projections/messaging.resources/verify', { headers: ops });
    expect(status).toBe(202);
    const job = await eventually(() => client.get((json as { href: string }).href, { headers: ops })).until(
      (answer) => (answer.json as { state: string }).state === 'done',
    );
    expect(job.json).toMatchObject({ equal: true });
  });

  it('still takes what operators ask for while no node with the history is up', async () => {
    await history.stop();
    await eventually(() => client.get('/ops/projections', { headers: ops }).catch(() => null)).until(
      (answer) => answer?.status === 200, // of the balancer itself, until it has noticed
    );
    expect(await rebuilt()).toMatchObject({ failure: null });
    const { status, text } = await client.get('/audit/events', { headers: ops });
    expect([status, /role (\w+)/.exec(text)?.[1]]).toEqual([503, 'history']);
  });

  it('still brings calls to a node with the role `api` while a read model is lost that they do not need, and others learn which one it is', async () => {
    await expectServedWithoutCounters(balanced);
  });
});
