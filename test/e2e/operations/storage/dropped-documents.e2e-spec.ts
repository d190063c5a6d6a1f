import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'redis';
import { accepted } from '#test/support/accepted.js';
import { type Deployment, distributed, OPERATOR, oneMoreNode, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

describe('documents that Redis has dropped, or somebody has deleted', () => {
  let deployment: Deployment;
  let nodes: readonly LogbookProcess[] = [];
  let client: HttpClient;
  let redis: ReturnType<typeof createClient>;
  beforeAll(async () => {
    deployment = await distributed();
    const start = async (roles: string) => startLogbook({ ...(await oneMoreNode(deployment)), LOGBOOK_ROLES: roles });
    nodes = await Promise.all(['api', 'projector,push,history'].map(start));
    for (const { url } of nodes) await untilReady(httpClient(url));
    client = httpClient(nodes[0]?.url ?? '');
    redis = createClient({ url: deployment.environment.REDIS_URL ?? '' });
    await redis.connect();
  });
  afterAll(async () => {
    redis?.destroy();
    await Promise.all(nodes.map((node) => node.stop()));
    await deployment?.dispose();
  });

  const ops = { 'x-api-key': OPERATOR };
  const keysOf = (projection: string, kind: string): Promise<string[]> =>
    redis.keys(`${deployment.environment.LOGBOOK_REDIS_PREFIX}:{${projection}}:*:${kind}:*`);
  const verified = async (projection: string): Promise<Readonly<Record<string, unknown>>> => {
    const href = await accepted(() => client.call('POST', `/ops/projections/${projection}/verify`, { headers: ops }));
    const done = await eventually(() => client.get(href, { headers: ops })).until(
      (answer) => (answer.json as { state: string }).state === 'done',
    );
    return done.json as Readonly<Record<string, unknown>>;
  };

  it('are never said to be absent, and are built again from the log although nothing is written', async () => {
    const service = { 'x-api-key': SERVICE_TOKEN };
    await client.call('POST', '/v1/projects/kept', { headers: service, body: { description: 'a project' } });
    await client.call('PUT', '/v1/projects/kept/topics/news', { headers: service });
    const topic = () => client.get('/v1/projects/kept/topics/news', { headers: service });
    expect((await topic()).status).toBe(200);
    for (const kinds of [['documents'], ['documents', 'index']]) {
      await redis.del((await Promise.all(kinds.map((kind) => keysOf('messaging.resources', kind)))).flat());
      const seen = new Set<number>();
      await eventually(topic).until(({ status }) => {
        seen.add(status);
        return status === 200;
      });
      expect([kinds, [...seen].sort()]).toEqual([kinds, [200, 503]]);
    }
    const lines = nodes.flatMap((node) => node.lines).filter((line) => line.includes('documents of the read model are gone'));
    expect(lines.some((line) => line.includes('messaging.resources'))).toBe(true);
    expect(await verified('messaging.resources')).toMatchObject({ equal: true });
  });

  it('are found by a verification, which goes on and says which, and are then built again', async () => {
    const headers = { authorization: `Bearer ${SYSTEM_ADMIN}` };
    const body = { unit_type: 'joules', description: 'energy' };
    expect((await client.call('POST', '/accounting-system/unit-types', { headers, body })).status).toBe(201);
    const [documents = ''] = (await keysOf('accounting.definitions', 'documents')).filter((key) => key.includes('unit'));
    const [field = ''] = await redis.hKeys(documents);
    await redis.hDel(documents, field);
    expect(await verified('accounting.definitions')).toMatchObject({ equal: false, differences: [{ kind: 'missing' }] });
    const rebuilt = () => client.get('/ops/rebuilds', { headers: ops });
    await eventually(rebuilt).until(({ json }) =>
      (json as { items: { projection: string; state: string }[] }).items.some(
        ({ projection, state }) => projection === 'accounting.definitions' && state === 'done',
      ),
    );
    expect(await verified('accounting.definitions')).toMatchObject({ equal: true });
  });

  it('are a danger that is seen when a policy allows it at run time', async () => {
    const policy = async () =>
      ((await client.get('/health')).json as { findings: { kind: string; text: string }[] }).findings.filter(
        ({ kind }) => kind === 'read-store-drops',
      );
    expect(await policy()).toEqual([]);
    await redis.configSet('maxmemory-policy', 'allkeys-lru');
    try {
      const [found] = await eventually(policy).until(({ length }) => length > 0);
      expect(found?.text).toBe('Redis may drop documents: maxmemory-policy of Redis is allkeys-lru.');
    } finally {
      await redis.configSet('maxmemory-policy', 'noeviction');
    }
  });
});
