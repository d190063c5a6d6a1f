import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { pretty, UUID, weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, embedded, OPERATOR } from '#test/support/deployments.js';
import { type LogServer, startLogServer } from '#test/support/eventstoredb/log-server.js';
import { realServerCommand } from '#test/support/eventstoredb/real-server.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { openRedisLink, type RedisLink, startRedis } from '#test/support/redis/redis.js';
import { type Answer, idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

const key = 'watched-admin';

/** Series of Prometheus text: value by name with labels. Fails on a line that is neither a series nor a comment. */
const seriesOf = (text: string): Map<string, number> => {
  const series = new Map<string, number>();
  for (const line of text.split('\n').filter((line) => line && !line.startsWith('#'))) {
    const [, name = '', value] = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    expect([line, name]).not.toEqual([line, '']);
    series.set(name, Number(value));
  }
  return series;
};

const expectUnavailable = ({ status, text, json }: Answer): void => {
  expect(status).toBe(503);
  expect(json).toMatchObject({ status: { message: expect.any(String), code: '503' } });
  expect(text).toBe(pretty(json));
};

describe('a running server', () => {
  const scene = serving(embedded, { LOGBOOK_ACCESS_LOG: 'true' });
  beforeAll(() => registerTenant(scene.status, ADMIN, 'watched', ['admin']));

  it('shows a new access key once, as it is described: a repeated call answers without it', async () => {
    const call = { key: OPERATOR, body: { service: 'ops', role: 'auditor', name: 'once' }, headers: { 'idempotency-key': 'once' } };
    const first = await scene.root.post('/ops/keys', call);
    const again = await scene.root.post('/ops/keys', call);
    expect([first.status, again.status, first.json]).toEqual([201, 201, { ...(again.json as object), key: expect.any(String) }]);
    expect((await scene.root.get('/openapi.json')).json).toMatchObject({
      components: { schemas: { NewKey: { required: Object.keys(again.json as object) } } },
    });
  });

  it('shows its health without a key', async () => {
    const live = await scene.root.get('/health/live', { accept: null });
    expect(live.status).toBe(200);
    expect((await untilReady(scene.root)).json).toMatchObject({ status: 'up' });
    const summary = await scene.root.get('/health');
    const named = {
      status: 'up',
      chain: { status: expect.any(String) },
      history: { status: expect.any(String) },
    };
    expect([summary.status, summary.json]).toMatchObject([200, named]);
    for (const secret of [scene.deployment.dataDirectory, ADMIN]) expect(summary.text).not.toContain(secret);
  });

  it('shows its health to probes of the accounting service as Quarkus does', async () => {
    await untilReady(scene.root);
    const ask = async (path: string) => {
      const { status, text } = await scene.root.get(path, { accept: null });
      return [status, text];
    };
    const up = '{"status":"UP","checks":[{"name":"readiness","status":"UP"}]}';
    expect([await ask('/q/health/live'), await ask('/q/health/ready'), await ask('/q/health')]).toEqual([
      [200, '{"status":"UP","checks":[]}'],
      [200, up],
      [200, up],
    ]);
  });

  it('counts requests by the pattern of their route, and shows position, lag and batch time of every projection', async () => {
    const ids = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => idOf(await scene.status.post('/weights', { key, body: weights(name) }))),
    );
    for (const id of ids) await scene.status.get(`/weights/${id}?name=a`, { key });
    const answer = await scene.root.get('/metrics', { accept: null });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
    const series = seriesOf(answer.text);
    const named = (pattern: RegExp) => [...series].filter(([name]) => pattern.test(name));
    const [reads, ...others] = named(/^logbook_http_request_duration_seconds_count\{.*GET.*\/weights\/:/);
    expect([reads?.[1], others]).toEqual([3, []]);
    expect(answer.text).toContain('# TYPE logbook_http_request_duration_seconds histogram');
    for (const id of ids) expect(answer.text).not.toContain(id);
    for (const name of ['status.tenants', 'ops.keys']) {
      for (const gauge of ['position', 'batch_seconds'])
        expect(named(new RegExp(`^logbook_projection_${gauge}.*"${name}"`))[0]?.[1]).toBeGreaterThan(0);
      for (const gauge of ['lag_events', 'lag_seconds'])
        expect(named(new RegExp(`^logbook_projection_${gauge}.*"${name}"`))[0]?.[1]).toBe(0);
    }
    expect(named(/^process_cpu/).length).toBeGreaterThan(0);
  });

  it('describes its routes, for machines and people', async () => {
    const { status, json } = await scene.root.get('/openapi.json', { accept: null });
    expect(status).toBe(200);
    const { openapi, paths } = json as { openapi: string; paths: Record<string, object> };
    expect(openapi).toMatch(/^3\./);
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace(/\{.*?\}/g, '{}')}`),
    );
    const dated = ['operations_profiles', 'weights'].flatMap((name) => [
      ...['get', 'post'].map((method) => `${method} /api/v2/${name}`),
      ...['get', 'put', 'delete'].map((method) => `${method} /api/v2/${name}/{}`),
    ]);
    const expected = [
      ...dated,
      'get /api/v2/admin/tenants',
      'post /api/v2/admin/tenants',
      'get /api/v2/admin/tenants/{}',
      'get /ops/keys',
      'post /ops/keys',
      'delete /ops/keys/{}',
      'get /health',
      'get /health/live',
      'get /health/ready',
      ...['get /q/health', 'get /q/health/live', 'get /q/health/ready'],
    ];
    expect(routes).toEqual(expect.arrayContaining(expected));
    const page = await scene.root.get('/docs', { accept: 'text/html' });
    expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
      200,
      expect.stringContaining('text/html'),
      expect.stringContaining('swagger'),
    ]);
  });

  it('writes one JSON object a line, with the id of the request', async () => {
    const given = { 'x-request-id': 'from-the-caller' };
    await scene.status.get('/weights?date=bad', { key, headers: given });
    await scene.status.get('/nothing', { headers: given });
    const generated = (await scene.status.get('/weights', { key })).headers.get('x-request-id');
    const entries = () => scene.server.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const written = await eventually(async () => entries()).until((all) => all.some(({ requestId }) => requestId === generated));
    for (const entry of written)
      expect(entry).toMatchObject({
        level: expect.stringMatching(/^(info|warn|error)$/),
        message: expect.any(String),
        time: expect.stringMatching(/Z$/),
      });
    expect(generated).toMatch(UUID);
    expect(written.filter(({ requestId }) => requestId === 'from-the-caller')).toMatchObject([
      { method: 'GET', status: 400 },
      { method: 'GET', status: 404 },
    ]);
  });

  it('answers unknown paths outside of the services with problem details', async () => {
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['POST', '/health', 405],
      ['GET', '/api/v6/weights', 404],
      ['GET', '/%zz', 400],
    ] as const) {
      const answer = await scene.root.call(method, path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        status,
        expect.stringContaining('application/problem+json'),
      ]);
      expect(answer.json).toMatchObject({ status, instance: answer.headers.get('x-request-id') });
    }
  });

  it('ends the connection of a request that it cannot read, and says so', async () => {
    const answer = await scene.root.get(`/${'x'.repeat(20_000)}`);
    expect([answer.status, answer.headers.get('connection'), answer.json]).toEqual([
      431,
      'close',
      { type: 'about:blank', title: 'Request Header Fields Too Large', status: 431 },
    ]);
    expect((await scene.root.get('/nothing')).status).toBe(404);
  });
});

describe('an outage of Redis, with the embedded log', () => {
  let link: RedisLink;
  const scene = serving(async (): Promise<Deployment> => {
    const redis = await startRedis();
    const local = await embedded();
    link = await openRedisLink(redis.url);
    const dispose = async () => {
      await link.close();
      await Promise.all([redis.stop(), local.dispose()]);
    };
    return { ...local, environment: { ...local.environment, REDIS_URL: link.url, LOGBOOK_REDIS_PREFIX: redis.keyPrefix }, dispose };
  });

  it('makes the server unready and loses no write; all is well by itself when Redis is back', async () => {
    await registerTenant(scene.status, ADMIN, 'watched', ['admin']);
    await untilReady(scene.root);
    expect((await scene.status.post('/weights', { key, body: weights('before') })).status).toBe(201);
    const lags = async () => {
      const { status, text } = await scene.root.get('/metrics', { accept: null });
      return [status, [...seriesOf(text).keys()].some((name) => name.startsWith('logbook_projection_lag_seconds'))];
    };
    expect(await lags()).toEqual([200, true]);

    link.refuse(true);
    link.reset();
    const down = await eventually(() => scene.root.get('/health/ready')).until(({ status }) => status === 503);
    expect(down.json).toMatchObject({ status: 'down' });
    expect((await scene.root.get('/health/live')).status).toBe(200);
    expect(await lags()).toEqual([200, false]); // unknown, and not as they were
    expectUnavailable(await scene.status.get('/weights', { key }));

    const answers: [string, Answer][] = [];
    for (const name of ['during 1', 'during 2', 'during 3'])
      answers.push([name, await scene.status.post('/weights', { key, body: weights(name), mayBeBehind: true })]);
    for (const [, answer] of answers) {
      if (answer.status === 201) expect(answer.headers.get('logbook-read-model')).toBe('behind');
      else expectUnavailable(answer);
    }

    link.refuse(false);
    await untilReady(scene.root);
    const names = recordsOf(await eventually(() => scene.status.get('/weights', { key })).until(({ status }) => status === 200)).map(
      ({ name }) => name,
    );
    const promised = answers.filter(([, { status }]) => status === 201).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['before', ...promised]));
    const after = await scene.status.post('/weights', { key, body: weights('after') });
    expect(after.status).toBe(201);
  });

  it('makes no write wait for ever when Redis takes requests and answers none', async () => {
    link.hold('back');
    const write = scene.status.post('/weights', { key, body: weights('unheard'), mayBeBehind: true });
    const down = await eventually(() => scene.root.get('/health/ready')).until(({ status }) => status === 503);
    expect(down.status).toBe(503);
    const answer = await write;
    if (answer.status === 201) expect(answer.headers.get('logbook-read-model')).toBe('behind');
    else expectUnavailable(answer);
    link.hold('none');
    await untilReady(scene.root);
    const names = recordsOf(await scene.status.get('/weights', { key })).map(({ name }) => name);
    expect(names).toContain('before');
    if (answer.status === 201) expect(names).toContain('unheard');
  });
});

describe('an outage of EventStoreDB', () => {
  let events: LogServer;
  const scene = serving(async (): Promise<Deployment> => {
    const local = await embedded();
    events = await startLogServer();
    const dispose = async () => {
      await events.stop();
      await local.dispose();
    };
    return { ...local, environment: { ...local.environment, EVENTSTORE_URL: events.connectionString }, dispose };
  });

  it('fails writes with 503 in the shape of the service, leaves reads as they are, and ends without a restart', async () => {
    await registerTenant(scene.status, ADMIN, 'watched', ['admin']);
    const id = idOf(await scene.status.post('/weights?date=2020-01-01', { key, body: weights('before') }));
    await events.goDown();
    const [creation, revision, asXml] = await Promise.all([
      scene.status.post('/weights', { key, body: weights('during') }),
      scene.status.put(`/weights/${id}`, { key, body: weights('during') }),
      scene.status.post('/weights', { key, body: weights('during'), accept: 'application/xml' }),
    ]);
    for (const answer of [creation, revision]) expectUnavailable(answer);
    expect([asXml.status, asXml.text]).toEqual([503, expect.stringMatching(/^<root>\n <status>/)]);
    expect((await scene.status.get(`/weights/${id}`, { key })).status).toBe(200);
    await eventually(() => scene.root.get('/health/ready')).until(({ status }) => status === 503);
    expect((await scene.root.get('/health/live')).status).toBe(200);

    await events.comeUp();
    await untilReady(scene.root);
    expect((await scene.status.post('/weights', { key, body: weights('during') })).status).toBe(201);
    expect(
      recordsOf(await scene.status.get('/weights', { key }))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['before', 'during']);
  });

  const itWhereSimulated = realServerCommand() === undefined ? it : it.skip;
  itWhereSimulated('that loses answers makes no write a success that is not in the log', async () => {
    events.simulated?.loseAnswers(2, 'cut');
    const answers = await Promise.all(
      ['lost 1', 'lost 2', 'lost 3'].map((name) => scene.status.post('/weights', { key, body: weights(name) })),
    );
    await untilReady(scene.root);
    const names = recordsOf(await scene.status.get('/weights', { key })).map(({ name }) => name);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(names).toEqual(expect.arrayContaining(['lost 1', 'lost 2', 'lost 3']));
  });
});
