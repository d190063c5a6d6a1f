import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey } from '#test/e2e/serving.js';
import { ADMIN, deployments, distributed, type LogBackup, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type Answer, idOf, recordsOf, registerTenant } from '#test/support/status-client.js';
import { KEPT, Scene } from './scene.js';

const LOST = 'lost-admin';
const NOT_SHOWN = 'the read model does not come from this log';

/** Without the history beside Redis, which is built by itself. */
const logged = (scene: Scene): string => scene.server.lines.filter((line) => !line.includes('"documents":"history"')).join('\n');

/** What every log of these tests has. */
const fill = async (scene: Scene): Promise<void> => {
  await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
  expect((await scene.create('kept record')).status).toBe(201);
  await scene.createTopic();
  expect(await scene.publish('kept')).toBe('0');
};

/** Expects the answer of a read model that is withheld: 503, with the time to come again. */
const expectWithheld = (answer: Answer): void => {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
};

/** Until the server is ready, expects every answer to each of eight pairs of callers to be what the log says, or 503. */
const expectNothingLost = async (scene: Scene): Promise<void> => {
  const askAsBoth = async (): Promise<void> => {
    const [intruder, list] = await Promise.all([scene.status.get('/weights', { key: LOST }), scene.status.get('/weights', { key: KEPT })]);
    if (intruder.status !== 401) expectWithheld(intruder);
    if (list.status === 200) expect(list.text).not.toContain('lost record');
    else if (list.status !== 401) expectWithheld(list);
  };
  for (let ready = false; !ready; ready = (await scene.root.get('/health/ready')).status === 200)
    await Promise.all(Array.from({ length: 8 }, askAsBoth));
  expect((await scene.status.get('/weights', { key: LOST })).status).toBe(401);
};

/** Expects a write to be acknowledged and shown, beside the other names. */
const expectWritesToCount = async (scene: Scene, names: readonly string[]): Promise<void> => {
  const created = await scene.create('new record');
  expect(created.status).toBe(201);
  expect((await scene.status.get(`/weights/${idOf(created)}`, { key: KEPT })).status).toBe(200);
  expect(new Set(await scene.names(KEPT))).toEqual(new Set([...names, 'new record']));
};

/** Expects the same, also after a restart. */
const expectWritesToLast = async (scene: Scene, names: readonly string[]): Promise<void> => {
  await expectWritesToCount(scene, names);
  await scene.restart();
  await scene.ready();
  expect(new Set(await scene.names(KEPT))).toEqual(new Set([...names, 'new record']));
  expect(logged(scene)).not.toContain(NOT_SHOWN);
};

/** One test goes on with the server and the log of the one before: what counts is only that read models show more, or other things, than the log. */
describe.each(deployments)('read models newer than the log, on %s,', (kind, open) => {
  let scene: Scene;
  let other: Scene;
  let backup: LogBackup;
  const opened: Scene[] = [];
  const readModelsOf = ({ deployment }: Scene, name = 'documents'): string => join(deployment.dataDirectory, name);
  beforeAll(async () => {
    scene = new Scene(await open());
    other = new Scene(await open());
    opened.push(scene, other);
    await scene.start();
    await scene.ready();
    await fill(scene);
    await scene.restart(async () => {
      backup = await scene.deployment.backUpLog();
    });
    await scene.ready();
  });
  afterAll(async () => {
    for (const made of opened) {
      await made.stop();
      await made.deployment.dispose();
    }
  });

  /** Writes what the next log does not have; returns an administrator's key among it. */
  const lose = async (): Promise<string> => {
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    const { key } = await issueKey(scene.root, 'status', 'super_admin');
    expect((await scene.status.get('/admin/tenants', { key })).status).toBe(200);
    return key;
  };

  it('are found also when the restored log has grown beyond them meanwhile', async () => {
    await lose();
    await scene.stop();
    await scene.deployment.restoreLog(backup);
    // Another node, with read models of its own, goes on in the restored log.
    const elsewhere = new Scene(scene.deployment, kind === 'embedded stores' ? {} : { LOGBOOK_REDIS_PREFIX: `e${Date.now()}` });
    opened.unshift(elsewhere);
    const [readModels, aside] = [readModelsOf(scene), readModelsOf(scene, 'aside')];
    const move = async (from: string, to: string): Promise<void> => {
      if (kind !== 'embedded stores') return;
      await rm(to, { recursive: true, force: true });
      await cp(from, to, { recursive: true });
      await rm(from, { recursive: true });
    };
    await move(readModels, aside);
    await elsewhere.start();
    await elsewhere.ready();
    const grown = Array.from({ length: 20 }, (_, index) => `grown ${index}`);
    for (const name of grown) expect((await elsewhere.create(name)).status).toBe(201);
    await elsewhere.stop();
    await move(aside, readModels);
    await scene.start();
    await expectNothingLost(scene);
    expect(new Set(await scene.names(KEPT))).toEqual(new Set(['kept record', ...grown]));
    await expectWritesToCount(scene, ['kept record', ...grown]);
  });

  it('are not shown after an older log was restored, and are built anew', async () => {
    const lostKey = await lose();
    expect(await scene.publish('lost')).toBe('1');
    await scene.restart(() => scene.deployment.restoreLog(backup));
    await expectNothingLost(scene);
    expect(logged(scene)).toContain(NOT_SHOWN);
    expect((await scene.status.get('/admin/tenants', { key: lostKey })).status).toBe(401);
    expect(recordsOf(await scene.status.get('/admin/tenants', { key: ADMIN }))).toMatchObject([{ info: { name: 'kept' } }]);
    expect(await scene.names(KEPT)).toEqual(['kept record']);
    expect(await scene.pull()).toEqual(['kept']);
    expect(await scene.publish('new')).toBe('1');
    expect((await scene.pull()).at(-1)).toBe('new');
    // The answer to this intent in the lost future does not count any more.
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    await expectWritesToLast(scene, ['kept record', 'lost record']);
  });

  it('are not shown after the log was deleted', async () => {
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    await scene.restart(() => scene.deployment.restoreLog(null));
    await expectNothingLost(scene);
    expect((await scene.status.get('/weights', { key: KEPT })).status).toBe(401);
    expect(recordsOf(await scene.status.get('/admin/tenants', { key: ADMIN }))).toEqual([]);
    expect((await scene.root.get('/v1/projects/lab', { key: SERVICE_TOKEN })).status).toBe(404);
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    await expectWritesToCount(scene, []);
  });

  it('are not shown over the log of another installation', async () => {
    await other.start();
    await other.ready();
    await registerTenant(other.status, ADMIN, 'kept', ['admin']);
    for (const name of ['other record', 'another record']) expect((await other.create(name)).status).toBe(201);
    await other.stop();
    await scene.createTopic();
    await lose();
    await scene.restart(async () => scene.deployment.restoreLog(await other.deployment.backUpLog()));
    await expectNothingLost(scene);
    expect(logged(scene)).toContain('installation');
    expect((await scene.root.get('/v1/projects/lab', { key: SERVICE_TOKEN })).status).toBe(404);
    await expectWritesToCount(scene, ['other record', 'another record']);
  });

  it('are not shown when they were copied from another installation', async () => {
    await lose();
    await scene.stop();
    await other.deployment.restoreLog(backup);
    if (kind === 'embedded stores') {
      await rm(readModelsOf(other), { recursive: true });
      await cp(readModelsOf(scene), readModelsOf(other), { recursive: true });
    }
    const { LOGBOOK_REDIS_PREFIX = '', REDIS_URL = '' } = scene.deployment.environment;
    const theirs = new Scene(other.deployment, { LOGBOOK_REDIS_PREFIX, REDIS_URL });
    opened.unshift(theirs);
    await theirs.start();
    await expectNothingLost(theirs);
    expect(logged(theirs)).toContain('installation');
    expect(await theirs.names(KEPT)).toEqual(['kept record']);
    await expectWritesToLast(theirs, ['kept record']);
  });
});

