import { describe, expect, it } from '@jest/globals';
import { accountCalls, made, type User } from '#test/e2e/messaging/accounts/accounts.js';
import { serving } from '#test/e2e/serving.js';
import { accountingClient } from '#test/support/accounting/accounting-client.js';
import { ADMIN, dropReadModels, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { OIDC_TENANT } from '#test/support/oidc/oidc-tenant.js';
import { registerTenant } from '#test/support/status-client.js';

describe('erased data as auditors see them', () => {
  const scene = serving(embedded);
  const ops = (path: string) => scene.root.get(path, { key: OPERATOR });
  const admin = (method: 'POST' | 'PUT', path: string, body: object) =>
    scene.status.call(method, `/admin/tenants${path}`, { key: ADMIN, body });
  const idIn = ({ json }: Readonly<{ json: unknown }>): string => (json as { data: { id: string } }).data.id;
  const read = async (kind: string, id: string): Promise<unknown[]> => {
    const found = await eventually(() => ops(`/audit/resources/status/${kind}/${id}?personal=true`)).until(({ status }) => status === 200);
    return (found.json as { versions: { value: unknown }[] }).versions.map(({ value }) => value);
  };

  const requestedBy = async (key: string): Promise<string> => {
    const body = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-02T01:00:00Z', reason: 'r', report: 'R' };
    const requester = { requester_name: 'Ada', requester_email: 'ada@example.org' };
    return idIn(await scene.status.post('/recomputations', { key, body: { ...body, ...requester } }));
  };

  it('stay apart from what was never given, also after another change and in a history that is built again', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'erasing', ['admin']);
    const user = idIn(await admin('POST', `/${tenant}/users`, { name: 'Ada', roles: ['viewer'] }));
    const recomputation = await requestedBy('erasing-admin');
    for (const [kind, id] of [
      ['user', user],
      ['recomputation', recomputation],
    ])
      await scene.root.post('/ops/erasures', { key: OPERATOR, body: { service: 'status', kind, id, reason: 'r' } });
    await eventually(async () => JSON.stringify([await read('user', user), await read('recomputation', recomputation)])).until(
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

  const erase = async (service: string, kind: string, id: string): Promise<string> => {
    const answer = await scene.root.post('/ops/erasures', { key: OPERATOR, body: { service, kind, id, reason: 'r' } });
    expect(answer.status).toBe(202);
    return (answer.json as { href: string }).href;
  };
  const isDone = (href: string) => eventually(() => ops(href)).until(({ json }) => (json as { state: string }).state === 'done');
  /** Neither a right guess nor a wrong one is written, and the answers are alike. */
  const expectSame404 = (...answers: readonly Readonly<{ status: number; text: string }>[]): void => {
    const [first] = answers;
    expect(first?.status).toBe(404);
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [404, first?.text]));
  };

  it('cannot be written once the erasure is answered, and no answer tells whether a caller guessed those of a user', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'guessing', ['admin']);
    const given = { name: 'Cy', email: 'cy@example.org', roles: ['viewer'], api_key: 'cys-key' };
    const other = { ...given, name: 'Dee' };
    const user = idIn(await admin('POST', `/${tenant}/users`, given));
    await admin('PUT', `/${tenant}/users/${user}`, given);
    const whole = (body: object) => admin('PUT', `/${tenant}`, { info: { name: 'guessing' }, users: [body] });
    await eventually(() => whole(given)).until(({ status }) => status === 200);
    await erase('status', 'user', user);
    expectSame404(await whole(given), await whole(other));
    expectSame404(await admin('PUT', `/${tenant}/users/${user}`, given), await admin('PUT', `/${tenant}/users/${user}`, other));
    expect((await scene.status.get(`/admin/tenants/${tenant}/users/${user}`, { key: ADMIN })).text).not.toMatch(/Cy|cy@|Dee/);
  });

  it('of the users of a tenant cannot be written as soon as the erasure of the tenant is answered', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'leaving', []);
    const user = { name: 'Eve', email: 'eve@example.org', roles: ['component_a'], component: 'a' };
    const id = idIn(await admin('POST', `/${tenant}/users`, user));
    await erase('status', 'tenant', tenant);
    const answers = [
      await admin('PUT', `/${tenant}/users/${id}`, user),
      await admin('POST', `/${tenant}/users/${id}/renew_api_key`, {}),
      await admin('POST', `/${tenant}/users`, user),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('of recomputations are erased before the erasure of their tenant is done', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'closing', ['admin']);
    const recomputation = await requestedBy('closing-admin');
    await isDone(await erase('status', 'tenant', tenant));
    expect(await read('recomputation', recomputation)).toMatchObject([{ requester_name: '[erased]', requester_email: '[erased]' }]);
    const { items } = (await ops('/ops/erasures')).json as { items: object[] };
    expect(items).toContainEqual(expect.objectContaining({ kind: 'recomputation', subject: recomputation, state: 'done' }));
  });

  it('of a registration are erased before the erasure of the user that was made from it is done', async () => {
    const accounts = accountCalls(scene);
    const person = { first_name: 'Finn', last_name: 'Leaver', organization: 'Former', email: 'finn@example.org' };
    const { uuid: registration } = await accounts.registration('leaver', person);
    const { uuid: user } = await made<User>(accounts.post(`/registrations/${registration}:accept`));
    await isDone(await erase('messaging', 'user', user));
    const { json } = await accounts.get(`/registrations/${registration}`);
    expect(json).toMatchObject({ name: 'leaver', first_name: '', last_name: '', organization: '', email: '', status: 'accepted' });
    const { items } = (await ops('/ops/erasures')).json as { items: object[] };
    expect(items).toContainEqual(expect.objectContaining({ kind: 'registration', subject: registration, state: 'done' }));
  });

  it('are not told by writes of push settings and of an issuer', async () => {
    const messaging = (method: string, path: string, body: object) =>
      scene.root.call(method, `/v1/projects/guessing${path}`, { headers: { 'x-api-key': SERVICE_TOKEN }, body });
    await messaging('POST', '', {});
    await messaging('PUT', '/topics/t', {});
    const pushed = (mattermostUrl: string) => ({ pushConfig: { type: 'mattermost', mattermostUrl } });
    await messaging('PUT', '/subscriptions/s', { topic: 'projects/guessing/topics/t', ...pushed('https://chat.example.org/right') });
    const created = await eventually(async () => {
      const { json } = await scene.root.get('/audit/events?type=SubscriptionCreated', { key: OPERATOR });
      return (json as { items: { data: { subscriptionId: string } }[] }).items;
    }).until((items) => items.length > 0);
    const modify = (url: string) => messaging('POST', '/subscriptions/s:modifyPushConfig', pushed(url));
    expect((await modify('https://chat.example.org/right')).status).toBe(200);
    await erase('messaging', 'subscription', created[0]?.data.subscriptionId ?? '');
    expectSame404(await modify('https://chat.example.org/right'), await modify('https://chat.example.org/wrong'));

    const accounting = accountingClient(scene.server.url, SYSTEM_ADMIN);
    const issuer = await accounting.post('/admin/oidc-tenants', { issuer: 'https://issuer.example.org', ...OIDC_TENANT });
    const { id } = issuer.json as { id: string };
    const guess = (secret: string) => accounting.patch(`/admin/oidc-tenants/${id}`, { secret });
    expect((await guess(OIDC_TENANT.secret)).status).toBe(200);
    await erase('accounting', 'oidc_tenant', id);
    expectSame404(await guess(OIDC_TENANT.secret), await guess('wrong'));
  });
});
