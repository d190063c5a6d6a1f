import { cp, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, distributed, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { changeBehind, changeLetter } from '#test/support/event-stores/damage.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient, idOf, registerTenant, statusClient } from '#test/support/status-client.js';

const key = 'acme-admin';

/** The build in which a text stands. */
const buildIn = async (documents: string, text: string): Promise<string> => {
  const builds = (await readdir(documents)).filter((name) => name.endsWith('.docs')).map((name) => join(documents, name));
  const texts = await Promise.all(builds.map((build) => readFile(build)));
  return builds.find((_, index) => texts[index]?.includes(text)) ?? 'none';
};

describe('damaged files of the embedded stores', () => {
  let deployment: Deployment;
  let server: LogbookProcess | undefined;
  let sound: string;
  let record: string;
  let undamaged: readonly string[];
  const log = () => join(deployment.dataDirectory, 'log', 'data.mdb');
  const documents = (...names: readonly string[]) => join(deployment.dataDirectory, 'documents', ...names);
  const buildWith = (text: string) => buildIn(documents(), text);
  const running = (): LogbookProcess => {
    if (!server) throw new Error('no server runs');
    return server;
  };
  const root = () => httpClient(running().url);
  const logged = (message: string, times: number) =>
    eventually(async () => running().lines.filter((line) => line.includes(message)).length).until((count) => count === times);
  const messaging = (method: string, path: string, body?: unknown) =>
    root().call(method, `/v1/projects/p${path}`, { key: SERVICE_TOKEN, body });
  const publish = (text: string) => messaging('POST', '/topics/t:publish', { messages: [{ data: Buffer.from(text).toString('base64') }] });
  const start = async (): Promise<void> => {
    server = await startLogbook(deployment.environment);
    await untilReady(root());
  };
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const answers = async (): Promise<readonly string[]> => {
    const status = statusClient(running().url);
    const found = [
      await status.get('/weights', { key }),
      await status.get(`/weights/${record}?date=2024-06-01`, { key }),
      await status.get('/admin/tenants', { key: ADMIN }),
      await messaging('GET', '/topics'),
      await messaging('POST', '/subscriptions/s:pull', { maxMessages: '10', returnImmediately: 'true' }),
    ];
    return found.map(({ status, text }) => `${status} ${text.replace(/"(ackId|ack_id)": "[^"]*"/g, '"$1"')}`);
  };

  beforeAll(async () => {
    deployment = await embedded();
    await start();
    await registerTenant(statusClient(running().url), ADMIN, 'acme', ['admin']);
    record = idOf(await statusClient(running().url).post('/weights?date=2024-01-01', { key, body: weights('a damaged document') }));
    for (const path of ['', '/topics/t']) expect((await messaging(path === '' ? 'POST' : 'PUT', path, {})).status).toBe(200);
    expect((await messaging('PUT', '/subscriptions/s', { topic: 'projects/p/topics/t' })).status).toBe(200);
    expect((await publish('a damaged message')).status).toBe(200);
    undamaged = await answers();
    await stop();
    sound = `${deployment.dataDirectory}.sound`;
    await cp(deployment.dataDirectory, sound, { recursive: true });
  });
  afterAll(async () => {
    await stop();
    await deployment.dispose();
    await rm(sound, { recursive: true });
  });
  beforeEach(async () => {
    await stop();
    await rm(deployment.dataDirectory, { recursive: true });
    await cp(sound, deployment.dataDirectory, { recursive: true });
  });

  it.each([
    [
      'was cut off',
      () => truncate(log(), 40_000),
      /is damaged: data.mdb ends before page \d+ .* Put back the whole directory from a backup/,
    ],
    ['has a changed letter', async () => changeLetter(log(), 'a damaged document'), /has a damaged event at position \d+/],
  ])('end a start with code 1 and one line that says what to do: the log %s', async (_, damage, message) => {
    await damage();
    const failure = await startLogbook(deployment.environment).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    const line = /^the server ended with 1: (\{.*\})$/.exec(failure)?.[1] ?? failure;
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      time: expect.any(String),
      variable: 'LOGBOOK_DATA_DIR',
      message: expect.stringMatching(message),
    });
    expect(line).toContain(join(deployment.dataDirectory, 'log'));
  });

  it.each([
    ['a build was cut off', async () => truncate(await buildWith('a damaged document'), 100), 'deleted, to be built again'],
    ['a build is gone', async () => rm(await buildWith('a damaged document')), 'deleted, to be built again'],
    ['the list of builds has a changed letter', async () => changeLetter(documents('builds'), '"served"'), 'deleted, to be built again'],
    ['the index was cut off', () => truncate(documents('index', 'data.mdb'), 9_000), 'deleted, to be built again'],
  ])('are logged and made anew from the log: %s', async (_, damage, message) => {
    await damage();
    await start();
    expect(await answers()).toEqual(undamaged);
    await logged(message, 1);
  });

  it.each([
    ['a record', () => `/weights/${record}?date=2024-06-01`],
    ['a list', () => '/weights?date=2024-06-01'],
  ])('found while running are not served: %s is 503 until it has been built anew', async (_, path) => {
    const read = () => statusClient(running().url).get(path(), { key });
    await start();
    const sound = await read();
    await stop();
    changeLetter(await buildWith('a damaged document'), 'a damaged document');
    await start();
    const statuses: number[] = [];
    const answer = await eventually(async () => {
      const { status, text } = await read();
      statuses.push(status);
      return `${status} ${text}`;
    }).until((text) => text.startsWith('200'));
    expect(statuses[0]).toBe(503);
    expect(answer).toBe(`${sound.status} ${sound.text}`);
    await untilReady(root());
    expect(await answers()).toEqual(undamaged);
    await logged('documents are damaged: they are built anew', 1);
  });

  it('found while running in documents of background work, which are no read model, begin anew', async () => {
    const [, file] = /"messaging\.push":.*?"file":(\d+)/.exec(await readFile(documents('builds'), 'utf8')) ?? [];
    const lease = await open(documents(`${file}.docs`), 'r+');
    await lease.write(Buffer.alloc(400), 0, 400, 0);
    await lease.close();
    await start();
    const found = 'documents are damaged: they are built anew';
    await eventually(async () => running().lines.filter((line) => line.includes(found)).length).until((times) => times === 1);
    await untilReady(root());
    expect((await root().get('/health')).json).toMatchObject({ status: 'up', readStore: { status: 'up' } });
    expect(await answers()).toEqual(undamaged);
  });

  it('found while running in the index of the documents have the server begin anew, with an index that is made of them again', async () => {
    await start();
    changeBehind(documents('index', 'data.mdb'), `${record}/2024-01-01`); // an entry behind its key
    const times = (message: string) => running().lines.filter((line) => line.includes(message)).length;
    const read = () => statusClient(running().url).get(`/weights/${record}?date=2024-06-01`, { key });
    await eventually(async () => [await read().catch(() => undefined), times('"listening"')]).until(([, count]) => count === 2);
    await untilReady(root());
    expect(await answers()).toEqual(undamaged);
    expect(times('the index of the documents is damaged')).toBe(1);
    expect(await running().stop()).toBe(0);
  });

  it('found while running make the log refuse writes and health say why; the rest is read, and the next start refuses', async () => {
    await start();
    changeLetter(log(), Buffer.from('a damaged message').toString('base64'));
    const pull = await messaging('POST', '/subscriptions/s:pull', { maxMessages: '10', returnImmediately: 'true' });
    expect([pull.status, pull.text]).toEqual([503, expect.stringContaining('cannot process the request now')]);
    const write = await statusClient(running().url).post('/weights', { key, body: weights('afterwards') });
    expect(write.status).toBe(503);
    const ready = await root().get('/health/ready');
    expect([ready.status, ready.json]).toEqual([
      503,
      { status: 'down', reason: 'event log: it is damaged: it has to be put back from a backup' },
    ]);
    expect((await root().get('/health')).json).toMatchObject({ eventLog: { status: 'down' }, readStore: { status: 'up' } });
    expect((await answers()).slice(0, 4)).toEqual(undamaged.slice(0, 4));
    await logged('the event log is damaged: it takes no events any more', 1);
    await stop();
    await expect(startLogbook(deployment.environment)).rejects.toThrow(
      /ended with 1: .*log is damaged: data.mdb has a damaged event at position/,
    );
  });
});

