import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, messageOf, notFound, UNKNOWN_ID, UUID, weights } from '#test/e2e/status/contract.js';
import { administration, expectBody, KEY, keyTaken, nameTaken, UPDATED, user } from '#test/e2e/status/tenant-calls.js';
import { ADMIN, bothDeployments, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf } from '#test/support/status-client.js';

describe.each(bothDeployments)('A tenant on %s', (_name, open) => {
  const scene = serving(open);
  const admin = administration(scene);

  it('is created, revised with its users, and deleted', async () => {
    const id = await admin.created('life', user('ann', 'life-ann'), user('bob', 'life-bob'));
    const [ann, bob] = await admin.usersOf(id);
    expect((await scene.status.post('/weights', { key: 'life-ann', body: weights('of life') })).status).toBe(201);

    expect((await admin.put(id, { info: { name: 'life 2' }, users: [user('cyd', 'life-cyd'), user('ann 2', 'life-ann')] })).text).toBe(
      UPDATED,
    );
    const revised = await admin.one(id);
    expect(revised.info.name).toBe('life 2');
    expect(revised.users?.map((one) => [one.id === ann?.id, one.name])).toEqual([
      [false, 'cyd'],
      [true, 'ann 2'],
    ]);
    expect([await admin.statusFor('life-ann'), await admin.statusFor('life-bob'), await admin.statusFor('life-cyd')]).toEqual([
      200, 401, 200,
    ]);
    expectBody(await scene.status.get(`/admin/users:byID/${bob?.id}`, { key: ADMIN }), 404, notFound);

    const dan = idOf(await admin.post(id, '/users', user('dan')));
    const renewal = await admin.post(id, `/users/${dan}/renew_api_key`);
    const { api_key } = (renewal.json as { data: { api_key: string } }).data;
    expect(await admin.statusFor(api_key)).toBe(200);
    expect((await admin.remove(id, `/users/${dan}`)).status).toBe(200);
    expect(await admin.statusFor(api_key)).toBe(401);
    expect((await admin.put(id, { engine_config: true }, '/status')).status).toBe(200);

    await scene.restart();
    expect(await admin.one(id)).toMatchObject({ id, info: { name: 'life 2' }, users: [{ name: 'cyd' }, { name: 'ann 2', id: ann?.id }] });
    expect((await admin.get(id, '/status')).json).toMatchObject({ data: [{ status: { engine_config: true } }] });

    expectBody(await admin.remove(id), 200, messageOf('Tenant Successfully Deleted'));
    expect([await admin.statusFor('life-ann'), await admin.statusFor('life-cyd')]).toEqual([401, 401]);
    for (const rest of ['', '/status', '/users', `/users/${ann?.id}`]) expectBody(await admin.get(id, rest), 404, notFound);
    expectBody(await scene.status.get(`/admin/users:byID/${ann?.id}`, { key: ADMIN }), 404, notFound);
    expectBody(await admin.remove(id), 404, notFound);

    const again = await admin.created('life 2', user('ann', 'life-ann'));
    expect(again).not.toBe(id);
    expect(recordsOf(await scene.status.get('/weights', { key: 'life-ann' }))).toEqual([]);
  });
});

describe('An api key beyond ASCII', () => {
  const scene = serving(embedded);
  const admin = administration(scene);

  it('is accepted in UTF-8 and in Latin-1', async () => {
    const [polyglot, clé] = ['ключ 🗝 clé', 'clé'];
    await admin.created('polyglot', user('ann', polyglot), user('bob', clé));
    const asUtf8 = (key: string) => Buffer.from(key).toString('latin1');
    expect([await admin.statusFor(asUtf8(polyglot)), await admin.statusFor(asUtf8(clé)), await admin.statusFor(clé)]).toEqual([
      200, 200, 200,
    ]);
    expect([await admin.statusFor(asUtf8('ключ')), await admin.statusFor('clè')]).toEqual([401, 401]);
  });
});

