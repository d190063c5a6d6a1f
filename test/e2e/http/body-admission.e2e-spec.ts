import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inProject } from '#test/e2e/messaging/calls.js';
import { type Serving, serving } from '#test/e2e/serving.js';
import { malformed, pretty } from '#test/e2e/status/contract.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { answerIn, type RawConnection, rawConnection, requestHead } from '#test/support/raw-connection.js';
import { registerTenant } from '#test/support/status-client.js';

const MIB = 1024 * 1024;
const key = 'admission-admin';
const LISTENER = { authorization: 'listener-secret', 'content-type': 'application/json' };

/** A call that takes a body, in each service, with the credential that lets it in. */
const CALLS: readonly (readonly [service: string, method: string, path: string, credential: Readonly<Record<string, string>>])[] = [
  ['status', 'POST', '/api/v2/weights', { 'x-api-key': key }],
  ['status (administrators)', 'POST', '/api/v2/admin/tenants', { 'x-api-key': ADMIN }],
  ['messaging', 'POST', '/v1/projects/p/topics/t:publish', { 'x-api-key': SERVICE_TOKEN }],
  ['accounting', 'POST', '/accounting-system/projects/search', { authorization: `Bearer ${SYSTEM_ADMIN}` }],
  ['accounting (listener)', 'POST', '/accounting-system/ams-listener', LISTENER],
  ['operations', 'POST', '/ops/keys', { 'x-api-key': OPERATOR }],
];

/** Sends the start of a request. */
const start = async (url: string, head: string, body = ''): Promise<RawConnection> => {
  const connection = await rawConnection(url);
  await connection.send(head + body);
  return connection;
};

/** The answer, once the server has closed the connection. */
const answerTo = async (url: string, head: string, body = '') => answerIn(await (await start(url, head, body)).ended);

/** A tenant with a key, and a project with a topic. */
const prepare = async (scene: Serving): Promise<void> => {
  await registerTenant(scene.status, ADMIN, 'admission', ['admin']);
  const admin = inProject(scene, 'p');
  await admin.call('POST', '', {});
  await admin.topic('t');
};

