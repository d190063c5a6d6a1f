import { describe, expect, it } from '@jest/globals';
import { deployments, embedded } from '../support/deployments.js';
import { runLogbook } from '../support/logbook-process.js';
import { accountingServing, entitlement, expectMessage, FORBIDDEN, pageIn } from './accounting-serving.js';

const SYSTEM_ONLY = '/admin/version';

describe.each(deployments)('the way of a client on %s', (_name, open) => {
  const scene = accountingServing(open);

  it('goes from its first token over registration and assignments to its end', async () => {
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

describe('tokens issued by the installation itself', () => {
  const scene = accountingServing(embedded);
  const issue = (...words: readonly string[]) => runLogbook(['token', 'issue', ...words], scene.deployment.environment);
  const issued = async (...words: readonly string[]) => {
    const { code, stdout } = await issue(...words);
    expect(code).toBe(0);
    return stdout.trim();
  };

  it('name their subject, and carry entitlements that count in the mode oidc', async () => {
    const client = scene.withToken(
      await issued('--subject', 'ada', '--entitlement', entitlement('viewer'), '--entitlement', entitlement('admin')),
    );
    expect((await client.get(SYSTEM_ONLY)).status).toBe(403);
    expect((await client.post('/clients')).status).toBe(200);
    const [actor] = pageIn(await scene.admin.get('/admin/actors')).content;
    expect(actor).toMatchObject({ oidc_id: 'ada', issuer: 'logbook', name: '', email: '' });
    await scene.trustTokens();
    expect((await client.get(SYSTEM_ONLY)).status).toBe(200);
    await scene.restart();
    expect((await scene.withToken(await issued('--subject', 'bob')).get('/operands')).status).toBe(200);
  });

  it('expire when they were told to', async () => {
    const { stdout } = await issue('--subject', 'ada', '--expires', '2h', '--json');
    const { subject, token, expires } = JSON.parse(stdout) as Record<'subject' | 'token' | 'expires', string>;
    expect(subject).toBe('ada');
    expect((await scene.withToken(token).get('/operands')).status).toBe(200);
    expect(Math.abs(Date.parse(expires) - Date.now() - 7_200_000)).toBeLessThan(60_000);
  });

  it.each([
    [['issue', '--subject', '']],
    [['issue', '--subject', 'a', '--expires', 'soon']],
    [['issue', '--subject', 'a', '--expires', '0d']],
  ])('%j is wrong usage', async (words) => {
    const { code, stdout, stderr } = await runLogbook(['token', ...words], scene.deployment.environment);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/./)]);
  });

  it('are explained with an example', async () => expect((await issue('--help')).stdout).toMatch(/Example:\n +logbook token issue/));
});
