import { randomBytes } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { eventually, issueKey, untilReady } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, deployments, distributed, OPERATOR } from '#test/support/deployments.js';
import { type LogbookProcess, startLogbook } from '#test/support/logbook-process.js';
import { type Answer, httpClient, idOf, recordsOf, registerTenant, statusClient } from '#test/support/status-client.js';

jest.setTimeout(120_000); // several starts of servers each

const KEPT = 'kept-admin';
const LOST = 'lost-admin';
const NOT_SHOWN = 'the read model does not come from this log';
const MASTER_KEY = { LOGBOOK_MASTER_KEY: randomBytes(32).toString('base64') };

/** A server that the tests stop and start, and calls to it. */
class Scene {
  private running: LogbookProcess | undefined;

  constructor(
    readonly deployment: Deployment,
    readonly environment: Readonly<Record<string, string>> = {},
  ) {}

  get server(): LogbookProcess {
    if (!this.running) throw new Error('no server runs');
    return this.running;
  }

  get root() {
    return httpClient(this.server.url);
  }

  get status() {
    return statusClient(this.server.url);
  }

  /** Resolves when it listens, which is before it is ready. */
  async start(): Promise<void> {
    this.running = await startLogbook({ ...this.deployment.environment, ...MASTER_KEY, ...this.environment });
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  ready() {
    return untilReady(this.root);
  }

  async restart(between: () => Promise<unknown>): Promise<void> {
    await this.stop();
    await between();
    await this.start();
  }

  names = async (key: string): Promise<readonly unknown[]> => recordsOf(await this.status.get('/weights', { key })).map(({ name }) => name);

  create = (name: string, headers: Readonly<Record<string, string>> = {}) =>
    this.status.post('/weights', { key: KEPT, body: weights(name), headers });

  /** The topic's messages go to the subscription. */
  async createTopic(): Promise<void> {
    const key = SERVICE_TOKEN;
    expect((await this.root.post('/v1/projects/lab', { key, body: {} })).status).toBe(200);
    expect((await this.root.put('/v1/projects/lab/topics/news', { key, body: {} })).status).toBe(200);
    const body = { topic: 'projects/lab/topics/news' };
    expect((await this.root.put('/v1/projects/lab/subscriptions/reader', { key, body })).status).toBe(200);
  }

  async publish(text: string): Promise<string> {
    const body = { messages: [{ data: Buffer.from(text).toString('base64') }] };
    const { json } = await this.root.post('/v1/projects/lab/topics/news:publish', { key: SERVICE_TOKEN, body });
    return (json as { messageIds: string[] }).messageIds.join();
  }

  async pull(): Promise<readonly string[]> {
    const body = { maxMessages: '10', returnImmediately: 'true' };
    const { json } = await this.root.post('/v1/projects/lab/subscriptions/reader:pull', { key: SERVICE_TOKEN, body });
    const { receivedMessages } = json as { receivedMessages: readonly { message: { data: string } }[] };
    return receivedMessages.map(({ message }) => Buffer.from(message.data, 'base64').toString());
  }
}

/** Answers of a read model that is not shown: 503, with the time to come again. */
const expectWithheld = (answer: Answer): void => {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
};

/** From now until the server is ready: nothing is answered but what the log says, or 503. */
const expectNothingLost = async (scene: Scene): Promise<void> => {
  for (let ready = false; !ready; ready = (await scene.root.get('/health/ready')).status === 200) {
    const [intruder, list] = await Promise.all([scene.status.get('/weights', { key: LOST }), scene.status.get('/weights', { key: KEPT })]);
    if (intruder.status !== 401) expectWithheld(intruder);
    if (list.status === 200) expect(list.text).not.toContain('lost record');
    else if (list.status !== 401) expectWithheld(list);
  }
  expect((await scene.status.get('/weights', { key: LOST })).status).toBe(401);
};

/** Writes are acknowledged and shown at once, and still there after a restart. */
const expectWritesToCount = async (scene: Scene, names: readonly string[]): Promise<void> => {
  const created = await scene.create('new record');
  expect([created.status, created.headers.get('logbook-read-model')]).toEqual([201, null]);
  const id = idOf(created);
  expect((await scene.status.get(`/weights/${id}`, { key: KEPT })).status).toBe(200);
  expect(new Set(await scene.names(KEPT))).toEqual(new Set([...names, 'new record']));
  await scene.restart(async () => undefined);
  await scene.ready();
  expect(new Set(await scene.names(KEPT))).toEqual(new Set([...names, 'new record']));
};

describe.each(deployments)('read models newer than the log: %s', (kind, open) => {
  let scene: Scene;
  const opened: Scene[] = [];
  const openScene = async (environment?: Readonly<Record<string, string>>): Promise<Scene> => {
    const made = new Scene(await open(), environment);
    opened.push(made);
    return made;
  };
  beforeEach(async () => {
    scene = await openScene();
    await scene.start();
    await scene.ready();
  });
  afterEach(async () => {
    for (const made of opened.splice(0)) {
      await made.stop();
      await made.deployment.dispose();
    }
  });

  /** What every log of these tests has. */
  const fill = async (): Promise<void> => {
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    expect((await scene.create('kept record')).status).toBe(201);
    await scene.createTopic();
    expect(await scene.publish('kept')).toBe('0');
  };
  /** What happens after the backup. */
  const lose = async (): Promise<string> => {
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    expect(await scene.publish('lost')).toBe('1');
    const { key } = await issueKey(scene.root, 'status', 'super_admin');
    expect((await scene.status.get('/admin/tenants', { key })).status).toBe(200);
    return key;
  };

  it('are not shown after an older log was restored, and built anew', async () => {
    await fill();
    let backup = {};
    await scene.restart(async () => {
      backup = await scene.deployment.backUpLog();
    });
    await scene.ready();
    const lostKey = await lose();
    await scene.restart(() => scene.deployment.restoreLog(backup));
    await expectNothingLost(scene);
    expect(scene.server.lines.join('\n')).toContain(NOT_SHOWN);
    expect((await scene.status.get('/admin/tenants', { key: lostKey })).status).toBe(401);
    expect(recordsOf(await scene.status.get('/admin/tenants', { key: ADMIN }))).toMatchObject([{ info: { name: 'kept' } }]);
    expect(await scene.names(KEPT)).toEqual(['kept record']);
    expect(await scene.pull()).toEqual(['kept']);
    expect(await scene.publish('new')).toBe('1');
    expect((await scene.pull()).at(-1)).toBe('new');
    // What the lost future had answered to this intent does not count any more.
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    await expectWritesToCount(scene, ['kept record', 'lost record']);
    expect(scene.server.lines.join('\n')).not.toContain(NOT_SHOWN);
  });

  it('are found also when the restored log has grown beyond them meanwhile', async () => {
    await fill();
    await scene.restart(async () => undefined);
    await scene.stop();
    const backup = await scene.deployment.backUpLog();
    await scene.start();
    await scene.ready();
    await lose();
    await scene.stop();
    await scene.deployment.restoreLog(backup);
    // Another node, with read models of its own, goes on in the restored log.
    const elsewhere = new Scene(scene.deployment, kind === 'embedded stores' ? {} : { LOGBOOK_REDIS_PREFIX: `e${Date.now()}` });
    const [readModels, aside] = ['read-models', 'aside'].map((name) => join(scene.deployment.dataDirectory, name));
    const swap = async (from = '', to = ''): Promise<void> => {
      if (kind !== 'embedded stores') return;
      await cp(from, to, { recursive: true });
      await rm(from, { recursive: true });
    };
    await swap(readModels, aside);
    await elsewhere.start();
    await elsewhere.ready();
    for (let index = 0; index < 20; index += 1) expect((await elsewhere.create(`grown ${index}`)).status).toBe(201);
    await elsewhere.stop();
    if (kind === 'embedded stores') await rm(String(readModels), { recursive: true });
    await swap(aside, readModels);
    await scene.start();
    await expectNothingLost(scene);
    const grown = Array.from({ length: 20 }, (_, index) => `grown ${index}`);
    expect(new Set(await scene.names(KEPT))).toEqual(new Set(['kept record', ...grown]));
    await expectWritesToCount(scene, ['kept record', ...grown]);
  });

  it('are not shown after the log was deleted', async () => {
    await fill();
    await lose();
    await scene.restart(() => scene.deployment.restoreLog(null));
    await expectNothingLost(scene);
    expect((await scene.status.get('/weights', { key: KEPT })).status).toBe(401);
    expect(recordsOf(await scene.status.get('/admin/tenants', { key: ADMIN }))).toEqual([]);
    expect((await scene.root.get('/v1/projects/lab', { key: SERVICE_TOKEN })).status).toBe(404);
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    await expectWritesToCount(scene, []);
  });

  it('are not shown over the log of another installation', async () => {
    await fill();
    await lose();
    const other = await openScene();
    await other.start();
    await other.ready();
    await registerTenant(other.status, ADMIN, 'kept', ['admin']);
    for (const name of ['other record', 'another record']) expect((await other.create(name)).status).toBe(201);
    await other.stop();
    const backup = await other.deployment.backUpLog();
    await scene.restart(() => scene.deployment.restoreLog(backup));
    await expectNothingLost(scene);
    expect(scene.server.lines.join('\n')).toContain('installation');
    expect((await scene.root.get('/v1/projects/lab', { key: SERVICE_TOKEN })).status).toBe(404);
    await expectWritesToCount(scene, ['other record', 'another record']);
  });

  it('are not shown when they were copied from another installation', async () => {
    await fill();
    await lose();
    await scene.stop();
    const other = await openScene();
    const theirs = new Scene(other.deployment, {
      LOGBOOK_REDIS_PREFIX: scene.deployment.environment.LOGBOOK_REDIS_PREFIX ?? '',
      REDIS_URL: scene.deployment.environment.REDIS_URL ?? '',
    });
    await other.start();
    await other.ready();
    await registerTenant(other.status, ADMIN, 'kept', ['admin']);
    await other.stop();
    if (kind === 'embedded stores') {
      const [from, to] = [scene, other].map(({ deployment }) => join(deployment.dataDirectory, 'read-models'));
      await rm(String(to), { recursive: true });
      await cp(String(from), String(to), { recursive: true });
    }
    opened.push(theirs);
    await theirs.start();
    await expectNothingLost(theirs);
    expect(await theirs.names(KEPT)).toEqual([]);
    await expectWritesToCount(theirs, []);
  });
});

describe('a server whose EventStoreDB comes back as an older copy', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = new Scene(await distributed());
    await scene.start();
    await scene.ready();
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    expect((await scene.create('kept record')).status).toBe(201);
    await scene.createTopic();
    expect(await scene.publish('kept')).toBe('0');
  });
  afterEach(async () => {
    await scene.stop();
    await scene.deployment.dispose();
  });

  it('shows nothing that is not in it any more, and goes on without a restart', async () => {
    const backup = await scene.deployment.backUpLog();
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    expect(new Set(await scene.names(KEPT))).toEqual(new Set(['kept record', 'lost record']));
    expect(await scene.publish('lost')).toBe('1');
    expect(await scene.pull()).toEqual(['kept', 'lost']);
    await scene.deployment.restoreLog(backup);
    await eventually(
      async () => scene.server.lines.join('\n'),
      (lines) => lines.includes(NOT_SHOWN),
    );
    await expectNothingLost(scene);
    expect(await scene.names(KEPT)).toEqual(['kept record']);
    const again = await eventually(
      () => scene.create('lost record', { 'idempotency-key': 'intent' }),
      ({ status }) => status !== 503,
    );
    expect(again.status).toBe(201);
    expect(await scene.publish('new')).toBe('1');
    expect((await scene.pull()).at(-1)).toBe('new');
    await expectWritesToCount(scene, ['kept record', 'lost record']);
  });

  it('lists what the new log says even if its events lie where lost ones lay', async () => {
    const backup = await scene.deployment.backUpLog();
    expect((await scene.create('lost 1')).status).toBe(201);
    expect(new Set(await scene.names(KEPT))).toEqual(new Set(['kept record', 'lost 1']));
    for (const round of [2, 3]) {
      await scene.deployment.restoreLog(backup);
      await eventually(
        async () => {
          await scene.ready();
          return scene.names(KEPT).catch((): readonly unknown[] => []);
        },
        (names) => names.length === 1,
      );
      const answer = await eventually(
        () => scene.create(`lost ${round}`),
        ({ status }) => status !== 503,
      );
      expect(answer.status).toBe(201);
      await eventually(
        () => scene.names(KEPT).catch((): readonly unknown[] => []),
        (names) => names.length === 2 && names.includes(`lost ${round}`),
      );
    }
  });

  it('says so when the log was deleted, and starts with an empty one', async () => {
    await scene.deployment.restoreLog(null);
    await eventually(
      () => scene.status.get('/weights', { key: KEPT }),
      ({ status }) => status === 401,
    );
    const keys = await eventually(
      () => scene.root.get('/ops/keys', { key: OPERATOR }),
      ({ status }) => status === 200,
    );
    expect((keys.json as { items: readonly unknown[] }).items).toHaveLength(4);
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    await expectWritesToCount(scene, []);
  });
});
