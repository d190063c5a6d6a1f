import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, serving } from '#test/e2e/serving.js';
import { ADMIN, distributed, dropReadModels, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { registerTenant } from '#test/support/status-client.js';

describe('read models that Redis has lost', () => {
  const scene = serving(distributed);
  const TENANT_KEY = 'lost-admin';

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'lost', ['admin']);
    expect((await scene.root.post('/v1/projects/lost', { key: SERVICE_TOKEN, body: {} })).status).toBe(200);
  });

  const calls = (): readonly (() => Promise<number>)[] => [
    async () => (await scene.status.get('/weights', { key: TENANT_KEY })).status,
    async () => (await scene.status.get('/admin/tenants', { key: ADMIN })).status,
    async () => (await scene.root.get('/v1/projects/lost', { key: SERVICE_TOKEN })).status,
    async () => (await scene.root.get('/accounting-system/operands', { headers: { authorization: `Bearer ${SYSTEM_ADMIN}` } })).status,
    async () => (await scene.root.get('/ops/keys', { key: OPERATOR })).status,
  ];

  it('are built anew although nothing is written; until then calls get 503', async () => {
    await dropReadModels(scene.deployment);
    const seen = new Set<number>();
    await eventually(
      async () => {
        const statuses = await Promise.all(calls().map((call) => call()));
        for (const status of statuses) seen.add(status);
        return statuses;
      },
      (statuses) => statuses.every((status) => status === 200),
      60_000,
    );
    expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await eventually(
      () => scene.root.get('/health/ready'),
      ({ status }) => status === 200,
      60_000,
    );
    expect((await scene.status.get('/weights', { key: 'nobody-has-this' })).status).toBe(401);
  });
});
