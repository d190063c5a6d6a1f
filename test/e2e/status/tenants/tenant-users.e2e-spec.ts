import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf, messageOf, notFound, UNKNOWN_ID, UUID } from '#test/e2e/status/contract.js';
import {
  administration,
  BROKEN,
  expectBody,
  holders,
  KEY,
  keyTaken,
  type Tenant,
  USER_UPDATED,
  type User,
  user,
  userNotFound,
} from '#test/e2e/status/tenant-calls.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf } from '#test/support/status-client.js';

describe('Users of tenants', () => {
  const scene = serving(embedded);
  const admin = administration(scene);
  const keys = holders(scene);

  const self = (id: string, userId: string) => `http://${new URL(scene.server.url).host}/api/v2/admin/tenants/${id}/users/${userId}`;

  it('are created with a generated key, whatever the body says', async () => {
    const id = await admin.created('hosting');
    expectBody(await admin.get(id, '/users'), 200, listOf());
    const creation = await admin.post(id, '/users?x=1', { id: UNKNOWN_ID, ...user('new', 'hosting-chosen', ['viewer']) });
    const userId = idOf(creation);
    expectBody(creation, 201, {
      status: { message: 'User was successfully created', code: '201' },
      data: { id: userId, links: { self: self(id, userId) } },
    });
    expect(userId).toMatch(UUID);
    expect(userId).not.toBe(UNKNOWN_ID);
    const [stored] = await admin.usersOf(id);
    expect(stored?.api_key).toMatch(KEY);
    const record = { id: userId, name: 'new', email: 'new@x', api_key: stored?.api_key, roles: ['viewer'] };
    expectBody(await admin.get(id, `/users/${userId}`), 200, listOf(record));
    expectBody(await admin.get(id, '/users'), 200, listOf(record));
    expect([await admin.statusFor(stored?.api_key), await admin.statusFor('hosting-chosen')]).toEqual([200, 401]);

    const plain = idOf(await admin.post(id, '/users', {}));
    const [, second] = await admin.usersOf(id);
    expectBody(await admin.get(id, `/users/${plain}`), 200, listOf({ id: plain, name: '', email: '', api_key: second?.api_key }));
    expect(await admin.statusFor(second?.api_key)).toBe(403);
  });

  it('are created once for an Idempotency-Key, and get one new key for another', async () => {
    const id = await admin.created('once');
    const headers = { 'idempotency-key': 'user once' };
    const answers = [await admin.post(id, '/users', user('o'), headers), await admin.post(id, '/users', user('o'), headers)];
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect((await admin.usersOf(id)).length).toBe(1);
    expect((await admin.post(id, '/users', user('other'), headers)).status).toBe(422);
    const rest = `/users/${answers[0] && idOf(answers[0])}/renew_api_key`;
    const renewals = [await admin.post(id, rest, undefined, headers), await admin.post(id, rest, undefined, headers)];
    expect(renewals[0]?.text).toBe(renewals[1]?.text);
    expect((await admin.post(id, rest)).text).not.toBe(renewals[0]?.text);
  });

  it('are changed in the members that are not empty in the body', async () => {
    const id = await admin.created('changing', user('c', 'changing-c', ['admin', 'viewer']));
    const [original] = await admin.usersOf(id);
    const rest = `/users/${original?.id}`;
    for (const [body, change] of [
      [{}, {}],
      [null, {}],
      [{ name: '', email: '', roles: [], api_key: '' }, {}],
      [{ name: null, roles: null }, {}],
      [{ id: UNKNOWN_ID, name: 'd' }, { name: 'd' }],
      [
        { email: 'd', roles: ['viewer'] },
        { email: 'd', roles: ['viewer'] },
      ],
      [{ api_key: 'changing-c' }, {}],
      [
        { api_key: 'changing-d', name: 'e' },
        { api_key: 'changing-d', name: 'e' },
      ],
    ] as const) {
      const [before] = await admin.usersOf(id);
      const answer = await admin.put(id, body, rest);
      expect([answer.status, answer.text]).toEqual([200, USER_UPDATED]);
      expect(await admin.usersOf(id)).toEqual([{ ...before, ...change }]);
    }
    expect([await admin.statusFor('changing-c'), await admin.statusFor('changing-d')]).toEqual([401, 200]);
    expect((await scene.status.post('/weights', { key: 'changing-d', body: {} })).status).toBe(403);
    for (const body of [{ api_key: 'roles-user' }, { api_key: 'roles-user', name: 'x' }])
      expectBody(await admin.put(id, body, rest), 409, keyTaken('roles-user'));
  });

  it('get a new key, and lose the old one', async () => {
    const id = await admin.created('renewing', user('r', 'renewing-r'));
    const [before] = await admin.usersOf(id);
    const renewal = await admin.post(id, `/users/${before?.id}/renew_api_key`, BROKEN);
    const [after] = await admin.usersOf(id);
    expectBody(renewal, 200, { status: { message: 'User api key succesfully renewed', code: '200' }, data: { api_key: after?.api_key } });
    expect(after?.api_key).toMatch(KEY);
    expect(after).toEqual({ ...before, api_key: after?.api_key });
    expect([await admin.statusFor('renewing-r'), await admin.statusFor(after?.api_key)]).toEqual([401, 200]);
    expect((await admin.put(id, { api_key: 'renewing-r' }, `/users/${before?.id}`)).status).toBe(200);
  });

  it('are removed, and their key can be used by others', async () => {
    const id = await admin.created('removing', user('a', 'removing-a'), user('b', 'removing-b'));
    const [a, b] = await admin.usersOf(id);
    expectBody(await admin.remove(id, `/users/${a?.id}`), 200, messageOf('User succesfully deleted'));
    expect(await admin.usersOf(id)).toEqual([b]);
    expect([await admin.statusFor('removing-a'), await admin.statusFor('removing-b')]).toEqual([401, 200]);
    expectBody(await admin.remove(id, `/users/${a?.id}`), 404, userNotFound);
    expectBody(await scene.status.get(`/admin/users:byID/${a?.id}`, { key: ADMIN }), 404, notFound);
    expect((await admin.put(id, { api_key: 'removing-a' }, `/users/${b?.id}`)).status).toBe(200);
    expect([await admin.statusFor('removing-a'), await admin.statusFor('removing-b')]).toEqual([200, 401]);
  });

  it('change the time of the tenant’s last update with every write', async () => {
    const writes = [
      (id: string, userId: string) => admin.put(id, {}, `/users/${userId}`),
      (id: string, userId: string) => admin.post(id, `/users/${userId}/renew_api_key`),
      (id: string) => admin.post(id, '/users', {}),
      (id: string, userId: string) => admin.remove(id, `/users/${userId}`),
    ];
    const tenants: Tenant[] = [];
    for (const index of writes.keys()) tenants.push(await admin.one(await admin.created(`moving ${index}`, user('m'))));
    const last = tenants.at(-1)?.info.updated ?? '';
    // The wire shows whole seconds.
    await eventually(async () => new Date().toISOString().slice(0, 19).replace('T', ' ')).until((now) => now > last);
    for (const [index, write] of writes.entries()) {
      const { id = '', info, users } = tenants[index] ?? {};
      await write(id, users?.[0]?.id ?? '');
      const { created, updated } = (await admin.one(id)).info;
      expect([index, created, updated > last]).toEqual([index, info?.created, true]);
    }
  });

  it('are found by their id in all tenants, as far as the caller may see them', async () => {
    const id = await admin.created('seen', user('plain', 'seen-plain', []), user('ui', 'seen-ui', ['viewer', 'admin_ui']));
    const [plain, ui] = await admin.usersOf(id);
    const byId = (one: User | undefined, role: string, query = '') =>
      scene.status.get(`/admin/users:byID/${one?.id}${query}`, { key: keys[role] });
    const without = ({ api_key: _, ...rest }: User) => rest;
    const enveloped = (one: unknown) => ({ status: { message: 'User was successfully retrieved', code: '200' }, data: [one] });
    if (!plain || !ui) throw new Error('no users');
    expect(Object.keys(plain)).toEqual(['id', 'name', 'email', 'api_key']);
    expect(Object.keys(ui)).toEqual(['id', 'name', 'email', 'api_key', 'roles']);
    for (const [one, role, visible] of [
      [plain, 'super_admin', plain],
      [ui, 'super_admin', ui],
      [plain, 'super_admin_restricted', without(plain)],
      [ui, 'super_admin_restricted', without(ui)],
      [plain, 'super_admin_ui', undefined],
      [ui, 'super_admin_ui', ui],
    ] as const) {
      for (const query of ['', '?export=', '?export=FLAT', '?export=json&export=flat'])
        expectBody(await byId(one, role, query), visible ? 200 : 404, visible ? enveloped(visible) : notFound);
      expectBody(await byId(one, role, '?export=flat&export=x'), visible ? 200 : 404, visible ?? notFound);
    }
  });

  it('never share a key, however many ask for it at the same time', async () => {
    const id = await admin.created('racing', ...Array.from({ length: 10 }, (_, index) => user(`${index}`, `racing-${index}`)));
    const users = await admin.usersOf(id);
    const answers = await Promise.all(users.map((one) => admin.put(id, { api_key: 'racing-wanted' }, `/users/${one.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect((await admin.usersOf(id)).filter(({ api_key }) => api_key === 'racing-wanted').length).toBe(1);
  });
});
