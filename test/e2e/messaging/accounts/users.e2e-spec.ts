import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorLine, expectBody, expectEmpty, expectError, INSTANT } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { UUID } from '#test/e2e/status/contract.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { accountCalls, bodyOf, HEX_64, type User, type UserList } from './accounts.js';

const MISSING: ErrorLine = "NOT_FOUND: User doesn't exist";
const BAD_ARGUMENTS: ErrorLine = 'INVALID_ARGUMENT: Invalid User Arguments';
const NO_CALLER: ErrorLine = 'UNAUTHORIZED: Unauthorized';
const EVERYTHING = { first_name: 'Ann', last_name: 'Bee', organization: 'GR <1>', description: 'about', email: 'not an address' };

/** Neither JSON nor an object of this shape. */
const MALFORMED = ['{', '{"email":5}', '{"projects":[{"project":"p","roles":"consumer"}]}'];
/** What is wrong with lists, in the order in which it is told. */
const WRONG_LISTS: readonly (readonly [object, ErrorLine])[] = [
  [{ projects: [{ project: 'p' }, { project: 'p' }] }, 'INVALID_ARGUMENT: duplicate reference of project p'],
  [{ projects: [{ project: 'p' }, { project: 'no' }], service_roles: ['x'] }, 'INVALID_ARGUMENT: invalid project: no'],
  [
    { projects: [{ project: 'p', roles: ['consumer'] }], service_roles: ['consumer', 'SERVICE_ADMIN'] },
    'INVALID_ARGUMENT: invalid role: SERVICE_ADMIN',
  ],
];

