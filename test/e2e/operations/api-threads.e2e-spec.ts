import { describe, expect, it } from '@jest/globals';
import { createProject, inProject, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { deliveriesOf } from '#test/e2e/messaging/deliveries/deliveries.js';
import { texts } from '#test/e2e/messaging/traffic/traffic.js';
import { servingAlone } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { EventStreamReader } from '#test/support/messaging/event-stream.js';
import { rawConnection } from '#test/support/raw-connection.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

const THREADS = 2;
const KEY = 'threads-admin';

describe.each(deployments)('API threads on %s', (_stores, open) => {
  const scene = servingAlone(open, { LOGBOOK_API_THREADS: `${THREADS}`, LOGBOOK_ACCESS_LOG: 'true' });

  type Line = Readonly<{ message: string; thread?: number; process?: number; path?: string; ip?: string }>;
  const lines = (message: string): readonly Line[] =>
    scene.server.lines.filter((line) => line.includes(`"${message}"`)).map((line) => JSON.parse(line) as Line);
  /** Threads that have answered a request of this route; 1 is the main process. */
  const answering = (path: string): ReadonlySet<number> =>
    new Set(lines('request').flatMap((line) => (line.path === path ? [line.thread ?? 1] : [])));

  /** One answer over a connection of its own, so that any thread may be asked. */
  const ask = async (path: string, key = KEY, method = 'GET', body = ''): Promise<string> => {
    const connection = await rawConnection(scene.server.url);
    const pretended = 'logbook-thread-peer: 192.0.2.1'; // what a thread says of the client
    const head = [
      `${method} ${path} HTTP/1.1`,
      'host: here',
      `x-api-key: ${key}`,
      'accept: application/json',
      'connection: close',
      pretended,
    ];
    await connection.send(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    return connection.ended;
  };
  const statusOf = (answer: string): number => Number(answer.slice(9, 12));

  it('share the port: reads are answered by all of them, the rest by the main process', async () => {
    await registerTenant(scene.status, ADMIN, 'threads', ['admin']);
    const created = await scene.status.post('/weights', { key: KEY, body: weights('first') });
    expect(created.status).toBe(201);
    await eventually(
      async () => {
        expect(statusOf(await ask('/api/v2/weights'))).toBe(200);
        expect(statusOf(await ask('/api/v2/admin/tenants', ADMIN))).toBe(200);
        return answering('/api/v2/weights').size;
      },
      (threads) => threads === THREADS,
    );
    expect([...answering('/api/v2/admin/tenants')]).toEqual([1]);
    expect(new Set(lines('request').map(({ ip }) => ip))).toEqual(new Set(['127.0.0.1']));
  });

  it('show each write to whoever was told of it, whichever thread is asked, and never less than was shown', async () => {
    const { id } = ((await scene.status.post('/weights', { key: KEY, body: weights('0') })).json as { data: { id: string } }).data;
    let told = 0;
    for (let round = 1; round <= 150; round++) {
      const body = JSON.stringify(weights(`${round}`));
      const written = await ask(`/api/v2/weights/${id}`, KEY, 'PUT', body);
      expect(statusOf(written)).toBe(200);
      if (written.includes('logbook-read-model: behind')) continue; // it was not told so
      told += 1;
      const reads = await Promise.all(Array.from({ length: 4 }, () => ask(`/api/v2/weights/${id}`)));
      expect(reads.filter((text) => !text.includes(`"${round}"`))).toEqual([]);
    }
    expect(told).toBeGreaterThan(0);
    let shown = 0;
    const writing = (async () => {
      for (let round = 151; round <= 300; round++) await ask(`/api/v2/weights/${id}`, KEY, 'PUT', JSON.stringify(weights(`${round}`)));
    })();
    for (let isOver = false; !isOver; ) {
      const read = Number(/"name": "(\d+)"/.exec(await ask(`/api/v2/weights/${id}`))?.[1]);
      expect(read).toBeGreaterThanOrEqual(shown);
      shown = read;
      isOver = shown === 300;
    }
    await writing;
  });

  it('know at once who may call: keys that were made and revoked', async () => {
    const admin = inProject(scene, 'keys');
    expect((await admin.call('POST', '', {})).status).toBe(200);
    for (let round = 0; round < 20; round++) {
      const issued = (
        await scene.root.post('/ops/keys', { key: OPERATOR, body: { service: 'messaging', role: 'service_admin', name: `k${round}` } })
      ).json as Readonly<{ id: string; key: string }>;
      const path = '/v1/projects/keys/topics';
      expect((await Promise.all([1, 2, 3, 4].map(() => ask(path, issued.key)))).map(statusOf)).toEqual([200, 200, 200, 200]);
      expect(statusOf(await ask(`/ops/keys/${issued.id}`, OPERATOR, 'DELETE'))).toBeLessThan(300);
      expect((await Promise.all([1, 2, 3, 4].map(() => ask(path, issued.key)))).map(statusOf)).toEqual([401, 401, 401, 401]);
    }
  });

  it('share messages that are acknowledged one by one, by pulls and streams, whichever thread is asked', async () => {
    const calls = await createProject(scene, 'p');
    const { share, ack, extend, take } = deliveriesOf(() => calls);
    await share('s');
    const url = `${scene.server.url}/v1/projects/p/subscriptions/s:stream?maxOutstandingMessages=3`;
    const readers = await Promise.all(Array.from({ length: 6 }, () => EventStreamReader.open(url, SERVICE_TOKEN)));
    const received = () => readers.flatMap(({ messages }) => messages);
    await calls.post('/topics/s:publish', { messages: texts(...Array.from({ length: 20 }, (_, index) => `${index}`)) });
    await eventually(
      async () => received().length,
      (count) => count === 18,
    );
    const [back, ...rest] = received().map(({ ackId }) => ackId);
    await extend('s', [back ?? ''], 0);
    await eventually(
      async () => received().filter(({ deliveryAttempt }) => deliveryAttempt === 2).length,
      (count) => count === 1,
    );
    expect((await ack('s', rest)).status).toBe(200);
    await eventually(
      async () => received().length,
      (count) => count === 21,
    );
    expect(new Set(received().map(({ message }) => message.messageId)).size).toBe(20);
    for (const reader of readers) reader.close();
    await ack(
      's',
      received().map(({ ackId }) => ackId),
    );
    expect(await take('s')).toEqual([]);
    expect((await calls.get('/subscriptions/s:offsets')).json).toMatchObject({ current: 20 });
  });

  const metric = async (pattern: RegExp): Promise<number> =>
    Number(pattern.exec((await scene.root.get('/metrics', { accept: null })).text)?.[1] ?? 0);
  const counted = () =>
    metric(/^logbook_http_request_duration_seconds_count\{method="GET",route="\/api\/v2\/weights\/:id",status="404"\} (\d+)/m);

  it('are one node in /metrics, also when one of them is killed, which is replaced', async () => {
    const before = await counted();
    for (let round = 0; round < 40; round++) await ask('/api/v2/weights/6ac7d684-1f8e-4a02-a502-720e8f11e50b');
    expect((await counted()) - before).toBe(40);
    const { text } = await scene.root.get('/metrics', { accept: null });
    const names = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(text).toContain(`\nlogbook_api_threads ${THREADS}\n`);
    expect(text).toMatch(/\nlogbook_build_info\{.*\} 1\n/);
    const [thread] = lines('an API thread takes requests');
    process.kill(thread?.process ?? 0, 'SIGKILL');
    await eventually(
      async () => lines('an API thread takes requests').length,
      (starts) => starts === THREADS,
    );
    expect((await counted()) - before).toBe(40);
    await eventually(
      async () => {
        await ask('/api/v2/weights');
        return lines('request').filter((line) => line.path === '/api/v2/weights' && line.thread === 2).length;
      },
      (answers) => answers > 0,
    );
  });

  it('end in order, with what they were asked', async () => {
    const admin = inProject(scene, 'ending');
    await admin.call('POST', '', {});
    await admin.topic('t');
    await admin.subscription('s', 't');
    const pulls = Array.from({ length: 8 }, () =>
      ask('/v1/projects/ending/subscriptions/s:pull', 'messaging-service-token', 'POST', '{"maxMessages":"1","returnImmediately":"false"}'),
    );
    await eventually(
      () => metric(/^logbook_body_bytes (\d+)/m),
      (bytes) => bytes > 0,
    );
    expect(await scene.restart()).toBe(0);
    const answers: readonly string[] = await Promise.all(pulls);
    expect(answers.map(statusOf)).toEqual(pulls.map(() => 200));
    const after: Answer = await scene.status.get('/weights', { key: KEY });
    expect(after.status).toBe(200);
  });
});
