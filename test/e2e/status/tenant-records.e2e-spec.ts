import { beforeAll, describe, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { type Answer, idOf, recordsOf } from '#test/support/status-client.js';
import { conflict, listOf, notFound, pretty, UNKNOWN_ID, UUID } from './contract.js';

const INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe('Tenants', () => {
  const scene = serving(embedded);
  const keys: Record<string, string> = { super_admin: ADMIN };
  beforeAll(async () => {
    for (const role of ['super_admin_restricted', 'super_admin_ui']) keys[role] = (await issueKey(scene.root, 'status', role)).key;
  });
  const createTenant = (body: unknown) => scene.status.post('/admin/tenants', { key: ADMIN, body });
  const tenantOf = async (answer: Answer) => recordsOf(await scene.status.get(`/admin/tenants/${idOf(answer)}`, { key: ADMIN }))[0];

  const info = (name: string) => ({ name, email: `${name}@example.org`, description: 'd <&>', image: 'i', website: 'w' });
  const store = { store: 'ar', server: '10.0.0.1', port: 27017, database: 'db', username: 'u', password: 'database-password-1' };

  it('show all members in order, with ids and times of the server', async () => {
    const body = {
      id: UNKNOWN_ID,
      info: { ...info('complete'), created: '1999-01-01 00:00:00', updated: 'never' },
      db_conf: [store, { ...store, store: 'status', port: 0 }],
      topology: { type: 'GOCDB', feed: 'gocdb.example' },
      users: [
        { id: UNKNOWN_ID, name: 'ann', email: 'ann@example.org', api_key: 'complete-ann-secret', roles: ['admin', 'viewer'] },
        { name: 'bob', roles: [] },
        { name: 'cyd', email: 'c', api_key: '' },
      ],
    };
    const before = Math.floor(Date.now() / 1000) * 1000;
    const answer = await createTenant(body);
    const id = idOf(answer);
    const self = `http://${new URL(scene.server.url).host}/api/v2/admin/tenants/${id}`;
    expect(answer.text).toBe(
      pretty({ status: { message: 'Tenant was successfully created', code: '201' }, data: { id, links: { self } } }),
    );

    const read = await scene.status.get(`/admin/tenants/${id}`, { key: ADMIN });
    type Stored = { info: { created: string; updated: string }; users: { id: string; api_key: string }[] };
    const stored = recordsOf(read)[0] as Stored;
    const { created, updated } = stored.info;
    expect([created, updated]).toEqual([expect.stringMatching(INSTANT), created]);
    expect(Date.parse(`${created.replace(' ', 'T')}Z`)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(`${created.replace(' ', 'T')}Z`)).toBeLessThanOrEqual(Date.now());
    const [ann, bob, cyd] = stored.users;
    expect(new Set([id, ann?.id, bob?.id, cyd?.id, UNKNOWN_ID]).size).toBe(5);
    for (const one of [id, ann?.id, bob?.id, cyd?.id]) expect(one).toMatch(UUID);
    for (const user of [bob, cyd]) expect(user?.api_key).toMatch(/^[0-9a-f]{64}$/);
    expect(bob?.api_key).not.toBe(cyd?.api_key);
    const record = {
      id,
      info: { ...info('complete'), created, updated },
      db_conf: body.db_conf,
      topology: body.topology,
      users: [
        { id: ann?.id, name: 'ann', email: 'ann@example.org', api_key: 'complete-ann-secret', roles: ['admin', 'viewer'] },
        { id: bob?.id, name: 'bob', email: '', api_key: bob?.api_key },
        { id: cyd?.id, name: 'cyd', email: 'c', api_key: cyd?.api_key },
      ],
    };
    expect(read.text).toBe(pretty(listOf(record)));
    expect((await scene.status.get('/weights', { key: 'complete-ann-secret' })).status).toBe(200);
    expect((await scene.status.get('/weights', { key: bob?.api_key })).status).toBe(403);
  });

  it('leave out an empty list of users and fill in the rest', async () => {
    for (const body of [{ info: { name: 'empty 1' } }, { info: { name: 'empty 2' }, db_conf: [], users: [], topology: null }]) {
      const tenant = await tenantOf(await createTenant(body));
      expect(Object.keys(tenant ?? {})).toEqual(['id', 'info', 'db_conf', 'topology']);
      expect(tenant).toMatchObject({
        topology: { type: '', feed: '' },
        info: { ...body.info, email: '', description: '', image: '', website: '' },
      });
    }
  });

  it('have names and keys of their own', async () => {
    const user = (api_key: string) => ({ name: 'u', api_key, roles: ['viewer'] });
    expect((await createTenant({ info: { name: 'one' }, users: [user('key-1'), user('key-2')] })).status).toBe(201);
    const keyTaken = (key: string) => conflict(`More than one users found using the key: ${key}`);
    for (const [body, error] of [
      [{ info: { name: 'one' }, users: [user('key-1')] }, conflict('Tenant with same name already exists')],
      [{ info: { name: 'two' }, users: [user('new'), user('key-2'), user('key-1')] }, keyTaken('key-2')],
      [{ info: { name: 'two' }, users: [user('<key>'), user('<key>')] }, keyTaken('<key>')],
    ] as const) {
      const answer = await createTenant(body);
      expect([answer.status, answer.text]).toEqual([409, pretty(error)]);
    }
    expect((await createTenant({ info: { name: 'One' }, users: [user('new'), user('KEY-1')] })).status).toBe(201);
    const racing = await Promise.all(
      Array.from({ length: 20 }, (_, index) => createTenant({ info: { name: `race ${index}` }, users: [user('wanted')] })),
    );
    expect(racing.filter(({ status }) => status === 201).length).toBe(1);
    expect(racing.filter(({ status }) => status === 409).length).toBe(19);
  });

  it('are shown to each kind of administrator in its own form, in the order of their creation', async () => {
    const ui = { name: 'ui', email: 'e', api_key: 'seen-ui', roles: ['viewer', 'admin_ui'] };
    const seen = await createTenant({
      info: info('seen'),
      db_conf: [store],
      users: [{ ...ui, name: 'hidden', api_key: 'seen-hidden', roles: ['admin'] }, ui],
    });
    const unseen = await createTenant({
      info: info('unseen'),
      db_conf: [store],
      topology: { type: 't', feed: 'f' },
      users: [{ ...ui, api_key: 'unseen-1', roles: ['viewer'] }],
    });
    const list = async (role: string) => recordsOf(await scene.status.get('/admin/tenants', { key: keys[role] }));
    const all = await list('super_admin');
    const names = all.map((tenant) => (tenant.info as { name: string }).name);
    expect(names.slice(0, 2)).toEqual(['complete', 'empty 1']);
    expect(names.slice(-2)).toEqual(['seen', 'unseen']);

    expect(await list('super_admin_restricted')).toEqual(all.map(({ id, info, topology }) => ({ id, info, topology })));
    const uiOf = (tenant: (typeof all)[number]) =>
      ((tenant.users ?? []) as { roles?: string[] }[]).filter(({ roles }) => roles?.includes('admin_ui'));
    const reduced = all
      .filter((tenant) => uiOf(tenant).length > 0)
      .map((tenant) => ({ id: tenant.id, info: tenant.info, topology: tenant.topology, users: uiOf(tenant) }));
    expect(await list('super_admin_ui')).toEqual(reduced);
    expect(reduced.map(({ id }) => id)).toContain(idOf(seen));

    for (const [answer, id] of [
      [seen, 0],
      [unseen, 1],
    ] as const) {
      const [full] = all.slice(-2 + id);
      const single = async (role: string) => (await scene.status.get(`/admin/tenants/${idOf(answer)}`, { key: keys[role] })).text;
      expect(await single('super_admin')).toBe(pretty(listOf(full)));
      expect(await single('super_admin_restricted')).toBe(pretty(listOf({ id: full?.id, info: full?.info, topology: full?.topology })));
      expect(await single('super_admin_ui')).toBe(pretty(answer === seen ? listOf(reduced.at(-1)) : notFound));
    }
  });

  it('are created once for an Idempotency-Key, with the keys generated the first time', async () => {
    const call = { key: ADMIN, body: { info: { name: 'intended' }, users: [{ name: 'u' }] }, headers: { 'idempotency-key': 'tenant' } };
    const answers = [await scene.status.post('/admin/tenants', call), await scene.status.post('/admin/tenants', call)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect((await scene.status.post('/admin/tenants', { ...call, body: { info: { name: 'else' } } })).status).toBe(422);
  });
});
