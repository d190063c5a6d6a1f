import { beforeAll, describe, expect, it } from '@jest/globals';
import { MESSAGING_ROLES } from '#domain/messaging/accounts/roles.js';
import { type ErrorLine, expectBody, expectError } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { accountCalls, bodyOf, HEX_64, type User, type UserList } from './accounts.js';

const MISSING: ErrorLine = "NOT_FOUND: User doesn't exist";
const BAD_ARGUMENTS: ErrorLine = 'INVALID_ARGUMENT: Invalid User Arguments';
const OUTSIDER: ErrorLine = 'FORBIDDEN: Access to this resource is forbidden. User is not a member of the project';
const MALFORMED = ['{', '{"projects":[{"roles":"x"}]}'];

describe('members', () => {
  const scene = serving(embedded);
  const by = (key?: string) => accountCalls(scene, key);
  /** Project administrator of `p`, service administrator. */
  let manager: User;
  let boss: User;
  let number = 0;
  const fresh = () => `M_${++number}-x`;
  const item = (project: string, ...roles: string[]) => ({ project, roles, topics: [], subscriptions: [] });
  /** A user in `p` and `q` with all members. */
  const insider = (name: string, ...roles: string[]) =>
    by(boss.token).user(name, {
      first_name: 'F',
      email: 'E',
      projects: [
        { project: 'q', roles: ['consumer'] },
        { project: 'p', roles },
      ],
      service_roles: ['admin_viewer'],
    });
  /** What a project administrator of `p` sees of a user. */
  const discreet = ({ projects, token: _, created_by: __, ...user }: User) => {
    const { uuid, service_roles: ___, ...rest } = user;
    const { created_on, modified_on, ...names } = rest;
    const own = projects?.filter(({ project }) => project === 'p');
    return { uuid, ...(own?.length ? { projects: own } : {}), ...names, service_roles: [], created_on, modified_on };
  };

  beforeAll(async () => {
    boss = await by().user('boss', { service_roles: ['service_admin'] });
    for (const name of ['p', 'q', 'listed']) await by().project(name);
    manager = await by().user('manager', { projects: [{ project: 'p', roles: ['project_admin'] }] });
  });

  it('are shown whole to service administrators, and without secrets and other projects to project administrators', async () => {
    const user = await insider(fresh(), 'publisher');
    for (const key of [undefined, boss.token]) expectBody(await by(key).get(`/projects/p/members/${user.name}`), user);
    expectBody(await by(manager.token).get(`/projects/p/members/${user.name}`), discreet(user));
    const { name } = await by().user(fresh());
    for (const unknown of [name, 'nobody']) expectError(await by().get(`/projects/p/members/${unknown}`), MISSING);
  });

  it('are shown without secrets to a project administrator who has every role in the project, which reaches no further', async () => {
    const name = fresh();
    const climber = await by().user(name, { projects: [{ project: 'p', roles: ['project_admin'] }] });
    const projects = [{ project: 'p', roles: MESSAGING_ROLES }];
    expect((await by(climber.token).put(`/projects/p/members/${name}`, { projects })).status).toBe(200);
    const victim = await by().user(fresh(), { projects: [{ project: 'q', roles: ['consumer'] }], email: 'E' });
    const asMember = { ...victim, projects: [...(victim.projects ?? []), item('p', 'consumer')] };
    const added = await by(climber.token).post(`/projects/p/members/${victim.name}:add`, { roles: ['consumer'] });
    expectBody(added, { ...discreet(asMember), modified_on: bodyOf<User>(added).modified_on });
    const replaced = await by(climber.token).put(`/projects/p/members/${victim.name}`, { projects });
    const within = [`/projects/p/members/${victim.name}`, '/projects/p/members', '/projects/p/members?details=true', '/users/profile'];
    const shown = await Promise.all(within.map((path) => by(climber.token).get(path)));
    for (const { status, text } of [replaced, ...shown]) {
      expect(status).toBe(200);
      expect(text).not.toContain(victim.token);
      expect(text).not.toContain('"q"');
    }
    const { uuid, token } = victim;
    const ofUsers = [`/users/${victim.name}`, `/users:byUUID/${uuid}`, `/users:byToken/${token}`, '/users', '/registrations'];
    for (const path of [...ofUsers, '/projects', '/projects/q', '/projects/q/members', '/metrics', '/status?details=true'])
      expectError(await by(climber.token).get(path), 'UNAUTHORIZED: Unauthorized');
    for (const path of [
      `/users/${fresh()}`,
      `/users/${victim.name}:refreshToken`,
      `/users:refreshTokenByUUID/${uuid}`,
      '/projects/brand-new',
    ])
      expectError(await by(climber.token).post(path, {}), 'UNAUTHORIZED: Unauthorized');
    expect((await by(token).get('/users/profile')).status).toBe(200);
  });

  it('are created with a token that even a project administrator learns', async () => {
    const name = fresh();
    const projects = [{ project: 'q', roles: ['nonsense'] }, { project: 'no' }, { project: 'p', roles: ['consumer', 'publisher'] }];
    const body = { email: 'E', projects, first_name: 'ignored', service_roles: ['service_admin'], description: 5 };
    const created = await by(manager.token).post(`/projects/p/members/${name}`, body);
    const { uuid, token, created_on } = bodyOf<User>(created);
    expect(token).toMatch(HEX_64);
    const user = {
      uuid,
      projects: [item('p', 'consumer', 'publisher')],
      name,
      token,
      email: 'E',
      service_roles: [],
      created_on,
      modified_on: created_on,
      created_by: 'manager',
    };
    expectBody(created, user);
    expectBody(await by().get(`/users/${name}`), user);
  });

  it.each(['{}', 'null', '{"projects":[]}', '{"projects":[{"project":"q","roles":["consumer"]}]}', '{"projects":[{"project":"p"}]}'])(
    'are created without roles by body %s',
    async (body) => {
      const created = await by().post(`/projects/p/members/${fresh()}`, body);
      expect([created.status, bodyOf<User>(created).projects]).toEqual([200, [item('p')]]);
      expectError(await by(bodyOf<User>(created).token).get('/projects/p'), 'UNAUTHORIZED: Unauthorized');
    },
  );

  it('are not created under a taken name, with an unknown role or with a malformed body', async () => {
    const wrong = { projects: [{ project: 'p', roles: ['consumer', 'x'] }] };
    expectError(await by().post('/projects/p/members/boss', wrong), 'ALREADY_EXISTS: User already exists');
    expectError(await by().post(`/projects/p/members/${fresh()}`, wrong), 'INVALID_ARGUMENT: invalid role: x');
    for (const body of MALFORMED) expectError(await by().post('/projects/p/members/boss', body), BAD_ARGUMENTS);
  });

  it('have their roles replaced', async () => {
    const before = await insider(fresh(), 'publisher');
    const path = `/projects/p/members/${before.name}`;
    const after = { ...before, projects: [item('q', 'consumer'), item('p', 'consumer', 'push_worker')] };
    const body = {
      projects: [{ project: 'no' }, { project: 'p', roles: ['consumer', 'push_worker'] }, { project: 'q', roles: ['x'] }],
      email: 'new',
      service_roles: ['x'],
    };
    const replaced = await by(manager.token).put(path, body);
    const { modified_on } = bodyOf<User>(replaced);
    expectBody(replaced, discreet({ ...after, modified_on }));
    expectBody(await by().get(path), { ...after, modified_on });
    const emptied = await by().put(path, { projects: [{ project: 'p' }] });
    const last = bodyOf<User>(emptied).modified_on;
    expectBody(emptied, { ...before, projects: [item('q', 'consumer'), item('p')], modified_on: last });
  });

  it('are modified when they are added, get other roles and are removed', async () => {
    const { name, modified_on: created } = await by().user(fresh());
    const path = `/projects/p/members/${name}`;
    let last = created;
    for (const change of [
      () => by().post(`${path}:add`, {}),
      () => by().put(path, { projects: [{ project: 'p', roles: ['consumer'] }] }),
      () => by().post(`${path}:remove`),
    ]) {
      const now = () => Promise.resolve(new Date().toISOString());
      await eventually(now).until((time) => time.slice(0, 19) > last.slice(0, 19)); // times on the wire have seconds
      expect((await change()).status).toBe(200);
      const { modified_on } = bodyOf<User>(await by().get(`/users/${name}`));
      expect(modified_on > last).toBe(true);
      last = modified_on;
    }
  });

  it('keep their roles when the body does not name the project', async () => {
    const user = await insider(fresh(), 'publisher');
    for (const body of ['{}', '{"projects":[]}', '{"projects":[{"project":"q","roles":[]}]}'])
      expectBody(await by().put(`/projects/p/members/${user.name}`, body), user);
  });

  it('keep their roles if anything is wrong; the checks have this order', async () => {
    const { name } = await insider(fresh(), 'publisher');
    const outsider = await by().user(fresh());
    const to = (...roles: string[]) => ({ project: 'p', roles });
    const put = (user: string, body: unknown) => by(manager.token).put(`/projects/p/members/${user}`, body);
    for (const body of MALFORMED) expectError(await put('nobody', body), BAD_ARGUMENTS);
    for (const projects of [[], [to('x')], [to(), to()]]) {
      expectError(await put('nobody', { projects }), MISSING);
      expectError(await put(outsider.name, { projects }), OUTSIDER);
    }
    expectError(await put(name, { projects: [to('consumer', 'x')] }), 'INVALID_ARGUMENT: invalid role: x');
  });

  it('get the roles of the first item of a body that names the project twice', async () => {
    const { name } = await insider(fresh(), 'publisher');
    const projects = [
      { project: 'q', roles: ['x'] },
      { project: 'p', roles: ['consumer'] },
      { project: 'p', roles: ['x'] },
    ];
    const answer = await by(manager.token).put(`/projects/p/members/${name}`, { projects, service_roles: null });
    expect(bodyOf<User>(answer).projects).toEqual([item('p', 'consumer')]);
  });

  it('are added', async () => {
    const before = await by(boss.token).user(fresh(), { email: 'E', projects: [{ project: 'q', roles: [] }] });
    const path = `/projects/p/members/${before.name}:add`;
    const { uuid, ...rest } = before;
    const after = { uuid, ...rest, projects: [item('q'), item('p', 'publisher')] };
    const added = await by(manager.token).post(path, { ROLES: ['publisher'] });
    const { modified_on } = bodyOf<User>(added);
    expectBody(added, discreet({ ...after, modified_on }));
    expectBody(await by().get(`/users/${before.name}`), { ...after, modified_on });
    expect((await by(before.token).get('/projects/p/topics')).status).toBe(200);
    expectError(await by().post(path, { roles: ['x'] }), 'CONFLICT: User is already a member of the project');

    const plain = await by().user(fresh());
    expect(bodyOf<User>(await by().post(`/projects/p/members/${plain.name}:add`, {})).projects).toEqual([item('p')]);
  });

  it('are not added if anything is wrong; the checks have this order', async () => {
    const { name } = await by().user(fresh());
    const add = (user: string, body: unknown) => by(manager.token).post(`/projects/p/members/${user}:add`, body);
    for (const body of ['', '{', '[]', '{"roles":"x"}', '{"roles":[5]}', '{} x']) {
      expectError(await add('nobody', body), MISSING);
      expectError(await add(name, body), 'BAD_REQUEST: Invalid Request Body');
      expectError(await add('manager', body), 'BAD_REQUEST: Invalid Request Body');
    }
    expectError(await add('nobody', { roles: ['x'] }), MISSING);
    expectError(await add(name, { roles: ['consumer', 'x'] }), 'INVALID_ARGUMENT: invalid role: x');
  });

  it('are removed, and stay users', async () => {
    const user = await insider(fresh(), 'project_admin');
    const remove = (name: string) => by(manager.token).post(`/projects/p/members/${name}:remove`, 'ignored');
    expect((await by(user.token).get('/projects/p')).status).toBe(200);
    expectBody(await remove(user.name), {}, JSON.stringify);
    expectError(await by(user.token).get('/projects/p'), 'FORBIDDEN: Access to this resource is forbidden');
    const shown = await by().get(`/users/${user.name}`);
    expectBody(shown, { ...user, projects: [item('q', 'consumer')], modified_on: bodyOf<User>(shown).modified_on });
    expectError(await by().get(`/projects/p/members/${user.name}`), MISSING);
    expectError(await remove(user.name), OUTSIDER);
    expectError(await remove('nobody'), MISSING);
  });

  it('are listed', async () => {
    const lister = await by().user('lister', { projects: [{ project: 'listed', roles: ['project_admin'] }] });
    const users: User[] = [];
    for (const name of ['m-z', 'm-a', 'm-m'])
      users.unshift(
        await by(boss.token).user(name, {
          projects: [
            { project: 'p', roles: [] },
            { project: 'listed', roles: ['consumer'] },
          ],
        }),
      );
    users.push(lister);
    const without = users.map(({ projects: _, ...user }) => user);
    const list = (key: string | undefined, query = '') => by(key).get(`/projects/listed/members${query}`);

    expectBody(await list(undefined), { users: without, nextPageToken: '', totalSize: 4 });
    expectBody(await list(boss.token, '?details=true&project=no'), { users, nextPageToken: '', totalSize: 4 });
    const seen = bodyOf<UserList>(await list(lister.token, '?details=true'));
    expect(seen.users.map(({ name, projects }) => [name, projects])).toEqual([
      ...['m-m', 'm-a', 'm-z'].map((name) => [name, [item('listed', 'consumer')]]),
      ['lister', [item('listed', 'project_admin')]],
    ]);
    expect(
      seen.users.some((user) => Object.hasOwn(user, 'token') || Object.hasOwn(user, 'created_by') || user.service_roles.length > 0),
    ).toBe(false);
    const first = bodyOf<UserList>(await list(lister.token, '?pageSize=3'));
    expect([first.users.length, first.totalSize]).toEqual([3, 4]);
    const rest = bodyOf<UserList>(await list(lister.token, `?pageSize=3&pageToken=${first.nextPageToken}`));
    expect([rest.users.map(({ name }) => name), rest.nextPageToken, rest.totalSize]).toEqual([['lister'], '', 4]);
    expectError(await list(undefined, '?pageSize=x&pageToken=x'), 'INVALID_ARGUMENT: Invalid page size');
    expectError(await list(undefined, '?pageToken=x'), 'INVALID_ARGUMENT: Invalid page token');
  });

  it('are not created with an address that is too long', async () => {
    const email = 'x'.repeat(1_024);
    expectError(await by(manager.token).post(`/projects/p/members/${fresh()}`, { email: `${email}x` }), BAD_ARGUMENTS);
    expect((await by(manager.token).post(`/projects/p/members/${fresh()}`, { email })).status).toBe(200);
  });

  it('are created, added and removed once for each Idempotency-Key', async () => {
    const header = { 'idempotency-key': 'once' };
    const name = fresh();
    for (const [path, body] of [
      [name, { email: 'x' }],
      [`${name}:remove`, ''],
      [`${name}:add`, { roles: ['consumer'] }],
    ] as const) {
      const first = await by().post(`/projects/p/members/${path}`, body, header);
      const again = await by().post(`/projects/p/members/${path}`, body, header);
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    }
  });
});