describe('damaged history of a node whose read models are in Redis', () => {
  it('is built anew in the directory of the node, and not served until then', async () => {
    const deployment = await distributed();
    const environment = { ...deployment.environment, LOGBOOK_HISTORY: 'on' };
    let server = await startLogbook(environment);
    await untilReady(httpClient(server.url));
    try {
      await registerTenant(statusClient(server.url), ADMIN, 'acme', ['admin']);
      const made = await statusClient(server.url).post('/weights', { key, body: weights('a damaged document') });
      const past = async () => {
        const headers = { 'logbook-as-of': made.headers.get('logbook-position') ?? '' };
        const { status, text } = await statusClient(server.url).get('/weights', { key, headers });
        return `${status} ${text}`;
      };
      const isServed = (answer: string) => answer.startsWith('200');
      const undamaged = await eventually(past).until(isServed);
      await server.stop();
      changeLetter(await buildIn(join(deployment.dataDirectory, 'documents'), 'a damaged document'), 'a damaged document');
      server = await startLogbook(environment);
      expect(await eventually(past).until(isServed)).toBe(undamaged);
      const times = (message: string) => server.lines.filter((line) => line.includes(message)).length;
      expect([times('documents are damaged: they are built anew'), times('rebuild done')]).toEqual([1, 1]);
    } finally {
      await server.stop();
      await deployment.dispose();
    }
  });
});
