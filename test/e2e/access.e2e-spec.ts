import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, embedded, OPERATOR } from '../support/deployments.js';
import { type Answer, idOf, recordsOf } from '../support/status-client.js';
import { conflict, DATED, forbidden, listOf, notFound, pretty, UNKNOWN_ID, UUID, unauthorized, weights } from './contract.js';
import { serving } from './serving.js';

const TENANT_ROLES = ['admin', 'editor', 'viewer', 'admin_ui'] as const;
const ADMINISTRATOR_ROLES = ['super_admin', 'super_admin_restricted', 'super_admin_ui'] as const;
const INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const PROBLEM = 'application/problem+json';

type Caller = string;
/** A harmless request: what it answers to a caller whose role is allowed. */
type Route = readonly [method: string, path: string, allowed: readonly Caller[], status: number];

const readers: readonly Caller[] = [...TENANT_ROLES, 'viewer and editor', 'nonsense and viewer'];
const writers: readonly Caller[] = ['admin', 'editor', 'viewer and editor'];
const routes: readonly Route[] = [
  ...DATED.flatMap((resource): Route[] => [
    ['GET', `/${resource}`, readers, 200],
    ['GET', `/${resource}/${UNKNOWN_ID}`, readers, 404],
    ['POST', `/${resource}`, writers, 400],
    ['PUT', `/${resource}/${UNKNOWN_ID}`, writers, resource === 'weights' ? 404 : 400],
    ['DELETE', `/${resource}/${UNKNOWN_ID}`, writers, 404],
  ]),
  ['GET', '/admin/tenants', ADMINISTRATOR_ROLES, 200],
  ['GET', `/admin/tenants/${UNKNOWN_ID}`, ADMINISTRATOR_ROLES, 404],
  ['POST', '/admin/tenants', ['super_admin'], 400],
];
/** Keys of the tenants' store, by caller: the roles of the user. */
const users: Readonly<Record<Caller, readonly string[]>> = {
  ...Object.fromEntries(TENANT_ROLES.map((role) => [role, [role]])),
  'viewer and editor': ['viewer', 'editor'],
  'nonsense and viewer': ['nonsense', 'viewer'],
  'no role': [],
  'a role in capitals': ['ADMIN'],
  'an administrator role': ['super_admin'],
};

const contentTypeOf = ({ headers }: Answer) => headers.get('content-type')?.split(';')[0];

