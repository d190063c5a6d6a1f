import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { accountingServing, entitlement, pageIn } from '#test/e2e/accounting/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';

const SYSTEM_ONLY = '/admin/version';

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

  it('expire after the given time', async () => {
    const { stdout } = await issue('--subject', 'ada', '--expires', '2h', '--json');
    const { subject, token, expires } = JSON.parse(stdout) as Record<'subject' | 'token' | 'expires', string>;
    expect(subject).toBe('ada');
    expect((await scene.withToken(token).get('/operands')).status).toBe(200);
    expectRecent(new Date(Date.parse(expires) - 7_200_000).toISOString());
  });

  it.each([
    [['issue', '--subject', '']],
    [['issue', '--subject', 'a', '--expires', 'soon']],
    [['issue', '--subject', 'a', '--expires', '0d']],
  ])('are not issued for %j: wrong usage', async (words) => {
    const { code, stdout, stderr } = await runLogbook(['token', ...words], scene.deployment.environment);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/./)]);
  });

  it('are explained in the help, with an example', async () =>
    expect((await issue('--help')).stdout).toMatch(/Example:\n +logbook token issue/));
});

describe('the token of the first system administrator', () => {
  const scene = accountingServing(embedded, { LOGBOOK_ACCOUNTING_ADMIN_TOKEN: '' });

  it('is generated and stored if none is given, and can be revoked', async () => {
    const file = await readFile(join(scene.deployment.dataDirectory, 'credentials.json'), 'utf8');
    const { LOGBOOK_ACCOUNTING_ADMIN_TOKEN: token = '' } = JSON.parse(file) as Record<string, string>;
    const client = scene.withToken(token);
    expect((await client.get(SYSTEM_ONLY)).status).toBe(200);
    await scene.restart();
    const restarted = scene.withToken(token);
    expect((await restarted.get(SYSTEM_ONLY)).status).toBe(200);
    const { json } = await scene.root.get('/ops/keys', { key: OPERATOR });
    const key = (json as { items: { id: string; service: string; role: string }[] }).items.find(({ service }) => service === 'accounting');
    expect(key?.role).toBe('system_admin');
    expect((await scene.root.delete(`/ops/keys/${key?.id}`, { key: OPERATOR })).status).toBe(204);
    expect((await restarted.get(SYSTEM_ONLY)).status).toBe(401);
    expect(scene.server.lines.join('\n')).not.toContain(token);
  });
});
