import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR } from '#test/support/deployments.js';
import { uncalled } from '#test/support/documents/all-routes.js';
import type { Answer } from '#test/support/status-client.js';
import { forbidden, pretty, UNKNOWN_ID, unauthorized, weights } from './contract.js';

const TENANT_ROLES = ['admin', 'editor', 'viewer', 'admin_ui'] as const;
const ADMINISTRATOR_ROLES = ['super_admin', 'super_admin_restricted', 'super_admin_ui'] as const;
const PROBLEM = 'application/problem+json';

type Caller = string;
/** A harmless request: what it answers to a caller whose role is allowed. */
type Route = readonly [method: string, path: string, allowed: readonly Caller[], status: number];

const readers: readonly Caller[] = [...TENANT_ROLES, 'viewer and editor', 'nonsense and viewer'];
const viewers: readonly Caller[] = ['admin', 'editor', 'viewer', 'viewer and editor', 'nonsense and viewer'];
const operators: readonly Caller[] = ['admin', 'editor', 'admin_ui', 'viewer and editor'];
const writers: readonly Caller[] = ['admin', 'editor', 'viewer and editor'];
const viewersAndEditors: readonly Caller[] = ['editor', 'viewer', 'viewer and editor', 'nonsense and viewer'];
const superAdmin: readonly Caller[] = ['super_admin'];
const kinds = ['operations_profiles', 'metric_profiles', 'aggregation_profiles', 'thresholds_profiles', 'weights', 'reports'];
const tenant = `/admin/tenants/${UNKNOWN_ID}`;
const timelines = [
  '/endpoints',
  '/metrics/m',
  ...['', '/g', '/g/services', '/g/services/s', '/g/services/s/endpoints', '/g/services/s/endpoints/e', '/g/endpoints'].map(
    (rest) => `/t${rest}`,
  ),
];
const metrics = '/status/r/t/g/services/s/endpoints/e/metrics';

const IN_GROUP = ['/services', '/services/s', '/services/s/endpoints', '/services/s/endpoints/e', '/endpoints', '/endpoints/e'];
const results = [
  '/endpoints',
  '/t',
  '/t/g',
  '/t/g/u',
  '/t/g/u/n',
  ...['/t/g', '/t/g/u/n'].flatMap((group) => IN_GROUP.map((rest) => group + rest)),
];
const trends = ['metrics', 'metrics/tags', 'endpoints', 'services', 'groups'].flatMap((level) => [`flapping/${level}`, `status/${level}`]);

