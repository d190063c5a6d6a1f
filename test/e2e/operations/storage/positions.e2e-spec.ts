import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createProject, inProject, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { weights } from '#test/e2e/status/contract.js';
import { ADMIN, type Deployment, dropReadModels, embedded } from '#test/support/deployments.js';
import { startLogAt } from '#test/support/event-stores/embedded-log.js';
import { startRedis } from '#test/support/redis/redis.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';
import { runs } from '#test/support/test-runs.js';

const BORDER = 2 ** 32;
const RECORDS = 30;

/** Starts the log shortly before the border, so that the first writes of a new installation cross it. */
const beforeBorder = async (deployment: Deployment): Promise<Deployment> => {
  await startLogAt(join(deployment.dataDirectory, 'log'), BORDER - 20);
  return deployment;
};

const withRedis = async (): Promise<Deployment> => {
  const redis = await startRedis();
  const local = await embedded();
  return {
    ...local,
    environment: { ...local.environment, REDIS_URL: redis.url, LOGBOOK_REDIS_PREFIX: redis.keyPrefix },
    dispose: async () => {
      await redis.stop();
      await local.dispose();
    },
  };
};

const readModels = [
  ['embedded read models', embedded],
  ['read models in Redis', withRedis],
] as const;

describe.each(readModels.slice(0, runs(2, 1)))('an embedded log that grows beyond position 2^32, with %s', (_, open) => {
  const scene = serving(async () => beforeBorder(await open()));
  const key = 'border-admin';
  const messagesOf = async (): Promise<readonly string[]> => {
    const { json } = await inProject(scene, 'p').post('/subscriptions/s:pull', { maxMessages: '100', returnImmediately: 'true' });
    return (json as { receivedMessages: { message: { data: string } }[] }).receivedMessages.map(({ message }) => message.data);
  };
  const answers = async () => [
    (await scene.status.get('/weights', { key })).text,
    (await scene.status.get('/admin/tenants', { key: ADMIN })).text,
    (await scene.root.get('/v1/projects/p/topics', { key: SERVICE_TOKEN })).text,
    (await messagesOf()).join(),
  ];
  const data = (n: number): string => Buffer.from(`message ${n}`).toString('base64');
  let before: readonly string[];

  it('takes writes of every service, shows them, and counts on', async () => {
    await registerTenant(scene.status, ADMIN, 'border', ['admin']);
    const project = await createProject(scene, 'p');
    await project.topic('t');
    await project.subscription('s', 't');
    const ids: string[] = [];
    for (let n = 0; n < RECORDS; n += 1) {
      ids.push(idOf(await scene.status.post('/weights', { key, body: weights(`record ${n}`) })));
      expect((await project.post('/topics/t:publish', { messages: [{ data: data(n) }] })).status).toBe(200);
    }
    expect(
      recordsOf(await scene.status.get('/weights', { key }))
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.sort());
    expect(await messagesOf()).toEqual(Array.from({ length: RECORDS }, (_value, n) => data(n)));
    const metrics = (await scene.root.get('/metrics')).text;
    const positions = [...metrics.matchAll(/^logbook_projection_position\{.*\} (\S+)$/gm)].map(([, position]) => Number(position));
    expect(Math.max(...positions)).toBeGreaterThan(BORDER);
    expect((await scene.root.get('/health')).status).toBe(200);
    before = await answers();
  });

  it('shows the same after a restart, and takes more', async () => {
    expect(await scene.restart()).toBe(0);
    expect(await answers()).toEqual(before);
    expect((await scene.status.post('/weights', { key, body: weights('after') })).status).toBe(201);
    before = await answers();
  });

  it('shows the same when its read models are built anew', async () => {
    expect(await scene.restart(() => dropReadModels(scene.deployment))).toBe(0);
    expect(await answers()).toEqual(before);
  });
});