describe('A revision of a tenant', () => {
  const scene = serving(embedded);
  const admin = administration(scene);
  const database = { store: 'ar', server: 's', port: 1, database: 'd', username: 'u', password: 'p' };

  it('replaces everything but the id, the time of creation and the ids of users who keep their key', async () => {
    const id = await admin.created('put', user('ann', 'put-ann'), user('bob', 'put-bob'), user('cyd', 'put-cyd'));
    const before = await admin.one(id);
    const [ann, bob, cyd] = before.users ?? [];
    const info = { name: 'put 2', email: 'e', description: 'd', image: 'i', website: 'w' };
    const topology = { type: 't', feed: 'f' };
    const body = {
      id: UNKNOWN_ID,
      info: { ...info, created: 'never', updated: 'never' },
      db_conf: [database],
      topology,
      users: [
        { id: ann?.id, name: 'dan', api_key: 'put-dan', roles: ['viewer'] },
        { id: UNKNOWN_ID, name: '', api_key: 'put-cyd' },
        { id: bob?.id, name: 'eve', email: 'e' },
        { id: bob?.id, name: 'fay', api_key: '' },
        { name: 'ann again', email: 'new', api_key: 'put-ann', roles: ['viewer', 'editor'] },
      ],
    };
    expectBody(await admin.put(id, body), 200, messageOf('Tenant successfully updated'));
    const answer = await admin.get(id);
    const { created, updated } = (await admin.one(id)).info;
    expect(created).toBe(before.info.created);
    expect(updated >= created).toBe(true);
    const [dan, , eve, fay] = await admin.usersOf(id);
    for (const one of [dan, eve, fay]) {
      expect(one?.id).toMatch(UUID);
      expect([ann?.id, bob?.id, cyd?.id, UNKNOWN_ID]).not.toContain(one?.id);
    }
    for (const one of [eve, fay]) expect(one?.api_key).toMatch(KEY);
    expect(eve?.api_key).not.toBe(fay?.api_key);
    const record = {
      id,
      info: { ...info, created, updated },
      db_conf: [database],
      topology,
      users: [
        { id: dan?.id, name: 'dan', email: '', api_key: 'put-dan', roles: ['viewer'] },
        { id: cyd?.id, name: '', email: '', api_key: 'put-cyd' },
        { id: eve?.id, name: 'eve', email: 'e', api_key: eve?.api_key },
        { id: fay?.id, name: 'fay', email: '', api_key: fay?.api_key },
        { id: ann?.id, name: 'ann again', email: 'new', api_key: 'put-ann', roles: ['viewer', 'editor'] },
      ],
    };
    expectBody(answer, 200, listOf(record));
    expect((await scene.status.post('/weights', { key: 'put-dan', body: {} })).status).toBe(403);
    expect((await scene.status.post('/weights', { key: 'put-ann', body: weights('w') })).status).toBe(201);
    expect(await admin.statusFor('put-bob')).toBe(401);
    expect(await admin.statusFor('put-cyd')).toBe(403);

    expect((await admin.put(id, { info: { name: 'put 2' } })).status).toBe(200);
    expect(Object.keys(await admin.one(id))).toEqual(['id', 'info', 'db_conf', 'topology']);
    expect((await admin.one(id)).info).toMatchObject({ email: '', description: '', image: '', website: '', created });
    expect((await admin.put(id, null)).status).toBe(200);
    expect((await admin.one(id)).info.name).toBe('');
    await admin.put(id, { info: { name: 'put 3' } });
  });

  it('is refused for keys of others and repeated keys, then for a name in use', async () => {
    await admin.created('rival');
    await admin.created('holder', user('h', 'held'));
    const id = await admin.created('wanting', user('w', 'wanting-1'), user('v', 'wanting-2'));
    const before = await admin.get(id);
    for (const [name, users, error] of [
      ['holder', [user('a', 'new'), user('b', 'held')], keyTaken('held')],
      ['wanting', [user('a', 'wanting-1'), user('b', 'wanting-1')], keyTaken('wanting-1')],
      ['wanting', [user('a', 'twice'), user('b', 'held'), user('c', 'twice')], keyTaken('twice')],
      ['holder', [user('a', 'wanting-2')], nameTaken],
      ['rival', [], nameTaken],
    ] as const)
      expectBody(await admin.put(id, { info: { name }, users }), 409, error);
    expect((await admin.get(id)).text).toBe(before.text);
  });

  it('is refused for malformed bodies', async () => {
    const id = await admin.created('shape');
    for (const body of ['', '[]', '"x"', '{}x', { info: [] }, { db_conf: [{ port: '1' }] }, '{"db_conf":[{"port":1.5}]}', { users: {} }])
      expectBody(await admin.put(id, body), 400, malformed);
    const spelled = '{"INFO":{"Name":"shape 2","name":"shape 3"},"db_conf":null,"users":null,"other":1}';
    expect((await admin.put(id, spelled)).status).toBe(200);
    expect((await admin.one(id)).info.name).toBe('shape 3');
  });

  it('keeps the order of tenants and makes the old name free', async () => {
    const first = await admin.created('sequence 1');
    const second = await admin.created('sequence 2');
    await admin.put(first, { info: { name: 'sequence 3' } });
    const third = await admin.created('sequence 1');
    const ids = recordsOf(await scene.status.get('/admin/tenants', { key: ADMIN })).map(({ id }) => id);
    expect(ids.slice(-3)).toEqual([first, second, third]);
  });
});