describe('a server whose EventStoreDB comes back as an older copy', () => {
  let scene: Scene;
  let backup: LogBackup;
  beforeAll(async () => {
    scene = new Scene(await distributed());
    await scene.start();
    await scene.ready();
    await fill(scene);
    backup = await scene.deployment.backUpLog();
  });
  afterAll(async () => {
    await scene.stop();
    await scene.deployment.dispose();
  });

  it('shows nothing that is not in it any more, and goes on without a restart', async () => {
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    expect((await scene.create('lost record', { 'idempotency-key': 'intent' })).status).toBe(201);
    expect(new Set(await scene.names(KEPT))).toEqual(new Set(['kept record', 'lost record']));
    expect(await scene.publish('lost')).toBe('1');
    expect(await scene.pull()).toEqual(['kept', 'lost']);
    await scene.deployment.restoreLog(backup);
    await eventually(async () => logged(scene)).until((lines) => lines.includes(NOT_SHOWN));
    await expectNothingLost(scene);
    expect(await scene.names(KEPT)).toEqual(['kept record']);
    const again = await eventually(() => scene.create('lost record', { 'idempotency-key': 'intent' })).until(
      ({ status }) => status !== 503,
    );
    expect(again.status).toBe(201);
    expect(await scene.publish('new')).toBe('1');
    expect((await scene.pull()).at(-1)).toBe('new');
    await expectWritesToLast(scene, ['kept record', 'lost record']);
  });

  it('lists what the new log says even if its events lie where lost ones lay', async () => {
    for (const round of [1, 2, 3]) {
      await scene.deployment.restoreLog(backup);
      await eventually(async () => {
        await scene.ready();
        return scene.names(KEPT).catch((): readonly unknown[] => []);
      }).until((names) => names.length === 1);
      const answer = await eventually(() => scene.create(`lost ${round}`)).until(({ status }) => status !== 503);
      expect(answer.status).toBe(201);
      await eventually(() => scene.names(KEPT).catch((): readonly unknown[] => [])).until(
        (names) => names.length === 2 && names.includes(`lost ${round}`),
      );
    }
  });

  it('goes on with an empty one when the log was deleted', async () => {
    await scene.deployment.restoreLog(null);
    await eventually(() => scene.status.get('/weights', { key: KEPT })).until(({ status }) => status === 401);
    await eventually(() => scene.root.get('/ops/keys', { key: OPERATOR })).until(
      ({ status, json }) => status === 200 && (json as { items: readonly unknown[] }).items.length === 4,
    );
    await registerTenant(scene.status, ADMIN, 'kept', ['admin']);
    await expectWritesToCount(scene, []);
  });
});
