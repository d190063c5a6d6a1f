import { describe, expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { administration, user } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, dropReadModels, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { isForgotten } from '#test/support/plant.js';
import { recordsOf } from '#test/support/status-client.js';

describe('personal data that is deleted', () => {
  const scene = servingAlone(embedded);
  const admin = administration(scene);

  it('is forgotten for good, even when the server dies first, and read models are still built from the log', async () => {
    const id = await admin.created('doomed', user('a', 'doomed-a'), user('b', 'doomed-b'));
    const other = await admin.created('staying', user('c', 'staying-c'), user('d', 'staying-d'), user('e', 'staying-e'));
    const [a, b] = await admin.usersOf(id);
    const [c, d, e] = await admin.usersOf(other);
    await Promise.all([
      admin.remove(id),
      admin.remove(other, `/users/${c?.id}`),
      admin.put(other, { info: { name: 'staying' }, users: [user('e', 'staying-e')] }),
    ]);
    await scene.server.kill();
    await scene.restart();
    for (const subject of [`tenant-${id}`, `user-${a?.id}`, `user-${b?.id}`, `user-${c?.id}`, `user-${d?.id}`])
      await eventually(() => isForgotten(scene.deployment, subject)).until((forgotten) => forgotten);
    for (const subject of [`tenant-${other}`, `user-${e?.id}`]) expect(await isForgotten(scene.deployment, subject)).toBe(false);

    const before = await scene.status.get('/admin/tenants', { key: ADMIN });
    expect(recordsOf(before)).toMatchObject([{ id: other, users: [{ id: e?.id, name: 'e', email: 'e@x', api_key: 'staying-e' }] }]);
    await scene.restart(() => dropReadModels(scene.deployment));
    expect((await scene.status.get('/admin/tenants', { key: ADMIN })).text).toBe(before.text);
    expect([await admin.statusFor('doomed-a'), await admin.statusFor('staying-d'), await admin.statusFor('staying-e')]).toEqual([
      401, 401, 200,
    ]);
    expect((await admin.put(other, { info: { name: 'staying on' } })).status).toBe(200);
  });
});
