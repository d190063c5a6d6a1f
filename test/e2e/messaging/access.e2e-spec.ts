import { beforeAll, describe, expect, it } from '@jest/globals';
import { accountCalls, bodyOf, type User } from '#test/e2e/messaging/accounts/accounts.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { expectError, SERVICE_TOKEN } from './calls.js';

const ROLES = [
  'service_admin',
  'project_admin',
  'publisher',
  'consumer',
  'push_worker',
  'admin_viewer',
  'metrics_viewer',
  'argo_api_authn',
  'register_admin',
  'component_admin',
] as const;
type Role = (typeof ROLES)[number];

const SA = ['service_admin'] as const;
const PA = [...SA, 'project_admin'] as const;
const P = [...PA, 'publisher'] as const;
const C = [...PA, 'consumer'] as const;
const CW = [...C, 'push_worker'] as const;
const METRICS = [...PA, 'metrics_viewer'] as const;
const COMPONENTS = [...SA, 'component_admin'] as const;
const LOST = 'INVALID_NAME'; // a name that nothing has

/** Messaging contract 1.6: the roles of each route, and a call of it that changes nothing. `{p}` is the project of the walk, `{d}` one that may be deleted. */
const TABLE: Readonly<Record<string, readonly [allowed: readonly Role[], method: string, path: string]>> = {
  'ams:metrics': [METRICS, 'GET', '/metrics'],
  'ams:vaMetrics': [METRICS, 'GET', '/metrics/va_metrics'],
  'users:byToken': [['service_admin', 'push_worker'], 'GET', `/users:byToken/${LOST}`],
  'users:byUUID': [['service_admin', 'argo_api_authn'], 'GET', `/users:byUUID/${LOST}`],
  'users:list': [PA, 'GET', '/users'],
  'users:show': [SA, 'GET', `/users/${LOST}`],
  'users:create': [SA, 'POST', `/users/${LOST}`],
  'users:update': [SA, 'PUT', `/users/${LOST}`],
  'users:refreshToken': [SA, 'POST', `/users/${LOST}:refreshToken`],
  'users:refreshTokenByUUID': [['service_admin', 'argo_api_authn'], 'POST', `/users:refreshTokenByUUID/${LOST}`],
  'users:componentRefreshToken': [COMPONENTS, 'POST', `/integrations/components/${LOST}/by-project-name/{p}/refresh`],
  'users:componentRefreshToken by the path of the route table': [COMPONENTS, 'POST', `/integrations/${LOST}/by-project-name/{p}/refresh`],
  'users:delete': [SA, 'DELETE', `/users/${LOST}`],
  'registrations:newUser': [['service_admin', 'register_admin'], 'POST', '/registrations'],
  'registrations:acceptNewUser': [SA, 'POST', `/registrations/${LOST}:accept`],
  'registrations:declineNewUser': [SA, 'POST', `/registrations/${LOST}:decline`],
  'registrations:show': [SA, 'GET', `/registrations/${LOST}`],
  'registrations:list': [SA, 'GET', '/registrations'],
  'registrations:delete': [SA, 'DELETE', `/registrations/${LOST}`],
  'projects:list': [SA, 'GET', '/projects'],
  'projects:create': [SA, 'POST', '/projects/{p}'],
  'projects:show': [PA, 'GET', '/projects/{p}'],
  'projects:update': [PA, 'PUT', '/projects/{p}'],
  'projects:delete': [PA, 'DELETE', '/projects/{d}'],
  'projects:metrics': [PA, 'GET', '/projects/{p}:metrics'],
  'projects:addUser': [PA, 'POST', `/projects/{p}/members/${LOST}:add`],
  'projects:removeUser': [PA, 'POST', `/projects/{p}/members/${LOST}:remove`],
  'projects:showUser': [PA, 'GET', `/projects/{p}/members/${LOST}`],
  'projects:createUser': [PA, 'POST', `/projects/{p}/members/${LOST}`],
  'projects:updateUser': [PA, 'PUT', `/projects/{p}/members/${LOST}`],
  'projects:listUsers': [PA, 'GET', '/projects/{p}/members'],
  'topics:list': [P, 'GET', '/projects/{p}/topics'],
  'topics:show': [P, 'GET', '/projects/{p}/topics/t'],
  'topics:publish': [P, 'POST', '/projects/{p}/topics/t:publish'],
  'topics:metrics': [P, 'GET', '/projects/{p}/topics/t:metrics'],
  'topics:create': [PA, 'PUT', '/projects/{p}/topics/t'],
  'topics:change': [PA, 'PATCH', '/projects/{p}/topics/t'],
  'topics:delete': [PA, 'DELETE', `/projects/{p}/topics/${LOST}`],
  'topics:acl': [PA, 'GET', '/projects/{p}/topics/t:acl'],
  'topics:modifyAcl': [PA, 'POST', '/projects/{p}/topics/t:modifyAcl'],
  'topics:attachSchema': [PA, 'POST', '/projects/{p}/topics/t:attachSchema'],
  'topics:detachSchema': [PA, 'POST', '/projects/{p}/topics/t:detachSchema'],
  'subscriptions:list': [C, 'GET', '/projects/{p}/subscriptions'],
  'subscriptions:offsets': [C, 'GET', '/projects/{p}/subscriptions/s:offsets'],
  'subscriptions:timeToOffset': [C, 'GET', '/projects/{p}/subscriptions/s:timeToOffset'],
  'subscriptions:modifyOffset': [C, 'POST', '/projects/{p}/subscriptions/s:modifyOffset'],
  'subscriptions:metrics': [C, 'GET', '/projects/{p}/subscriptions/s:metrics'],
  'subscriptions:modifyAckDeadline': [C, 'POST', '/projects/{p}/subscriptions/s:modifyAckDeadline'],
  'subscriptions:show': [CW, 'GET', '/projects/{p}/subscriptions/s'],
  'subscriptions:pull': [CW, 'POST', '/projects/{p}/subscriptions/s:pull'],
  'subscriptions:acknowledge': [CW, 'POST', '/projects/{p}/subscriptions/s:acknowledge'],
  'subscriptions:stream': [CW, 'GET', `/projects/{p}/subscriptions/${LOST}:stream`],
  'subscriptions:seek': [CW, 'POST', '/projects/{p}/subscriptions/s:seek'],
  'subscriptions:redrive': [CW, 'POST', '/projects/{p}/subscriptions/s:redrive'],
  'subscriptions:create': [PA, 'PUT', '/projects/{p}/subscriptions/s'],
  'subscriptions:delete': [PA, 'DELETE', `/projects/{p}/subscriptions/${LOST}`],
  'subscriptions:listByTopic': [PA, 'GET', '/projects/{p}/topics/t/subscriptions'],
  'subscriptions:acl': [PA, 'GET', '/projects/{p}/subscriptions/s:acl'],
  'subscriptions:modifyAcl': [PA, 'POST', '/projects/{p}/subscriptions/s:modifyAcl'],
  'subscriptions:verifyPushEndpoint': [PA, 'POST', '/projects/{p}/subscriptions/s:verifyPushEndpoint'],
  'subscriptions:modifyPushConfig': [PA, 'POST', '/projects/{p}/subscriptions/s:modifyPushConfig'],
  'schemas:create': [PA, 'POST', `/projects/{p}/schemas/${LOST}`],
  'schemas:show': [PA, 'GET', `/projects/{p}/schemas/${LOST}`],
  'schemas:list': [PA, 'GET', '/projects/{p}/schemas'],
  'schemas:update': [PA, 'PUT', `/projects/{p}/schemas/${LOST}`],
  'schemas:delete': [PA, 'DELETE', `/projects/{p}/schemas/${LOST}`],
  'schemas:validateMessage': [PA, 'POST', `/projects/{p}/schemas/${LOST}:validate`],
};