describe('bodies before their calls are admitted', () => {
  const scene = serving(embedded, {
    LOGBOOK_ROLES: 'api,projector',
    LOGBOOK_AMS_LISTENER_SECRETS: 'listener-secret',
  });
  beforeAll(() => prepare(scene));

  it.each(CALLS)('are not waited for without a credential: %s', async (_service, method, path) => {
    const status = path.endsWith('ams-listener') ? 403 : 401;
    const length = { 'content-length': String(60 * MIB) };
    for (const framing of [length, { 'transfer-encoding': 'chunked' }] as const) {
      const { status: answered, head } = await answerTo(scene.server.url, requestHead(method, path, framing));
      expect([answered, /connection: close/.test(head)]).toEqual([status, true]);
    }
  });

  it('are discarded, and a client that sends all of one sees the answer', async () => {
    const body = Buffer.alloc(20 * MIB, '['); // more than the buffers of a connection hold
    for (const connection of ['close', 'keep-alive']) {
      const answers = [
        await scene.status.post('/weights', { body, headers: { connection } }),
        await scene.root.post('/v1/projects/p/topics/t:publish', { body, headers: { connection, 'transfer-encoding': 'chunked' } }),
        await scene.root.post('/accounting-system/projects/search', { body, headers: { connection } }),
        await scene.status.call('OPTIONS', '/weights', { body, headers: { connection } }),
        await scene.root.post('/nowhere', { body, headers: { connection } }),
        await scene.root.put('/v1/%zz', { body, headers: { connection } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 400, 404, 400]);
    }
  });

  it('leave the connection to the next request when they are small', async () => {
    const connection = await rawConnection(scene.server.url);
    const head = (method: string, path: string) => requestHead(method, path, { 'content-length': '5' });
    await connection.send(
      `${head('POST', '/api/v2/weights')}{"a":${head('GET', '/health/live')}12345${requestHead('GET', '/health/ready', {})}`,
    );
    const text = await connection.until('"up"}HTTP');
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(connection.isOpen).toBe(true);
    connection.close();
  });

  it('are not sent at all by clients that ask first', async () => {
    const expects = { expect: '100-continue', 'content-length': '17' };
    const refused = await answerTo(scene.server.url, requestHead('POST', '/api/v2/weights', expects));
    expect(refused.status).toBe(401);
    const large = { ...expects, 'x-api-key': key, 'content-length': String(9 * MIB) };
    expect((await answerTo(scene.server.url, requestHead('POST', '/api/v2/weights', large))).status).toBe(400);

    const admitted = await start(scene.server.url, requestHead('POST', '/api/v2/weights', { ...expects, 'x-api-key': key }));
    expect(await admitted.until('100 Continue')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await admitted.send('{"name":"asked!"}');
    expect(await admitted.until('201 Created')).toContain('HTTP/1.1 201');
    admitted.close();
  });

  it('are refused by calls that have no use for them', async () => {
    const chunks = `4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(20);
    for (const [method, path, headers, status] of [
      ['OPTIONS', '/api/v2/weights', {}, 400],
      ['DELETE', '/api/v2/weights/unknown', { 'x-api-key': key }, 400],
      ['POST', '/v1/projects/p/topics/t:detachSchema', { 'x-api-key': SERVICE_TOKEN }, 400],
      ['POST', '/accounting-system/clients', { authorization: `Bearer ${SYSTEM_ADMIN}` }, 413],
    ] as const) {
      const head = requestHead(method, path, { ...headers, 'transfer-encoding': 'chunked' });
      expect([path, (await answerTo(scene.server.url, head, chunks)).status]).toEqual([path, status]);
      const announced = requestHead(method, path, { ...headers, 'content-length': String(17 * 1024) });
      expect([path, (await answerIn(await (await start(scene.server.url, announced)).until('}'))).status]).toEqual([path, status]);
    }
  });

  it('are ignored by such calls up to some KiB', async () => {
    const body = 'x'.repeat(16 * 1024);
    expect((await scene.status.call('OPTIONS', '/weights', { body })).status).toBe(200);
    expect((await scene.status.call('GET', '/weights', { key, body })).status).toBe(200);
    expect((await scene.status.call('DELETE', '/weights/unknown', { key, body })).status).toBe(404);
  });

  it('are not unpacked', async () => {
    const body = gzipSync(Buffer.alloc(70 * MIB, ' '));
    const answer = await scene.status.post('/weights', { key, body, headers: { 'content-encoding': 'gzip' } });
    expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
  });

  it('are dropped when the client goes, and nothing comes of them', async () => {
    const connections = await Promise.all(
      Array.from({ length: 20 }, () =>
        start(scene.server.url, requestHead('POST', '/api/v2/weights', { 'x-api-key': key, 'content-length': '17' }), '{"name":"cut off'),
      ),
    );
    for (const connection of connections) connection.close();
    expect((await scene.status.post('/weights', { key, body: { name: 'cut off' } })).status).toBe(201);
    expect(((await scene.status.get('/weights?name=cut%20off', { key })).json as { data: readonly unknown[] }).data).toHaveLength(1);
  });
});

describe('bodies that may take a second', () => {
  const scene = serving(embedded, {
    LOGBOOK_ROLES: 'api,projector',
    LOGBOOK_BODY_TIMEOUT: '1s',
    LOGBOOK_AMS_LISTENER_SECRETS: 'listener-secret',
  });
  beforeAll(() => prepare(scene));

  it('time out when they stop, with an answer in the shape of the service', async () => {
    const unfinished = CALLS.map(([, method, path, credential]) =>
      answerTo(scene.server.url, requestHead(method, path, { ...credential, 'content-length': '1000' }), '{"name":'),
    );
    const answers = await Promise.all(unfinished);
    expect(answers.map(({ status }) => status)).toEqual(CALLS.map(() => 408));
    const [status, , messaging, accounting, , operations] = answers.map(({ body }) => JSON.parse(body));
    expect(status.status).toEqual({ message: 'Request Timeout', code: '408' });
    expect(messaging).toEqual({ error: { code: 408, message: 'The request body took too long to arrive', status: 'TIMEOUT' } });
    expect(accounting).toEqual({ code: 408, message: 'The request body took too long to arrive.' });
    expect(operations).toMatchObject({ title: 'Request Timeout', status: 408, detail: 'the body took too long to arrive' });
  });

  it('time out when they trickle in', async () => {
    const head = requestHead('POST', '/api/v2/weights', { 'x-api-key': key, 'transfer-encoding': 'chunked' });
    const connection = await start(scene.server.url, head);
    const trickle = setInterval(() => void connection.send('1\r\n \r\n'), 100);
    expect(answerIn(await connection.ended).status).toBe(408);
    clearInterval(trickle);
  });

  it('are not waited for behind an answer, nor are headers', async () => {
    const endings = [
      start(scene.server.url, 'POST /api/v2/weights HTT'),
      start(scene.server.url, 'POST /api/v2/weights HTTP/1.1\r\nhost: x\r\nx-more: '),
      start(scene.server.url, ''),
      start(scene.server.url, requestHead('GET', '/health/live', { 'content-length': '5' })),
      start(scene.server.url, requestHead('POST', '/api/v2/weights', { 'content-length': '5' })),
    ].map(async (connection) => answerIn(await (await connection).ended).status);
    expect(await Promise.all(endings)).toEqual([408, 408, 408, 200, 401]);
  });

  it('do not bound the time of calls that wait for something else', async () => {
    const admin = inProject(scene, 'p');
    await admin.subscription('patient', 't');
    const pulled = admin.post('/subscriptions/patient:pull', { maxMessages: '1', returnImmediately: 'false' });
    // Longer than any body may take.
    const head = requestHead('POST', '/api/v2/weights', { 'x-api-key': key, 'content-length': '1000' });
    expect((await answerTo(scene.server.url, head, '{')).status).toBe(408);
    await admin.post('/topics/t:publish', { messages: [{ data: 'YQ==' }] });
    const { status, json } = await pulled;
    expect([status, (json as { receivedMessages: readonly unknown[] }).receivedMessages.length]).toEqual([200, 1]);
  });
});