describe('access', () => {
  const scene = serving(embedded, { LOGBOOK_ACCESS_LOG: 'true', LOGBOOK_LOG_LEVEL: 'debug' });
  const keys: Record<Caller, string> = { 'wrong key': 'wrong', 'empty key': '', 'operations key': OPERATOR };

  const issue = async (service: string, role: string, name = role): Promise<{ id: string; key: string }> => {
    const answer = await scene.root.post('/ops/keys', { key: OPERATOR, body: { service, role, name } });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json as { id: string; key: string };
  };
  const createTenant = (body: unknown) => scene.status.post('/admin/tenants', { key: ADMIN, body });
  const tenantOf = async (answer: Answer) => recordsOf(await scene.status.get(`/admin/tenants/${idOf(answer)}`, { key: ADMIN }))[0];

  beforeAll(async () => {
    for (const role of ADMINISTRATOR_ROLES) keys[role] = (await issue('status', role)).key;
    keys.auditor = (await issue('ops', 'auditor')).key;
    for (const caller of Object.keys(users)) keys[caller] = `access-${caller}-key`;
    const body = { info: { name: 'access' }, users: Object.entries(users).map(([name, roles]) => ({ name, api_key: keys[name], roles })) };
    expect((await createTenant(body)).status).toBe(201);
  });

  describe.each(routes)('%s %s', (method, path, allowed, success) => {
    const ofAdministrators = path.startsWith('/admin');
    const isKnown = (caller: Caller) => (ofAdministrators ? ADMINISTRATOR_ROLES.some((role) => role === caller) : caller in users);
    const expected = (caller: Caller) => (allowed.includes(caller) ? success : isKnown(caller) ? 403 : 401);

    it('lets in the roles of the table and nobody else', async () => {
      const answers: Record<Caller, number> = {};
      for (const [caller, key] of Object.entries({ ...keys, 'no key': undefined })) {
        const answer = await scene.status.call(method, path, { key });
        answers[caller] = answer.status;
        if (answer.status === 401) expect(answer.text).toBe(pretty(unauthorized));
        if (answer.status === 403) expect(answer.text).toBe(pretty(forbidden));
      }
      expect(answers).toEqual(Object.fromEntries(Object.keys(answers).map((caller) => [caller, expected(caller)])));
      expect(Object.keys(answers).length).toBe(17);
    });

    it('takes no key from the query or from another header', async () => {
      const key = ofAdministrators ? ADMIN : (keys.admin ?? '');
      for (const answer of [
        await scene.status.call(method, `${path}?x-api-key=${key}&key=${key}`),
        await scene.status.call(method, path, { headers: { authorization: `Bearer ${key}` } }),
        await scene.status.call(method, path, { key: `${key} x` }),
        await scene.status.call(method, path, { key: key.toUpperCase() }),
      ])
        expect(answer.status).toBe(401);
    });
  });

  describe('tenants', () => {
    const info = (name: string) => ({ name, email: `${name}@example.org`, description: 'd <&>', image: 'i', website: 'w' });
    const store = { store: 'ar', server: '10.0.0.1', port: 27017, database: 'db', username: 'u', password: 'database-password-1' };

    it('read back with all members in order; what the server sets, it sets', async () => {
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
      const self = `https://${new URL(scene.server.url).host}/api/v2/admin/tenants/${id}`;
      expect(answer.text).toBe(
        pretty({ status: { message: 'Tenant was successfully created', code: '201' }, data: { id, links: { self } } }),
      );

      const read = await scene.status.get(`/admin/tenants/${id}`, { key: ADMIN });
      type Stored = { info: { created: string; updated: string }; users: { id: string; api_key: string }[] };
      const stored = recordsOf(read)[0] as unknown as Stored;
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

    it('omit what is empty and fill the rest', async () => {
      for (const body of [{ info: { name: 'empty 1' } }, { info: { name: 'empty 2' }, db_conf: [], users: [], topology: null }]) {
        const tenant = await tenantOf(await createTenant(body));
        expect(Object.keys(tenant ?? {})).toEqual(['id', 'info', 'topology']);
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
        [{ info: { name: 'one' } }, conflict('Tenant with same name already exists')],
        [{ info: { name: 'one' }, users: [user('key-1')] }, conflict('Tenant with same name already exists')],
        [{ info: { name: 'two' }, users: [user('new'), user('key-2'), user('key-1')] }, keyTaken('key-2')],
        [{ info: { name: 'two' }, users: [user('same'), user('other'), user('same'), user('other')] }, keyTaken('same')],
        [{ info: { name: 'two' }, users: [user('late'), user('key-1'), user('late')] }, keyTaken('late')],
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

    it('look different to each kind of administrator, in the order of their creation', async () => {
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
      expect(names.slice(0, 2)).toEqual(['access', 'complete']);
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

    it('are created once for an Idempotency-Key, with the keys that were generated the first time', async () => {
      const call = { key: ADMIN, body: { info: { name: 'intended' }, users: [{ name: 'u' }] }, headers: { 'idempotency-key': 'tenant' } };
      const answers = [await scene.status.post('/admin/tenants', call), await scene.status.post('/admin/tenants', call)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[1]?.text).toBe(answers[0]?.text);
      expect((await scene.status.post('/admin/tenants', { ...call, body: { info: { name: 'else' } } })).status).toBe(422);
    });
  });

  describe('/ops/keys', () => {
    const expectProblem = (answer: Answer, status: number): { errors?: { member: string }[] } => {
      expect([answer.status, contentTypeOf(answer)]).toEqual([status, PROBLEM]);
      const body = answer.json as { errors?: { member: string }[] };
      expect(body).toMatchObject({
        type: expect.any(String),
        title: expect.any(String),
        status,
        detail: expect.any(String),
        instance: answer.headers.get('x-request-id'),
      });
      return body;
    };

    it('shows a key once, lists it without, and takes it back at once', async () => {
      const { id, key, ...rest } = await issue('status', 'super_admin_restricted', 'console');
      expect(rest).toEqual({ service: 'status', role: 'super_admin_restricted', name: 'console' });
      const reader = keys.auditor;
      const listed = await scene.root.get('/ops/keys', { key: reader });
      expect((listed.json as { items: object[] }).items).toContainEqual({
        id,
        ...rest,
        issuedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      expect(listed.text).not.toContain(key);

      expect((await scene.status.get('/admin/tenants', { key })).status).toBe(200);
      const revoked = await scene.root.delete(`/ops/keys/${id}`, { key: OPERATOR });
      expect([revoked.status, revoked.text]).toEqual([204, '']);
      expect((await scene.status.get('/admin/tenants', { key })).status).toBe(401);
      expect((await scene.root.get('/ops/keys', { key: OPERATOR })).text).not.toContain(id);
      expectProblem(await scene.root.delete(`/ops/keys/${id}`, { key: OPERATOR }), 404);
    });

    it('is for keys of operators; auditors read', async () => {
      const body = { service: 'status', role: 'super_admin', name: 'n' };
      for (const [method, path, call] of [
        ['GET', '/ops/keys', {}],
        ['POST', '/ops/keys', { body }],
        ['DELETE', `/ops/keys/${UNKNOWN_ID}`, {}],
      ] as const) {
        for (const key of [undefined, '', 'wrong', ADMIN, keys.admin, keys.super_admin])
          expectProblem(await scene.root.call(method, path, { ...call, key }), 401);
        const byAuditor = await scene.root.call(method, path, { ...call, key: keys.auditor });
        if (method === 'GET') expect(byAuditor.status).toBe(200);
        else expectProblem(byAuditor, 403);
      }
    });

    it('says what is wrong, member by member', async () => {
      for (const [body, members] of [
        ['{', undefined],
        ['', undefined],
        ['[]', undefined],
        ['null', undefined],
        [{}, ['name', 'role', 'service']],
        [{ service: 'status', role: 'super_admin' }, ['name']],
        [{ service: 'status', role: 'super_admin', name: '' }, ['name']],
        [{ service: 5, role: 'super_admin', name: 'n' }, ['service']],
        [{ service: 'nothing', role: 'super_admin', name: 'n' }, ['service']],
        [{ service: 'toString', role: 'super_admin', name: 'n' }, ['service']],
        [{ service: 'ops', role: 'super_admin', name: 'n' }, ['role']],
      ] as const) {
        const { errors } = expectProblem(await scene.root.post('/ops/keys', { key: OPERATOR, body }), 400);
        expect([body, errors?.map(({ member }) => member).sort()]).toEqual([body, members]);
      }
      expectProblem(await scene.root.get('/ops/nothing', { key: OPERATOR }), 404);
      expectProblem(await scene.root.call('PATCH', '/ops/keys', { key: OPERATOR }), 405);
    });
  });

  it('leaves no secret in the lines of the server nor in the bytes of the log', async () => {
    const secrets = [
      'complete-ann-secret',
      'database-password-1',
      'key-1',
      ADMIN,
      OPERATOR,
      ...Object.values(keys).filter((key) => key.length > 5),
    ];
    await scene.status.post('/weights', { key: keys.admin, body: weights('A NAME THAT IS NO SECRET') });
    await scene.status.get('/weights', { key: 'a wrong secret' });
    await scene.status.post('/admin/tenants', { key: ADMIN, body: '{"users":[{"api_key":"a broken secret"' });
    const lines = scene.server.lines.join('\n');
    expect(lines).toContain('"path":"/api/v2/weights"');
    for (const secret of [...secrets, 'a wrong secret', 'a broken secret']) expect(lines).not.toContain(secret);

    const folder = join(scene.deployment.dataDirectory, 'log');
    const files = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((entry) => entry.isFile());
    const bytes = Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))));
    expect(bytes.includes('A NAME THAT IS NO SECRET')).toBe(true); // the search finds what is there
    for (const secret of secrets) expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
  });
});
