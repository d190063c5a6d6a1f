import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, servingAlone } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, distributed, OPERATOR, oneMoreNode, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';

describe('two servers on the same stores', () => {
  const scene = servingAlone(distributed);
  let second: LogbookProcess;
  const key = 'shared-admin';
  beforeAll(async () => {
    second = await startLogbook(await oneMoreNode(scene.deployment));
    await registerTenant(scene.status, ADMIN, 'shared', ['admin']);
  });
  afterAll(() => second?.stop());

  it('create a name once between them, and each shows its own writes and those of the other', async () => {
    const other = statusClient(second.url);
    await eventually(() => other.get('/weights', { key })).until(({ status }) => status === 200);
    for (const round of [1, 2, 3]) {
      const body = weights(`wanted ${round}`);
      const clients = Array.from({ length: 20 }, (_, index) => (index % 2 ? other : scene.status));
      const answers = await Promise.all(clients.map((client) => client.post('/weights', { key, body })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
      const created = answers.findIndex(({ status }) => status === 201);
      const path = `/weights/${idOf(answers[created] as Answer)}`;
      expect((await clients[created]?.get(path, { key }))?.status).toBe(200);
      for (const client of [scene.status, other]) await eventually(() => client.get(path, { key })).until(({ status }) => status === 200);
    }
    for (const client of [scene.status, other]) {
      const id = idOf(await client.post('/weights', { key, body: weights(`own write ${client === other}`) }));
      expect((await client.get(`/weights/${id}`, { key })).status).toBe(200);
      const neighbour = client === other ? scene.status : other;
      await eventually(() => neighbour.get(`/weights/${id}`, { key })).until(({ status }) => status === 200);
    }
  });

  it('answer as of the past, as their roles say', async () => {
    const headers = { 'x-api-key': SERVICE_TOKEN };
    for (const [index, client] of [scene.root, httpClient(second.url)].entries()) {
      const name = `past-${index}`;
      const { headers: written } = await client.post(`/v1/projects/${name}`, { headers, body: { description: 'then' } });
      const past = () =>
        client.get(`/v1/projects/${name}`, { headers: { ...headers, 'logbook-as-of': written.get('logbook-position') ?? '' } });
      const { json } = await eventually(past).until(({ status }) => status !== 503);
      expect(json).toMatchObject({ description: 'then' });
      expect((await client.get('/health')).json).toMatchObject({ roles: expect.arrayContaining(['history']) });
    }
  });

  it('erase a user once between them, while it is written to: both refuse its token from then on, and show nothing of it', async () => {
    const nodes = [scene.root, httpClient(second.url)] as const;
    const [service, ops] = [{ 'x-api-key': SERVICE_TOKEN }, { 'x-api-key': OPERATOR }];
    const person = { first_name: 'Ada', last_name: 'Lovelace', organization: 'Society', email: 'ada@example.org' };
    const user = (await nodes[0].post('/v1/users/erased', { headers: service, body: person })).json as { uuid: string; token: string };
    const tokens = [user.token];
    const profiles = () => Promise.all(nodes.flatMap((node) => tokens.map((token) => node.get(`/v1/users/profile?key=${token}`))));
    await eventually(profiles).until((answers) => answers.every(({ status }) => status === 200));

    const body = { service: 'messaging', kind: 'user', id: user.uuid, reason: 'asked for' };
    const write = async (node: (typeof nodes)[number], index: number): Promise<number> => {
      const revised = node.put('/v1/users/erased', { headers: service, body: { first_name: `Ada ${index}` } });
      const refreshed = await node.post('/v1/users/erased:refreshToken', { headers: service });
      if (refreshed.status === 200) tokens.push((refreshed.json as { token: string }).token);
      return Math.max((await revised).status, refreshed.status);
    };
    const [erasures, writes] = await Promise.all([
      Promise.all(nodes.flatMap((node) => [node, node]).map((node) => node.post('/ops/erasures', { headers: ops, body }))),
      Promise.all(Array.from({ length: 20 }, (_, index) => write(nodes[index % 2] ?? nodes[0], index))),
    ]);
    const hrefs = new Set(erasures.map(({ json }) => (json as { href: string }).href));
    expect([erasures.map(({ status }) => status), hrefs.size]).toEqual([[202, 202, 202, 202], 1]);
    expect(writes.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    const [href = ''] = hrefs;
    for (const node of nodes)
      await eventually(() => node.get(href, { headers: ops })).until(({ json }) => (json as { state: string }).state === 'done');
    expect(new Set((await profiles()).map(({ status }) => status))).toEqual(new Set([401]));
    for (const node of nodes) {
      const { status, text } = await node.get('/v1/users/erased', { headers: service });
      expect([status, text.includes(user.uuid), /Ada|Lovelace|Society|example\.org|token/.test(text)]).toEqual([200, true, false]);
      expect((await node.post('/v1/users/erased:refreshToken', { headers: service })).status).toBe(404);
    }
  });

  it('answer an intent once between them', async () => {
    const other = statusClient(second.url);
    const call = { key, body: weights('intended'), headers: { 'idempotency-key': 'between nodes' } };
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? other : scene.status).post('/weights', call)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(idOf)).size).toBe(1);
  });

  it('both refuse a key once it was revoked at one of them', async () => {
    const other = statusClient(second.url);
    const issued = await issueKey(scene.root, 'status', 'super_admin');
    const ask = () => other.get('/admin/tenants', { key: issued.key });
    await eventually(ask).until(({ status }) => status === 200);
    expect((await httpClient(second.url).delete(`/ops/keys/${issued.id}`, { key: OPERATOR })).status).toBe(204);
    expect((await ask()).status).toBe(401);
    await eventually(() => scene.status.get('/admin/tenants', { key: issued.key })).until(({ status }) => status === 401);
  });
});
