import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

const SERVICE = { 'x-api-key': SERVICE_TOKEN };

describe('logbook serve --as-of', () => {
  const scene = serving(embedded);
  let past: LogbookProcess | undefined;
  let http: HttpClient;
  let [first, second] = ['', ''];

  /** The position of what was written last, once the history shows it. */
  const written = async (method: string, description: string): Promise<string> => {
    await scene.root.call(method, '/v1/projects/shown', { headers: SERVICE, body: { description } });
    const asOf = { ...SERVICE, 'logbook-as-of': new Date().toISOString() };
    const answer = await eventually(() => scene.root.get('/v1/projects/shown', { headers: asOf })).until(({ status }) => status === 200);
    return answer.headers.get('logbook-as-of') ?? '';
  };
  const descriptionFrom = async (server: HttpClient, headers = {}) => {
    const { status, json } = await server.get('/v1/projects/shown', { headers: { ...SERVICE, ...headers } });
    return [status, (json as { description?: string }).description];
  };

  beforeAll(async () => {
    first = await written('POST', 'first');
    second = await written('PUT', 'second');
    past = await startLogbook(scene.deployment.environment, first);
    http = httpClient(past.url);
    await untilReady(http);
  });
  afterAll(async () => {
    await past?.stop();
  });

  it('shows its point in time beside the server that writes, and nothing that is later', async () => {
    expect(await descriptionFrom(http)).toEqual([200, 'first']);
    expect(await descriptionFrom(scene.root)).toEqual([200, 'second']);
    await scene.root.put('/v1/projects/shown', { headers: SERVICE, body: { description: 'third' } });
    const answer = await http.get('/v1/projects/shown', { headers: SERVICE });
    expect([answer.headers.get('logbook-as-of'), (answer.json as { description: string }).description]).toEqual([first, 'first']);
    expect(await descriptionFrom(http, { 'logbook-as-of': first })).toEqual([200, 'first']);
    expect((await http.get('/%761/projects/shown', { headers: SERVICE })).json).toMatchObject({ description: 'first' });
    expect((await http.get('/v1/projects', { headers: { ...SERVICE, 'logbook-as-of': '0' } })).status).toBe(200);
    for (const later of [second, new Date().toISOString()])
      expect((await http.get('/v1/projects/shown', { headers: { ...SERVICE, 'logbook-as-of': later } })).status).toBe(400);
  });

  it('shows auditors the changes up to its point, and refuses a header that lies later', async () => {
    const changes = async (server: HttpClient, headers = {}) => {
      const { status, json, headers: answered } = await server.get('/audit/changes?service=messaging', { key: OPERATOR, headers });
      return [status, (json as { items?: readonly { sentence: string }[] }).items?.length, answered.get('logbook-as-of')];
    };
    const then = [200, 1, first];
    expect(await changes(scene.root, { 'logbook-as-of': first })).toEqual(then);
    expect([await changes(http), await changes(http, { 'logbook-as-of': first })]).toEqual([then, then]);
    for (const later of [second, new Date().toISOString()]) expect((await changes(http, { 'logbook-as-of': later }))[0]).toBe(400);
  });

  it.each(['Trailer', 'TE', 'Keep-Alive'])('answers a request with the header %s, which belongs to its connection', async (name) => {
    const socket = connect(Number(new URL(past?.url ?? '').port), '127.0.0.1');
    socket.write(`GET /health/live HTTP/1.1\r\nHost: x\r\n${name}: x\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('takes no writes: 405 in the shape of the service', async () => {
    const accounting = { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' };
    for (const [method, path, headers] of [
      ['PUT', '/v1/projects/shown', SERVICE],
      ['POST', '/v1/projects/shown/topics/t:publish', SERVICE],
      ['POST', '/api/v2/admin/tenants', { 'x-api-key': ADMIN }],
      ['POST', '/accounting-system/providers', accounting],
      ['POST', '/ops/keys', { 'x-api-key': OPERATOR }],
      ['DELETE', '/ops/keys/search', { 'x-api-key': OPERATOR }],
    ] as const) {
      const { status, headers: answered } = await http.call(method, path, { headers, body: {} });
      expect([method, path, status, answered.get('allow')]).toEqual([method, path, 405, 'GET']);
    }
    const search = { type: 'query', field: 'name', values: 'x', operand: 'eq' };
    expect((await http.post('/accounting-system/providers/search', { headers: accounting, body: search })).status).toBe(200);
    for (const method of ['GET', 'HEAD']) expect((await http.call(method, '/ops/projections', { key: OPERATOR })).status).toBe(200);
    // What never goes unrecorded is recorded by the server that writes.
    for (const recorded of ['/ops/keys', '/audit/events?personal=true'])
      expect([recorded, (await http.get(recorded, { key: OPERATOR })).status]).toEqual([recorded, 200]);
    expect((await http.get('/console')).status).toBe(404);
    expect((await http.get('/health/live')).status).toBe(200);
    expect((await http.get('/health/ready')).status).toBe(200);
  });

  it('writes nothing to the log and the read models', async () => {
    const { dataDirectory } = scene.deployment;
    const bytesOf = async (): Promise<readonly Buffer[]> => {
      const documents = (await readdir(join(dataDirectory, 'documents'))).filter((name) => name.endsWith('.docs'));
      const files = [
        'log/data.mdb',
        'documents/builds',
        'documents/index/data.mdb',
        ...documents.sort().map((name) => `documents/${name}`),
      ];
      return Promise.all(files.map((name) => readFile(join(dataDirectory, name))));
    };
    await scene.server.stop();
    expect([(await http.get('/v1/projects/shown', { headers: SERVICE })).status, (await http.get('/health/ready')).status]).toEqual([
      503, 503,
    ]);
    expect(await past?.stop()).toBe(0);
    const before = await bytesOf();
    past = await startLogbook(scene.deployment.environment, second);
    await untilReady(httpClient(past.url));
    expect(await descriptionFrom(httpClient(past.url))).toEqual([200, 'second']);
    const keys = await httpClient(past.url).get('/ops/keys', { key: OPERATOR });
    expect([keys.status, keys.json]).toEqual([503, expect.objectContaining({ detail: expect.stringContaining('server that writes') })]);
    // The index may lack what the server recorded at its end: then that is the reason, and the client of the tests would wait for it.
    const personal = await fetch(`${past.url}/audit/events?personal=true`, { headers: { 'x-api-key': OPERATOR } });
    expect(personal.status).toBe(503);
    expect(await past.stop()).toBe(0);
    const after = await bytesOf();
    expect(after.map((bytes, index) => before[index]?.equals(bytes))).toEqual(before.map(() => true));
    expect(await readdir(scene.deployment.dataDirectory)).not.toContain('exports');
  });

  it('shows the versions of a record up to its point, and no later difference, without a server that writes', async () => {
    past = await startLogbook(scene.deployment.environment, second);
    const { get } = httpClient(past.url);
    await untilReady(httpClient(past.url));
    const { status, json } = await get('/audit/resources/messaging/project/shown', { key: OPERATOR });
    const { versions = [] } = json as { versions?: readonly { index: number; position: string }[] };
    expect([status, versions.length, versions.at(-1)?.position]).toEqual([200, 2, second]);
    const difference = async (later: number) =>
      (await get(`/audit/changes/${(versions.at(-1)?.index ?? 0) + later}/difference`, { key: OPERATOR })).status;
    expect([await difference(0), await difference(1)]).toEqual([200, 404]);
  });

  it('says what is wrong with the point in time', async () => {
    const { environment } = scene.deployment;
    expect((await runLogbook(['serve', '--as-of', 'yesterday'], environment)).code).toBe(2);
    const later = await runLogbook(['serve', '--as-of', '2999-01-01T00:00:00Z'], environment);
    expect([later.code, later.stderr.includes('--as-of is an instant in the future')]).toEqual([1, true]);
  });
});