/** Every route of the service but the version, which is open, with contract sections 2 and 1 (extended) as the roles. */
const routes: readonly Route[] = [
  ...['info', 'db-conf', 'topology', 'ready'].map((part): Route => ['PUT', `${tenant}/${part}`, superAdmin, 400]),
  ['GET', `${tenant}/ready`, superAdmin, 404],
  ...['node-set', 'node-unset'].map((rest): Route => ['POST', `${tenant}/${rest}`, superAdmin, 404]),
  ...['public', 'private'].map((mark): Route => ['POST', `/reports/${UNKNOWN_ID}/set-${mark}`, writers, 404]),
  ['POST', `/reports/${UNKNOWN_ID}/set-node-report`, writers, 404],
  ...kinds.flatMap((resource): Route[] => [
    ['GET', `/${resource}`, readers, 200],
    ['GET', `/${resource}/${UNKNOWN_ID}`, readers, 404],
    ['POST', `/${resource}`, writers, 400],
    ['PUT', `/${resource}/${UNKNOWN_ID}`, writers, resource === 'weights' ? 404 : 400],
    ['DELETE', `/${resource}/${UNKNOWN_ID}`, writers, 404],
  ]),
  ['GET', '/recomputations', readers, 200],
  ['POST', '/recomputations', operators, 400],
  ['GET', `/recomputations/${UNKNOWN_ID}`, readers, 404],
  ['PUT', `/recomputations/${UNKNOWN_ID}`, operators, 404],
  ['DELETE', `/recomputations/${UNKNOWN_ID}`, operators, 404],
  ['POST', `/recomputations/${UNKNOWN_ID}/status`, operators, 404],
  ['DELETE', `/recomputations/${UNKNOWN_ID}/status`, operators, 404],
  ['POST', '/metric_data', writers, 400],
  ['GET', '/metric_result/host', readers, 400],
  ['GET', '/metric_result/host/metric', readers, 400],
  ...timelines.map((path): Route => ['GET', `/status/r${path}`, readers, 400]),
  ['GET', metrics, readers, 400],
  ['GET', `${metrics}/m`, readers, 400],
  ['GET', '/latest/r/t', readers, 404],
  ['GET', '/latest/r/t/g', readers, 404],
  ['GET', '/issues/r/endpoints', viewers, 404],
  ['GET', '/issues/r/groups/g/metrics', viewers, 404],
  ['GET', '/topology/tags', readers, 404],
  ['GET', '/topology/stats/r', readers, 404],
  ...['endpoints', 'groups', 'service-types'].flatMap((list): Route[] => [
    ['GET', `/topology/${list}`, writers, 404],
    ['POST', `/topology/${list}`, writers, 400],
    ['DELETE', `/topology/${list}`, writers, 404],
  ]),
  ['GET', '/topology/endpoints/by_report/r', writers, 404],
  ['GET', '/topology/groups/by_report/r', writers, 404],
  ['GET', '/downtimes', viewers, 200],
  ['POST', '/downtimes', writers, 400],
  ['DELETE', '/downtimes', writers, 404],
  ...['topology', 'weights', 'data'].flatMap((feed): Route[] => [
    ['GET', `/feeds/${feed}`, writers, 404],
    ['PUT', `/feeds/${feed}`, writers, 400],
  ]),
  ['GET', '/feeds/data/readers', writers, 200],
  ['PUT', '/feeds/data/readers', ['admin'], 400],
  ['GET', '/factors', readers, 200],
  ...results.map((path): Route => ['GET', `/results/r${path}`, readers, 400]),
  ...trends.map((path): Route => ['GET', `/trends/r/${path}`, readers, 404]),
  ['GET', '/metrics', readers, 200],
  ['GET', '/metrics/by_report/r', readers, 404],
  ['GET', '/health', viewersAndEditors, 404],
  ['GET', '/consistency', ['editor', 'viewer and editor'], 404],
  ['POST', '/consistency/auto-check', [], 400], // for roles of their own: status/health
  ['POST', '/consistency/ack', [], 400],
  ['GET', '/admin/metrics', superAdmin, 200],
  ['PUT', '/admin/metrics', superAdmin, 400],
  ['GET', '/admin/tenants', ADMINISTRATOR_ROLES, 200],
  ['GET', tenant, ADMINISTRATOR_ROLES, 404],
  ['POST', '/admin/tenants', superAdmin, 400],
  ['PUT', tenant, superAdmin, 400],
  ['DELETE', tenant, superAdmin, 404],
  ['GET', `${tenant}/status`, ADMINISTRATOR_ROLES, 404],
  ['PUT', `${tenant}/status`, superAdmin, 400],
  ['GET', `${tenant}/metric-source`, superAdmin, 404],
  ['PUT', `${tenant}/metric-source`, superAdmin, 400],
  ['DELETE', `${tenant}/metric-source`, superAdmin, 404],
  ['POST', `${tenant}/metric-source/retry`, superAdmin, 400],
  ['GET', `${tenant}/status-notifications`, superAdmin, 404],
  ['PUT', `${tenant}/status-notifications`, superAdmin, 400],
  ['DELETE', `${tenant}/status-notifications`, superAdmin, 404],
  ['GET', `${tenant}/users`, superAdmin, 404],
  ['POST', `${tenant}/users`, superAdmin, 404],
  ['GET', `${tenant}/users/${UNKNOWN_ID}`, superAdmin, 404],
  ['PUT', `${tenant}/users/${UNKNOWN_ID}`, superAdmin, 404],
  ['DELETE', `${tenant}/users/${UNKNOWN_ID}`, superAdmin, 404],
  ['POST', `${tenant}/users/${UNKNOWN_ID}/renew_api_key`, superAdmin, 404],
  ['GET', `/admin/users:byID/${UNKNOWN_ID}`, ADMINISTRATOR_ROLES, 404],
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

describe('access to the status service', () => {
  const scene = serving(embedded, { LOGBOOK_ACCESS_LOG: 'true', LOGBOOK_LOG_LEVEL: 'debug' });
  const keys: Record<Caller, string> = { 'wrong key': 'wrong', 'empty key': '', 'operations key': OPERATOR };

  beforeAll(async () => {
    for (const role of ADMINISTRATOR_ROLES) keys[role] = (await issueKey(scene.root, 'status', role)).key;
    keys.auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
    for (const caller of Object.keys(users)) keys[caller] = `access-${caller}-key`;
    const body = { info: { name: 'access' }, users: Object.entries(users).map(([name, roles]) => ({ name, api_key: keys[name], roles })) };
    expect((await scene.status.post('/admin/tenants', { key: ADMIN, body })).status).toBe(201);
  });

  it('is tested for every documented route', async () => {
    const calls = routes.map(([method, path]) => [method, path] as const);
    expect(await uncalled(scene.root, '/api/v2', [...calls, ['GET', '/version']])).toEqual([]);
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

    it('is decided before what is accepted and what the body is', async () => {
      const refused = Object.keys(keys).find((caller) => expected(caller) === 403);
      for (const [caller, error] of [
        ['wrong key', 'unauthorized'],
        [refused, 'forbidden'],
        [allowed[0], 'not acceptable'],
      ] as const)
        if (caller) expectError(await scene.status.call(method, path, { key: keys[caller], accept: 'image/png', body: '{' }), error);
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
      const { id, key, ...rest } = await issueKey(scene.root, 'status', 'super_admin_restricted', 'console');
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
        ['{', ['body']],
        ['', ['name', 'role', 'service']],
        ['[]', ['body']],
        ['null', ['body']],
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

  it.each([
    ['/%61pi/v2/admin/metrics', 401],
    ['/api/%762/metrics', 401],
    [`/api/v2/%61dmin/tenants/${UNKNOWN_ID}/users`, 401],
    ['http://elsewhere/api/v2/admin/metrics', 401],
    ['http://elsewhere/api//v2/admin/metrics', 301],
    ['/%761/projects', 401],
    ['http://elsewhere/v1/projects', 401],
    ['/%61ccounting-system/projects', 401],
    ['http://elsewhere/accounting-system/projects', 401],
    ['/%6Fps/keys', 401],
  ])('has no way around it: %s', async (path, status) => {
    expect((await scene.root.get(path)).status).toBe(status);
  });

  it('takes paths as they may be written', async () => {
    for (const path of ['/%61pi/v2/weights?date=1999-01-01', 'http://elsewhere/api/v2/weights?date=1999-01-01']) {
      const answer = await scene.root.get(path, { key: keys.viewer });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it('leaves no secret in the lines of the server nor in the bytes of the log', async () => {
    const secrets = ['secret-of-a-user', 'secret-of-a-database', ADMIN, OPERATOR, ...Object.values(keys).filter((key) => key.length > 5)];
    const tenant = {
      info: { name: 'discreet' },
      users: [{ name: 'u', api_key: 'secret-of-a-user' }],
      db_conf: [{ password: 'secret-of-a-database' }],
    };
    for (const status of [201, 409]) expect((await scene.status.post('/admin/tenants', { key: ADMIN, body: tenant })).status).toBe(status);
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