/** Messaging contract 1.3: the routes that handle the key themselves. */
const OPEN = [
  'GET /status',
  'GET /version',
  'GET /users/profile',
  'GET /users/usageReport',
  'GET /service-types/ams/hosts/{host}:authx509',
];

/** Matches the calls of a documented operation. */
const patternOf = (operation: string): RegExp => new RegExp(`^${operation.replace(/\{\w+\}/g, '[^/:]+')}$`);

const scene = serving(embedded);

describe('The role table', () => {
  const by = (key?: string) => accountCalls(scene, key);
  /** Users with one role, in the projects or service-wide, and what they may delete. */
  const holders: Readonly<{ role: Role; kind: 'project' | 'service'; token: string; doomed: string }>[] = [];

  /** Calls that the server documents, as `GET /projects/{project}`. */
  let documented: readonly string[] = [];
  const isThere = (method: string, pattern: string): boolean =>
    documented.some((operation) => patternOf(operation).test(`${method} ${pattern}`));

  beforeAll(async () => {
    const { json } = await scene.root.get('/openapi.json');
    const { paths } = json as { paths: Readonly<Record<string, object>> };
    documented = Object.entries(paths).flatMap(([path, methods]) =>
      path.startsWith('/v1/') ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(3)}`) : [],
    );
    await by().project('walk');
    await by().put('/projects/walk/topics/t');
    await by().put('/projects/walk/subscriptions/s', { topic: 'projects/walk/topics/t' });
    const names: string[] = [];
    for (const kind of ['project', 'service'] as const)
      for (const role of ROLES) {
        const name = `${kind}-${role}`;
        await by().project(`doomed-${name}`);
        const roles = [role];
        const projects = [
          { project: 'walk', roles },
          { project: `doomed-${name}`, roles },
        ];
        const { token } = await by().user(name, kind === 'project' ? { projects } : { service_roles: roles });
        if (kind === 'project') names.push(name);
        else await by().post(`/projects/walk/members/${name}:add`, { roles: [] });
        holders.push({ role, kind, token, doomed: `doomed-${name}` });
      }
    const everybody = names.concat(names.map((name) => name.replace('project-', 'service-')));
    for (const path of ['topics/t', 'subscriptions/s'])
      await by().post(`/projects/walk/${path}:modifyAcl`, { authorized_users: everybody });
  });

  it('leaves no call out', async () => {
    expect(documented.length).toBeGreaterThan(35);
    const known = [...OPEN, ...Object.values(TABLE).map(([, method, pattern]) => `${method} ${pattern}`)];
    for (const operation of documented) {
      expect([operation, known.some((call) => patternOf(operation).test(call))]).toEqual([operation, true]);
      if (OPEN.includes(operation)) continue;
      const [method = '', path = ''] = operation.replace(/\{\w+\}/g, LOST).split(' ');
      expectError(await by('').call(method, path), 'UNAUTHORIZED: Unauthorized');
    }
  });

  it.each(Object.entries(TABLE))('admits to %s the callers with a role that it lists', async (_route, [allowed, method, pattern]) => {
    if (!isThere(method, pattern)) return;
    const answers: string[] = [];
    const due: string[] = [];
    for (const { role, kind, token, doomed } of holders) {
      const path = pattern.replace('{p}', 'walk').replace('{d}', doomed);
      const { status, text } = await by(token).call(method, path, { body: '{' });
      const refused = status === 403 ? text.includes('"Access to this resource is forbidden"') : status === 401;
      answers.push(`${kind} ${role}: ${refused ? status : 'in'}`);
      const counts = kind === 'service' || pattern.includes('{');
      const refusal = counts ? 403 : 401;
      due.push(`${kind} ${role}: ${counts && allowed.includes(role) ? 'in' : refusal}`);
    }
    expect(answers).toEqual(due);
  });

  it.each(Object.entries(TABLE))('admits to %s the service token, and nobody without a key', async (_route, [, method, pattern]) => {
    if (!isThere(method, pattern)) return;
    const path = pattern.replace('{p}', 'walk').replace('{d}', 'walk-nothing');
    const { status } = await by().call(method, path, { body: '{' });
    expect([401, 403, 405].includes(status)).toBe(false);
    for (const key of [undefined, '', 'wrong', OPERATOR])
      expectError(await scene.root.call(method, `/v1${path}`, { key, body: '{' }), 'UNAUTHORIZED: Unauthorized');
  });
});

describe('Keys', () => {
  const get = (path: string, key?: string) => scene.root.get(`/v1${path}`, { key });
  let admin: User;

  beforeAll(async () => {
    const by = accountCalls(scene);
    await by.project('p');
    admin = await by.user('admin', { projects: [{ project: 'p', roles: ['project_admin'] }] });
  });

  it('are taken from the header, otherwise from the query', async () => {
    expect((await get('/projects/p', admin.token)).status).toBe(200);
    expect((await get(`/projects/p?key=${admin.token}`)).status).toBe(200);
    expect((await get(`/projects/p?key=${admin.token}`, '')).status).toBe(200);
    expect((await get(`/projects/p?key=${admin.token}&key=wrong`)).status).toBe(200);
    expectError(await get(`/projects/p?key=${admin.token}`, 'wrong'), 'UNAUTHORIZED: Unauthorized');
    expectError(await get('/projects/p?key=', undefined), 'UNAUTHORIZED: Unauthorized');
    expectError(await get(`/projects/p?KEY=${admin.token}`), 'UNAUTHORIZED: Unauthorized');
  });

  it('are taken as bearer tokens where neither header nor query has one', async () => {
    const bearer = (authorization: string, path = '/projects/p', key?: string) =>
      scene.root.get(`/v1${path}`, { key, headers: { authorization } });
    const { token } = admin;
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token} `]) {
      expect((await bearer(authorization)).status).toBe(200);
      expect(bodyOf<User>(await bearer(authorization, '/users/profile')).uuid).toBe(admin.uuid);
    }
    expect((await bearer(`Bearer ${token}`, '/projects/p?key=', '')).status).toBe(200);
    expect((await bearer('Bearer wrong', '/projects/p', token)).status).toBe(200);
    expect((await bearer('Basic eDp5', `/projects/p?key=${token}`)).status).toBe(200);
    expectError(await bearer(`Bearer ${token}`, '/projects/p', 'wrong'), 'UNAUTHORIZED: Unauthorized');
    expectError(await bearer(`Bearer ${token}`, '/projects/p?key=wrong'), 'UNAUTHORIZED: Unauthorized');
    for (const none of [token, `Bearer${token}`, `Basic ${token}`, 'Bearer ', `Bearer ${token} x`, `Bearer ${OPERATOR}`, 'Bearer wrong'])
      expectError(await bearer(none), 'UNAUTHORIZED: Unauthorized');
    expect((await bearer(`Bearer ${SERVICE_TOKEN}`, '/users')).status).toBe(200);
  });

  it('that operators create count like a service token until they are revoked', async () => {
    const { id, key } = await issueKey(scene.root, 'messaging', 'service_admin');
    for (const path of ['/users', '/projects/p', '/registrations']) expect((await get(path, key)).status).toBe(200);
    expectError(await get('/users/profile', key), 'UNAUTHORIZED: Unauthorized');
    await scene.root.delete(`/ops/keys/${id}`, { key: OPERATOR });
    expectError(await get('/users', key), 'UNAUTHORIZED: Unauthorized');
  });

  it('are verified before projects are looked up, and projects before roles', async () => {
    expectError(await get('/projects/no'), 'UNAUTHORIZED: Unauthorized');
    expectError(await get('/projects/no', 'wrong'), 'UNAUTHORIZED: Unauthorized');
    for (const key of [admin.token, SERVICE_TOKEN]) expectError(await get('/projects/no/topics', key), "NOT_FOUND: project doesn't exist");
    expectError(await get('/users', admin.token), 'UNAUTHORIZED: Unauthorized');
    expectError(
      await scene.root.post('/v1/projects/p', { key: admin.token, body: '{' }),
      'FORBIDDEN: Access to this resource is forbidden',
    );
    expectError(await scene.root.post('/v1/projects/no', { key: admin.token, body: '{' }), 'UNAUTHORIZED: Unauthorized');
  });

  it('take effect at once, with the current roles and tokens', async () => {
    const by = accountCalls(scene);
    const { name, token } = await by.user('changing');
    const status = async () => (await get('/projects/p/topics', token)).status;
    expect(await status()).toBe(401);
    await by.post(`/projects/p/members/${name}:add`, { roles: ['consumer'] });
    expect(await status()).toBe(403);
    await by.put(`/projects/p/members/${name}`, { projects: [{ project: 'p', roles: ['consumer', 'publisher'] }] });
    expect(await status()).toBe(200);
    await by.put(`/users/${name}`, { projects: [], service_roles: ['metrics_viewer'] });
    expect(await status()).toBe(403);
  });
});
