import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, distributed, OPERATOR, oneMoreNode, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';

const KEY = 'split-admin';

describe('nodes with roles of their own', () => {
  let deployment: Deployment;
  let api: LogbookProcess;
  let projector: LogbookProcess;
  let behindScenes: LogbookProcess;
  const all: LogbookProcess[] = [];
  const start = async (roles: string): Promise<LogbookProcess> => {
    const node = await startLogbook({ ...(await oneMoreNode(deployment)), LOGBOOK_ROLES: roles });
    all.push(node);
    return node;
  };
  beforeAll(async () => {
    deployment = await distributed();
    [api, projector, behindScenes] = await Promise.all([start('api'), start('projector'), start('push,history')]);
    await Promise.all([api, projector, behindScenes].map(({ url }) => untilReady(httpClient(url))));
    await registerTenant(statusClient(api.url), ADMIN, 'split', ['admin']);
  });
  afterAll(async () => {
    await Promise.all(all.map((node) => node.stop()));
    await deployment?.dispose();
  });

  const ops = { 'x-api-key': OPERATOR };
  let written = 0;
  /** A record is created at the API node: whether its answer says that the read models are behind, and what the record's own address answers then. */
  const write = async () => {
    const client = statusClient(api.url);
    const answer = await client.post('/weights', { key: KEY, body: weights(`profile ${written++}`), mayBeBehind: true });
    const { status, headers } = answer;
    const id = idOf(answer);
    return {
      status,
      behind: headers.get('logbook-read-model'),
      read: async () => (await client.get(`/weights/${id}`, { key: KEY })).status,
    };
  };
  const ROLE = /role (\w+)/;
  const refused = async (client: HttpClient, method: 'GET' | 'POST', path: string, headers: Record<string, string> = ops) => {
    const { status, headers: answered, text } = await client.call(method, path, { headers });
    return [status, answered.get('retry-after'), ROLE.exec(text)?.[1]];
  };
  const projectors = async (): Promise<readonly (string | null)[]> => {
    const { json } = await httpClient(api.url).get('/ops/projections', { headers: ops });
    return [...new Set((json as { items: { projector: string | null }[] }).items.map(({ projector: node }) => node))];
  };
  const applies = async ({ pid }: LogbookProcess) => {
    const nodes = await projectors();
    return nodes.length === 1 && nodes[0]?.endsWith(`:${pid}`);
  };

  it('show each write at the node that took it, which applies nothing itself', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, behind, read } = await write();
      // Shown, unless the answer said that it was not on so busy a machine.
      const shown = behind === null ? await read() : await eventually(read).until((found) => found === 200);
      expect([status, shown]).toEqual([201, 200]);
    }
    expect(await applies(projector)).toBe(true);
  });

  it('answer 503 with the role to what they leave to others, each service in its shape, and say their roles in their health', async () => {
    const [one, two, three] = [api, projector, behindScenes].map(({ url }) => httpClient(url)) as [HttpClient, HttpClient, HttpClient];
    const messaging = { 'x-api-key': SERVICE_TOKEN };
    expect(await refused(one, 'GET', '/audit/events')).toEqual([503, '1', 'history']);
    expect(await refused(one, 'GET', '/v1/projects', { ...messaging, 'logbook-as-of': '1' })).toEqual([503, '1', 'history']);
    expect(await refused(one, 'GET', '/ops/log')).toEqual([503, '1', 'history']);
    expect(await refused(one, 'POST', '/ops/signing-keys')).toEqual([503, '1', 'history']);
    expect(await refused(two, 'GET', '/console')).toEqual([503, '1', 'api']);
    expect(await refused(three, 'GET', '/v1/projects', messaging)).toEqual([503, '1', 'api']);
    const bearer = { authorization: `Bearer ${SYSTEM_ADMIN}` };
    expect(await refused(three, 'GET', '/accounting-system/projects', bearer)).toEqual([503, '1', 'api']);
    expect(await refused(three, 'GET', '/api/v2/weights', { 'x-api-key': KEY })).toEqual([503, '1', 'api']);
    const elsewhere = [
      await one.get('/audit/events', { headers: ops }),
      await one.get('/v1/projects', { headers: { ...messaging, 'logbook-as-of': '1' } }),
      await three.get('/accounting-system/projects', { headers: bearer }),
    ];
    expect(elsewhere.map(({ headers }) => headers.get('logbook-elsewhere'))).toEqual(['history', 'history', 'api']);
    expect((await three.get('/audit/events', { headers: ops })).status).toBe(200);
    await eventually(() => three.get('/v1/projects', { headers: { ...ops, 'logbook-as-of': '1' } })).until(({ status }) => status === 200);
    const roles = await Promise.all([one, two, three].map(async (node) => ((await node.get('/health')).json as { roles: unknown }).roles));
    expect(roles).toEqual([['api'], ['projector'], ['push', 'history']]);
    expect((await two.get('/metrics')).status).toBe(200);
  });

  it('take what an operator asks for at every node, and have the projector do it', async () => {
    for (const [{ url }, kind, href] of [
      [api, 'rebuild', '/ops/rebuilds'],
      [behindScenes, 'verify', '/ops/verifications'],
      [projector, 'rebuild', '/ops/rebuilds'],
    ] as const) {
      const client = httpClient(url);
      const { status, json } = await client.call('POST', `/ops/projections/status.dated-records/${kind}`, { headers: ops });
      const { id } = json as { id: string };
      expect([url, status, json]).toEqual([url, 202, { id, href: `${href}/${id}` }]);
      const done = await eventually(() => client.get(`${href}/${id}`, { headers: ops })).until(
        ({ json: job }) => (job as { state: string }).state === 'done',
      );
      expect(done.json).toMatchObject({ projection: 'status.dated-records', failure: null });
      expect((await client.call('POST', '/ops/projections/status.dated-records/resume', { headers: ops })).status).toBe(409);
    }
  });

  it('are judged as one installation by the doctor, whichever of them it asks, and by that of a machine beside them', async () => {
    for (const node of [api, projector, behindScenes]) {
      const doctor = () => runLogbook(['doctor'], { ...deployment.environment, LOGBOOK_URL: node.url, LOGBOOK_OPS_KEY: OPERATOR });
      const { code, stdout } = await eventually(doctor).until(({ code: found }) => found === 0);
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('WRONG')]);
      expect(stdout).toMatch(/^nodes +ok/m);
    }
    const { code, stdout } = await runLogbook(['doctor'], { ...(await oneMoreNode(deployment)), LOGBOOK_ROLES: 'api' });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('WRONG')]);
  });

  it('go on with the next projector when one stops in order, whatever is written meanwhile', async () => {
    const next = await start('projector');
    await untilReady(httpClient(next.url));
    const before = await write();
    let isStopped = false;
    const stopping = projector.stop().then(() => {
      isStopped = true;
    });
    const writes = [before];
    do writes.push(await write());
    while (!isStopped || !(await applies(next)));
    await stopping;
    // That none of them was answered as behind is in seated.int-spec.ts: here it would depend on how busy the machine is.
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([201]));
    for (const { read } of writes) await eventually(read).until((found) => found === 200);
    projector = next;
  });

  it('go on with the next projector when one does not answer any more, and once it does it finds that it has lost everything', async () => {
    const next = await start('projector');
    await untilReady(httpClient(next.url));
    process.kill(projector.pid, 'SIGSTOP');
    const { status, read } = await write();
    expect(status).toBe(201);
    await eventually(read).until((found) => found === 200);
    await eventually(() => applies(next)).until((isNext) => isNext === true);
    process.kill(projector.pid, 'SIGCONT');
    await eventually((await write()).read).until((found) => found === 200);
    await projector.stop();
    projector = next;
  });

  it('take writes and show what is there while no node is a projector, and go on with the next one', async () => {
    const before = await write();
    await eventually(before.read).until((found) => found === 200);
    await projector.kill();
    const { status, behind, read } = await write();
    expect([status, behind, await before.read()]).toEqual([201, 'behind', 200]);
    projector = await start('projector');
    await eventually(read).until((found) => found === 200);
    expect(await applies(projector)).toBe(true);
  });

  it('show on a node whose history begins later what there was before it', async () => {
    const messaging = { 'x-api-key': SERVICE_TOKEN };
    const path = '/v1/projects/remembered';
    const client = httpClient(api.url);
    const positions: string[] = [];
    for (const [method, description] of [
      ['POST', 'first'],
      ['PUT', 'second'],
      ['PUT', 'third'],
    ] as const) {
      const { status, headers } = await client.call(method, path, { headers: messaging, body: { description } });
      expect(status).toBe(200);
      positions.push(headers.get('logbook-position') ?? '');
    }
    positions.push((await client.delete(path, { headers: messaging })).headers.get('logbook-position') ?? '');
    const node = await start('history');
    const then = (url: string, position: string) => httpClient(url).get(path, { headers: { ...messaging, 'logbook-as-of': position } });
    const shown: unknown[] = [];
    for (const position of positions) {
      const answers = [];
      for (const { url } of [behindScenes, node])
        answers.push(await eventually(() => then(url, position)).until(({ status }) => status !== 503));
      const [known, later] = answers;
      expect([later?.status, later?.text]).toEqual([known?.status, known?.text]);
      shown.push(later?.status === 200 ? (later.json as { description: string }).description : later?.status);
    }
    expect(shown).toEqual(['first', 'second', 'third', 404]);
    expect((await then(node.url, '1')).status).toBe(404);
    await node.stop();
  });

  it('do not start with a role that there is not', async () => {
    const wrong = 'api,projektor';
    const known = expect.stringContaining('api, projector, push, history');
    const configured = await runLogbook(['serve'], { ...deployment.environment, LOGBOOK_ROLES: wrong });
    expect([configured.code, configured.stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(JSON.parse(configured.stderr)).toMatchObject({ variable: 'LOGBOOK_ROLES', message: known });
    const called = await runLogbook(['serve', '--roles', wrong], deployment.environment);
    expect([called.code, called.stderr]).toEqual([2, known]);
  });
});
