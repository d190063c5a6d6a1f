import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR } from '#test/support/deployments.js';
import { startEventStoreDb } from '#test/support/eventstoredb/server.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { freePorts } from '#test/support/processes/free-ports.js';
import { launchLogbook } from '#test/support/processes/logbook-process.js';
import { openRedisLink, startRedis } from '#test/support/redis/redis.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

/** That a server answers everybody in the shape of the service that is asked, and says when to come again. */
const expectNotReady = async (root: HttpClient): Promise<void> => {
  const ready = await root.get('/health/ready');
  expect([ready.status, ready.json]).toEqual([503, { status: 'down', reason: expect.stringContaining('Redis does not answer') }]);
  const paths = ['/v1/projects', '/accounting-system/projects', '/api/v2/weights', '/ops/log'];
  const answers = await Promise.all(paths.map((path) => root.get(path)));
  expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(paths.map(() => [503, '5']));
  expect(answers.map(({ json }) => json)).toEqual([
    { error: { code: 503, message: expect.any(String), status: 'UNAVAILABLE' } },
    { code: 503, message: expect.any(String) },
    { status: { code: '503', message: 'Service Unavailable' }, errors: [expect.objectContaining({ code: '503' })] },
    expect.objectContaining({ status: 503, title: 'Service Unavailable' }),
  ]);
};

const waitingLines = (lines: readonly string[]) =>
  lines.filter((line) => line.includes('waiting for the stores')).map((line) => JSON.parse(line) as Record<string, unknown>);

/** Stores that are away. They can be brought back. */
const awayStores = async () => {
  const [events, redis, directory] = await Promise.all([startEventStoreDb(), startRedis(), mkdtemp(join(tmpdir(), 'logbook-waiting-'))]);
  const link = await openRedisLink(redis.url);
  await events.goDown();
  link.refuse(true);
  const environment: Readonly<Record<string, string>> = {
    LOGBOOK_DATA_DIR: directory,
    EVENTSTORE_URL: events.connectionString,
    REDIS_URL: link.url,
    LOGBOOK_REDIS_PREFIX: redis.keyPrefix,
    LOGBOOK_OPS_KEY: OPERATOR,
    LOGBOOK_START_TIMEOUT: '10m',
  };
  const dispose = async (): Promise<void> => {
    await link.close();
    await Promise.all([events.stop(), redis.stop()]);
    await rm(directory, { recursive: true, force: true });
  };
  return { events, link, environment, dispose };
};

describe('a start while the stores are away', () => {
  let stores: Awaited<ReturnType<typeof awayStores>>;
  beforeAll(async () => {
    stores = await awayStores();
  });
  afterAll(() => stores?.dispose());

  it('ends at once when it is told to', async () => {
    const server = launchLogbook(stores.environment);
    await eventually(async () => waitingLines(server.lines).length).until((count) => count > 0);
    expect(await server.signal('SIGTERM')).toBe(0);
    expect(server.lines.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  it('waits, says for what, answers that it is alive and not ready, and serves once they are there', async () => {
    const [port = 0] = await freePorts(1);
    const server = launchLogbook({ ...stores.environment, LOGBOOK_PORT: String(port) });
    const root = httpClient(`http://127.0.0.1:${port}`);
    const ask = (path: string) => root.get(path).catch(() => undefined);
    await eventually(() => ask('/health/live')).until((answer) => answer?.status === 200);
    expect(waitingLines(server.lines)[0]).toEqual({
      level: 'warn',
      time: expect.any(String),
      service: 'logbook',
      node: expect.stringMatching(/:\d+$/),
      version: expect.any(String),
      variable: 'EVENTSTORE_URL, REDIS_URL',
      waitedSeconds: expect.any(Number),
      atMostSeconds: 600,
      message: expect.stringMatching(/^waiting for the stores: EventStoreDB does not answer: .*; Redis does not answer: /),
    });
    await expectNotReady(root);

    await stores.events.comeUp();
    await eventually(() => ask('/health/ready')).until(
      (answer) => (answer?.json as { reason?: string } | undefined)?.reason?.startsWith('Redis does not answer') === true,
    );
    stores.link.refuse(false);
    await server.url;
    await untilReady(root);
    expect((await root.get('/ops/log', { headers: { 'x-api-key': OPERATOR } })).status).toBe(200);
    expect(await server.signal('SIGTERM')).toBe(0);
  });

  it('ends with one line when the port is in use, before it has waited', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    stores.link.refuse(true);
    const { port } = busy.address() as { port: number };
    const server = launchLogbook({ ...stores.environment, LOGBOOK_PORT: String(port) });
    expect(await server.exited).toBe(1);
    busy.close();
    expect(server.lines.map((line) => JSON.parse(line) as object).at(-1)).toMatchObject({ level: 'error', variable: 'LOGBOOK_PORT' });
  });
});
