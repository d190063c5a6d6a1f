import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, dropReadModels, embedded, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';

describe('erased data as auditors see them', () => {
  const scene = serving(embedded);
  const ops = (path: string) => scene.root.get(path, { key: OPERATOR });
  const admin = (method: 'POST' | 'PUT', path: string, body: object) =>
    scene.status.call(method, `/admin/tenants${path}`, { key: ADMIN, body });
  const idIn = ({ json }: Readonly<{ json: unknown }>): string => (json as { data: { id: string } }).data.id;
  const read = async (kind: string, id: string): Promise<unknown[]> => {
    const found = await eventually(
      () => ops(`/audit/resources/status/${kind}/${id}?personal=true`),
      ({ status }) => status === 200,
    );
    return (found.json as { versions: { value: unknown }[] }).versions.map(({ value }) => value);
  };

  it('stay apart from what was never given, also after another change and in a history that is built again', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'erasing', ['admin']);
    const user = idIn(await admin('POST', `/${tenant}/users`, { name: 'Ada', roles: ['viewer'] }));
    const body = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-02T01:00:00Z', reason: 'r', report: 'R' };
    const requester = { requester_name: 'Ada', requester_email: 'ada@example.org' };
    const recomputation = idIn(await scene.status.post('/recomputations', { key: 'erasing-admin', body: { ...body, ...requester } }));
    for (const [kind, id] of [
      ['user', user],
      ['recomputation', recomputation],
    ])
      await scene.root.post('/ops/erasures', { key: OPERATOR, body: { service: 'status', kind, id, reason: 'r' } });
    await eventually(
      async () => JSON.stringify([await read('user', user), await read('recomputation', recomputation)]),
      (text) => !text.includes('Ada'),
    );
    await admin('POST', `/${tenant}/users`, { name: 'Bea', roles: ['viewer'] }); // changes the document of the tenant
    const all = async () => [await read('user', user), await read('recomputation', recomputation), await read('tenant', tenant)];
    const before = await all();
    expect(before.slice(0, 2)).toMatchObject([
      [{ name: '[erased]', email: '', api_key: '[erased]' }],
      [{ requester_name: '[erased]', requester_email: '[erased]' }],
    ]);
    expect(before[2]?.at(-1)).toMatchObject({ users: [{}, { name: '[erased]', email: '' }, { name: 'Bea', email: '' }] });
    await scene.restart(() => dropReadModels(scene.deployment));
    expect(await all()).toEqual(before);
  });

  it('cannot be written once the erasure is answered', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'guessing', ['admin']);
    const given = { name: 'Cy', email: 'cy@example.org', roles: ['viewer'] };
    const user = idIn(await admin('POST', `/${tenant}/users`, given));
    const erasure = { service: 'status', kind: 'user', id: user, reason: 'r' };
    expect((await scene.root.post('/ops/erasures', { key: OPERATOR, body: erasure })).status).toBe(202);
    const written = await admin('PUT', `/${tenant}/users/${user}`, { ...given, name: 'Dee' });
    expect(written.status).toBe(404);
    expect((await scene.status.get(`/admin/tenants/${tenant}/users/${user}`, { key: ADMIN })).text).not.toMatch(/Cy|cy@|Dee/);
  });
});
