import { describe, expect, it } from '@jest/globals';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, pageIn } from '#test/e2e/accounting/serving.js';
import { bothDeployments } from '#test/support/deployments.js';

const SYSTEM_ONLY = '/admin/version';

describe.each(bothDeployments)('A client on %s', (_name, open) => {
  const scene = accountingServing(open);

  it('registers with its first token, gets entitlements and loses them again', async () => {
    const client = await scene.caller('traveller');
    expectMessage(await client.get(SYSTEM_ONLY), 403, FORBIDDEN);
    expectMessage(await client.post('/clients'), 200, 'The actor was successfully registered.');
    const [actor] = pageIn(await scene.admin.get('/admin/actors')).content;
    expect(actor).toMatchObject({ oidc_id: 'traveller', issuer: scene.issuer.url });

    const { id } = (await scene.admin.post('/admin/entitlements', { name: entitlement('admin') })).json as { id: string };
    expect((await scene.admin.post(`/admin/entitlements/${id}/assign/${actor?.id}`)).status).toBe(200);
    expect((await client.get(SYSTEM_ONLY)).status).toBe(200);
    await scene.restart();
    const afterwards = await scene.caller('traveller');
    expect((await afterwards.get(SYSTEM_ONLY)).status).toBe(200);
    expect((await scene.admin.patch(`/admin/entitlements/${id}`, { name: entitlement('viewer') })).status).toBe(200);
    expect((await afterwards.get(SYSTEM_ONLY)).status).toBe(403);
    expect((await afterwards.get('/providers')).status).toBe(200);
    expect((await scene.admin.post(`/admin/entitlements/${id}/dissociate/${actor?.id}`)).status).toBe(200);
    expect((await afterwards.get('/providers')).status).toBe(403);
  });
});