describe('users', () => {
  const scene = serving(embedded);
  const by = (key?: string) => accountCalls(scene, key);
  let boss: User;
  let number = 0;
  const fresh = () => `U_${++number}-x`;
  const item = (project: string, ...roles: string[]) => ({ project, roles, topics: [], subscriptions: [] });

  beforeAll(async () => {
    boss = await by().user('boss', { service_roles: ['service_admin'] });
    for (const name of ['p', 'q', 'r']) await by().project(name);
  });

  it('are created with all that a body says', async () => {
    const projects = [
      { project: 'q', roles: ['consumer', 'publisher'], topics: ['x'], subscriptions: 5 },
      { project: '' },
      null,
      { project: 'p' },
    ];
    const body = { ...EVERYTHING, projects, service_roles: ['metrics_viewer'], name: 'ignored', token: 5, uuid: [] };
    const created = await by(boss.token).post('/users/everything', body);
    const { uuid, token, created_on } = bodyOf<User>(created);
    expect([uuid, token, created_on]).toEqual([expect.stringMatching(UUID), expect.stringMatching(HEX_64), expect.stringMatching(INSTANT)]);
    const user = {
      uuid,
      projects: [item('q', 'consumer', 'publisher'), item('p')],
      name: 'everything',
      first_name: 'Ann',
      last_name: 'Bee',
      organization: 'GR <1>',
      description: 'about',
      token,
      email: 'not an address',
      service_roles: ['metrics_viewer'],
      created_on,
      modified_on: created_on,
      created_by: 'boss',
    };
    expectBody(created, user);
    for (const path of ['/users/everything', `/users:byToken/${token}`, `/users:byUUID/${uuid}`]) expectBody(await by().get(path), user);
    expectBody(await by(token).get('/users/profile'), user);
  });

  it.each(['{}', 'null', '{"email":null,"projects":null,"service_roles":null,"first_name":""}', '{"projects":[],"SERVICE_ROLES":[]}'])(
    'are created with body %s',
    async (body) => {
      const name = fresh();
      const created = await by().post(`/users/${name}`, body);
      const { uuid, token, created_on } = bodyOf<User>(created);
      expectBody(created, { uuid, name, token, email: '', service_roles: [], created_on, modified_on: created_on });
    },
  );

  it.each(MALFORMED)('are neither created nor updated with body %s', async (body) => {
    expectError(await by().post('/users/malformed', body), BAD_ARGUMENTS);
    expectError(await by().put('/users/boss', body), BAD_ARGUMENTS);
    expectError(await by().put('/users/malformed', body), BAD_ARGUMENTS);
    expectError(await by().get('/users/malformed'), MISSING);
  });

  it.each(WRONG_LISTS)('are neither created nor updated with %j', async (body, error) => {
    expectError(await by().post('/users/wrong', body), error);
    expectError(await by().put('/users/boss', { ...body, name: 'everything' }), error);
    expectError(await by().put('/users/wrong', body), error);
    expectError(await by().post('/users/boss', body), 'ALREADY_EXISTS: User already exists');
    expectError(await by().get('/users/wrong'), MISSING);
  });

  it('have unique names', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => by().post('/users/unique', {})));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('keep what an update leaves out; every update counts as a modification', async () => {
    const name = fresh();
    const lists = { projects: [{ project: 'p', roles: ['publisher'] }], service_roles: ['admin_viewer'] };
    const { created_on, modified_on: _, ...before } = await by(boss.token).user(name, { ...EVERYTHING, ...lists });
    await eventually(async () => new Date().toISOString()).until((now) => `${now.slice(0, 19)}Z` > created_on);
    let after: object = before;
    for (const [body, changes] of [
      ['{}', {}],
      ['null', {}],
      ['{"name":"","first_name":"","email":null}', {}],
      [{ name }, {}],
      [
        { FIRST_NAME: 'F', last_name: 'L', organization: 'O', description: 'D', email: 'E' },
        { first_name: 'F', last_name: 'L', organization: 'O', description: 'D', email: 'E' },
      ],
      [{ service_roles: [] }, { service_roles: [] }],
      [
        {
          projects: [
            { project: 'r', roles: ['consumer'] },
            { project: 'p', roles: [] },
          ],
        },
        { projects: [item('r', 'consumer'), item('p')] },
      ],
      [{ projects: [] }, { projects: undefined }],
    ] as const) {
      after = { ...after, ...changes };
      const answer = await by().put(`/users/${name}`, body);
      const { modified_on } = bodyOf<User>(answer);
      expect(modified_on > created_on).toBe(true);
      const { created_by, ...rest } = after as User;
      expectBody(answer, { ...rest, created_on, modified_on, created_by });
      expectBody(await by().get(`/users/${name}`), { ...rest, created_on, modified_on, created_by });
    }
  });

  it('keep their id when they are renamed', async () => {
    const [name, renamed] = [fresh(), fresh()];
    const { uuid, token } = await by().user(name, { service_roles: ['service_admin'] });
    const created = await by(token).user(fresh());
    expect(bodyOf<User>(await by().put(`/users/${name}`, { name: renamed }))).toMatchObject({ uuid, token, name: renamed });
    expectError(await by().get(`/users/${name}`), MISSING);
    expect(bodyOf<User>(await by(token).get(`/users/${created.name}`)).created_by).toBe(renamed);
    await by().user(name); // the old name is free again

    expectError(await by().put(`/users/${renamed}`, { name }), 'INVALID_ARGUMENT: invalid user name change, name already exists');
    const stranger = await by().user(fresh(), { projects: [{ project: 'p', roles: ['project_admin'] }] });
    for (const odd of ['Ada, Lovelace', 'é']) {
      const path = `/users/${encodeURIComponent(odd)}`;
      expectError(await by().get(path), 'INVALID_ARGUMENT: Invalid user name');
      expect(bodyOf<User>(await by().put(`/users/${renamed}`, { name: odd })).name).toBe(odd);
      expect(bodyOf<User>(await by().get(path)).uuid).toBe(uuid);
      for (const key of ['', 'nobody', stranger.token]) expectError(await by(key).get(path), 'INVALID_ARGUMENT: Invalid user name');
      expect(bodyOf<User>(await by().put(path, { name: renamed })).name).toBe(renamed);
    }
    for (const wrong of ['x'.repeat(1_025), 'a/b'])
      expectError(await by().put(`/users/${renamed}`, { name: wrong }), 'INVALID_ARGUMENT: Invalid user name');
    for (const member of ['first_name', 'component', 'component_project'])
      expectError(await by().put(`/users/${renamed}`, { [member]: 'x'.repeat(1_025) }), BAD_ARGUMENTS);
    await by().delete(`/users/${renamed}`);
    expect(bodyOf<User>(await by().get(`/users/${created.name}`))).not.toHaveProperty('created_by');
  });

  it('get a new token; the old one is worthless at once', async () => {
    const before = await by().user(fresh(), { projects: [{ project: 'p', roles: ['project_admin'] }] });
    const answer = await by().post(`/users/${before.name}:refreshToken`, 'not json');
    const { token } = bodyOf<User>(answer);
    expect([token, token === before.token]).toEqual([expect.stringMatching(HEX_64), false]);
    expectBody(answer, { ...before, token });
    for (const path of ['/users/profile', '/projects/p']) {
      expectError(await by(before.token).get(path), NO_CALLER);
      expect((await by(token).get(path)).status).toBe(200);
    }
    expectError(await by().get(`/users:byToken/${before.token}`), MISSING);
    expectBody(await by().get(`/users:byToken/${token}`), { ...before, token });
  });

  it('are deleted with their token', async () => {
    const { name, token, uuid } = await by().user(fresh(), { projects: [{ project: 'p', roles: ['project_admin'] }] });
    const count = async (path: string) => bodyOf<UserList>(await by().get(path)).totalSize;
    const [all, members] = [await count('/users'), await count('/projects/p/members')];
    expectEmpty(await by().delete(`/users/${name}`));
    for (const path of [`/users/${name}`, `/users:byToken/${token}`, `/users:byUUID/${uuid}`]) expectError(await by().get(path), MISSING);
    expectError(await by(token).get('/users/profile'), NO_CALLER);
    expectError(await by(token).get('/projects/p'), NO_CALLER);
    expect([await count('/users'), await count('/projects/p/members')]).toEqual([all - 1, members - 1]);
  });

  it.each([
    ['GET', '/users/nobody'],
    ['GET', `/users:byToken/${'0'.repeat(64)}`],
    ['GET', '/users:byToken/x'],
    ['GET', '/users:byUUID/6ac7d684-1f8e-4a02-a502-720e8f11e50b'],
    ['GET', `/users:byUUID/${'x'.repeat(3_000)}`],
    ['GET', `/users/${'x'.repeat(3_000)}`],
    ['PUT', '/users/nobody'],
    ['DELETE', '/users/nobody'],
    ['POST', '/users/nobody:refreshToken'],
  ])('are not found if they do not exist: %s %s', async (method, path) =>
    expectError(await by().call(method, path, { body: {} }), MISSING),
  );

  it('may have long names', async () => {
    const name = 'n'.repeat(3_000);
    const { uuid } = await by().user(name);
    expect(bodyOf<User>(await by().get(`/users/${name}`)).uuid).toBe(uuid);
    expectError(await by().get(`/users/${name}n`), MISSING);
    await by().delete(`/users/${name}`);
  });

  it('see their profile only with their own key', async () => {
    expect(bodyOf<User>(await by().call('GET', `/users/profile?key=${boss.token}`, { key: undefined })).uuid).toBe(boss.uuid);
    for (const key of ['', 'wrong']) expectError(await by(key).get('/users/profile'), NO_CALLER);
    expectError(await by().get('/users/profile'), NO_CALLER); // the service token is no user
  });

  it('show what ACLs let them use, by short names', async () => {
    const { name } = await by().user(fresh(), {
      projects: [
        { project: 'p', roles: ['publisher'] },
        { project: 'q', roles: ['consumer'] },
      ],
    });
    for (const [project, topic] of [
      ['p', 't2'],
      ['p', 't1'],
      ['q', 't3'],
      ['q', 't4'],
    ]) {
      await by().put(`/projects/${project}/topics/${topic}`);
      await by().put(`/projects/${project}/subscriptions/s-${topic}`, { topic: `projects/${project}/topics/${topic}` });
    }
    for (const path of ['p/topics/t2', 'p/topics/t1', 'q/subscriptions/s-t4'])
      expectEmpty(await by().post(`/projects/${path}:modifyAcl`, { authorized_users: [name] }));
    const projects = [
      { project: 'p', roles: ['publisher'], topics: ['t2', 't1'], subscriptions: [] },
      { project: 'q', roles: ['consumer'], topics: [], subscriptions: ['s-t4'] },
    ];
    expect(bodyOf<User>(await by().get(`/users/${name}`)).projects).toEqual(projects);
    expect(bodyOf<User>(await by().put(`/users/${name}`, {})).projects).toEqual(projects);
    await by().delete('/projects/p/topics/t2');
    expect(bodyOf<User>(await by().get(`/users/${name}`)).projects?.[0]?.topics).toEqual(['t1']);
  });

  it('are created and get tokens once for each Idempotency-Key', async () => {
    const name = fresh();
    const header = { 'idempotency-key': 'once' };
    const first = await by().post(`/users/${name}`, EVERYTHING, header);
    expect((await by().post(`/users/${name}`, EVERYTHING, header)).text).toBe(first.text);
    const refreshed = await by().post(`/users/${name}:refreshToken`, '', header);
    expect((await by().post(`/users/${name}:refreshToken`, '', header)).text).toBe(refreshed.text);
    expect(bodyOf<User>(await by().get(`/users/${name}`)).token).toBe(bodyOf<User>(refreshed).token);
    const byQuery = await by().post(`/users/${name}?key=unread`, EVERYTHING, header);
    expect(byQuery.text).toBe(first.text);
    expect((await by().post(`/users/${name}`, {}, header)).status).toBe(422);
  });
});
