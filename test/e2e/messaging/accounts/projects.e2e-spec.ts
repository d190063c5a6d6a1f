import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectBody, expectEmpty, expectError, INSTANT } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { accountCalls, bodyOf } from './accounts.js';

type Pulled = Readonly<{ receivedMessages: readonly Readonly<{ ackId: string }>[] }>;
type Project = Readonly<{ name: string; created_on: string; modified_on: string; created_by?: string; description?: string }>;

/** Neither JSON nor an object of this shape. */
const MALFORMED = ['', '{"description":5}', '{} x'];

describe('projects', () => {
  const scene = serving(embedded);
  const by = (key?: string) => accountCalls(scene, key);
  let boss = '';
  let number = 0;
  const fresh = () => `P_${++number}-x`;

  beforeAll(async () => {
    expectBody(await by().get('/projects'), {});
    boss = (await by().user('boss', { service_roles: ['service_admin'] })).token;
  });

  it('are created by a user', async () => {
    const created = await by(boss).post('/projects/first', { description: 'a <b> & c', name: 'ignored' });
    const { created_on, modified_on } = bodyOf<Project>(created);
    expect(created_on).toMatch(INSTANT);
    expectRecent(created_on);
    expect(created.text).toBe(
      [
        '{',
        '   "name": "first",',
        `   "created_on": "${created_on}",`,
        `   "modified_on": "${created_on}",`,
        '   "created_by": "boss",',
        '   "description": "a \\u003cb\\u003e \\u0026 c"',
        '}',
      ].join('\n'),
    );
    expect([created.status, modified_on, created.headers.get('content-type')]).toEqual([
      200,
      created_on,
      'application/json; charset=utf-8',
    ]);
    const shown = await by(boss).get('/projects/first');
    expect([shown.status, shown.text]).toEqual([200, created.text]);
  });

  it.each(['{}', 'null', '{"description":null}', '{"DESCRIPTION":""}', '{"other":[1]}'])(
    'are created with body %s, without a creator',
    async (body) => {
      const name = fresh();
      const created = await by().post(`/projects/${name}`, body);
      const { created_on } = bodyOf<Project>(created);
      expectBody(created, { name, created_on, modified_on: created_on });
      expectBody(await by().get(`/projects/${name}`), { name, created_on, modified_on: created_on });
    },
  );

  it('take members of bodies in any case, the last of equal ones', async () => {
    const answer = await by().post(`/projects/${fresh()}`, '{"description":"a","Description":"b","DESCRIPTION":"c","description":null}');
    expect(bodyOf<Project>(answer).description).toBe('c');
  });

  it.each(MALFORMED)('are not created with body %j', async (body) => {
    const name = fresh();
    expectError(await by().post(`/projects/${name}`, body), 'INVALID_ARGUMENT: Invalid Project Arguments');
    expectError(await by().get(`/projects/${name}`), "NOT_FOUND: project doesn't exist");
  });

  it('have descriptions of at most 4,096 characters', async () => {
    const name = fresh();
    const [description, longer] = ['x'.repeat(4_096), 'x'.repeat(4_097)];
    expectError(await by().post(`/projects/${name}`, { description: longer }), 'INVALID_ARGUMENT: Invalid Project Arguments');
    expect((await by().post(`/projects/${name}`, { description })).status).toBe(200);
    expectError(await by().put(`/projects/${name}`, { description: longer }), 'BAD_REQUEST: Invalid Request Body');
    expect((await by().put(`/projects/${name}`, { description })).status).toBe(200);
  });

  it('have unique names, which are checked after the body', async () => {
    const name = fresh();
    await by().project(name);
    expectError(await by().post(`/projects/${name}`, {}), 'ALREADY_EXISTS: Project already exists');
    expectError(await by().post(`/projects/${name}`, '{'), 'INVALID_ARGUMENT: Invalid Project Arguments');
    const twice = await Promise.all(Array.from({ length: 8 }, () => by().post(`/projects/${name}-twice`, {})));
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('keep what an update leaves empty; every update counts as a modification', async () => {
    const name = fresh();
    await by(boss).project(name, 'old');
    const { created_on } = bodyOf<Project>(await by().get(`/projects/${name}`));
    const updated = (changes: object, modified_on: string) => ({
      name,
      created_on,
      modified_on,
      created_by: 'boss',
      description: 'old',
      ...changes,
    });
    const now = () => new Date().toISOString().slice(0, 19);
    await eventually(async () => now()).until((instant) => `${instant}Z` > created_on);
    for (const [body, changes] of [
      [{}, {}],
      [{ name: '', description: '' }, {}],
      [{ name }, {}],
      [{ description: 'new' }, { description: 'new' }],
      [null, { description: 'new' }],
    ] as const) {
      const answer = await by().put(`/projects/${name}`, body);
      const { modified_on } = bodyOf<Project>(answer);
      expect(modified_on > created_on).toBe(true);
      expectBody(answer, updated(changes, modified_on));
      expectBody(await by().get(`/projects/${name}`), updated(changes, modified_on));
    }
  });

  it('are renamed with everything that is in them', async () => {
    const [name, renamed] = [fresh(), fresh()];
    await by().project(name, 'd');
    const member = await by().user(`member-of-${name}`, { projects: [{ project: name, roles: ['project_admin'] }] });
    expect(bodyOf<Project>(await by(member.token).put(`/projects/${name}`, { NAME: renamed }))).toMatchObject({
      name: renamed,
      description: 'd',
    });
    expectError(await by().get(`/projects/${name}`), "NOT_FOUND: project doesn't exist");
    expect((await by(member.token).get(`/projects/${renamed}`)).status).toBe(200);
    expect(bodyOf(await by().get(`/users/${member.name}`))).toMatchObject({ projects: [{ project: renamed, roles: ['project_admin'] }] });
    await by().project(name); // the old name is free again, and nobody's
    expectError(await by(member.token).get(`/projects/${name}`), 'UNAUTHORIZED: Unauthorized');
  });

  it.each(MALFORMED)('are not updated with body %j', async (body) =>
    expectError(await by().put('/projects/first', body), 'BAD_REQUEST: Invalid Request Body'),
  );

  it('are not renamed to a name that is taken or too long', async () => {
    const name = fresh();
    await by().project(name);
    expectError(
      await by().put(`/projects/${name}`, { name: 'first' }),
      'INVALID_ARGUMENT: invalid project name change, name already exists',
    );
    for (const wrong of ['x'.repeat(1_025), 'a/b', '.', '..'])
      expectError(await by().put(`/projects/${name}`, { name: wrong }), 'INVALID_ARGUMENT: Invalid project name');
  });

  it('may be renamed to any text, as in the original, and are found by it in paths then', async () => {
    for (const odd of ['a, b', 'é', '"R&D"', 'a.b', ' ', "__proto__'\n\u0000"]) {
      const name = fresh();
      await by().project(name);
      const path = `/projects/${encodeURIComponent(odd)}`;
      for (const key of ['', 'nobody']) expectError(await by(key).get(path), 'INVALID_ARGUMENT: Invalid project name');
      expectError(await by().get(path), 'INVALID_ARGUMENT: Invalid project name');
      expect(bodyOf<Project>(await by().put(`/projects/${name}`, { name: odd })).name).toBe(odd);
      for (const key of ['', 'nobody']) expectError(await by(key).get(path), 'INVALID_ARGUMENT: Invalid project name');
      expect(bodyOf<Project>(await by().get(path)).name).toBe(odd);
      expectError(await by().get(`${path}/topics/a.b`), 'INVALID_ARGUMENT: Invalid project name');
      expect((await by().put(`${path}/topics/t`, '')).status).toBe(200);
      for (const [subscription, ackMode] of [
        ['s', 'cursor'],
        ['m', 'message'],
      ] as const) {
        expect((await by().put(`${path}/subscriptions/${subscription}`, { topic: 'projects/x/topics/t', ackMode })).status).toBe(200);
        expect((await by().post(`${path}/topics/t:publish`, { messages: [{ data: 'YQ==' }] })).status).toBe(200);
        const { receivedMessages } = bodyOf<Pulled>(await by().post(`${path}/subscriptions/${subscription}:pull`, {}));
        const ackIds = receivedMessages.map(({ ackId }) => ackId);
        expect(ackIds).toEqual([expect.stringContaining(`projects/${odd}/subscriptions/${subscription}:`)]);
        expect((await by().post(`${path}/subscriptions/${subscription}:acknowledge`, { ackIds })).status).toBe(200);
      }
      expect(bodyOf<Project>(await by().put(path, { name })).name).toBe(name);
      expectError(await by().get(path), 'INVALID_ARGUMENT: Invalid project name');
    }
  });

  it('show the current name of their creator until that user is deleted', async () => {
    const name = fresh();
    const creator = await by().user(`creator-of-${name}`, { service_roles: ['service_admin'] });
    await by(creator.token).project(name);
    const createdBy = async () => bodyOf<Project>(await by().get(`/projects/${name}`)).created_by;
    await by().put(`/users/${creator.name}`, { name: `renamed-${name}` });
    expect(await createdBy()).toBe(`renamed-${name}`);
    await by().delete(`/users/renamed-${name}`);
    expect(await createdBy()).toBeUndefined();
  });

  it('are listed in the order of their creation', async () => {
    const names = [`z-${fresh()}`, `a-${fresh()}`, `m-${fresh()}`];
    for (const name of names) await by(boss).project(name, 'listed');
    await by().put(`/projects/${names[0]}`, {});
    const answer = await by().get('/projects');
    const { projects } = bodyOf<{ projects: readonly Project[] }>(answer);
    expect(projects.slice(-3).map(({ name }) => name)).toEqual(names);
    expectBody(answer, { projects });
    expect(Object.keys(projects.at(-1) ?? {})).toEqual(['name', 'created_on', 'modified_on', 'created_by', 'description']);
  });

  it('are deleted with their memberships, topics and subscriptions; a new one of the name starts empty', async () => {
    const name = fresh();
    await by().project(name);
    const member = await by().user(`of-${name}`, { projects: [{ project: name, roles: ['project_admin'] }] });
    await by().put(`/projects/${name}/topics/t`);
    await by().put(`/projects/${name}/subscriptions/s`, { topic: `projects/${name}/topics/t` });
    expectEmpty(await by(member.token).delete(`/projects/${name}`));
    expectError(await by().delete(`/projects/${name}`), "NOT_FOUND: project doesn't exist");
    expectError(await by(member.token).get(`/projects/${name}`), "NOT_FOUND: project doesn't exist");
    expect(bodyOf<object>(await by().get(`/users/${member.name}`))).not.toHaveProperty('projects');

    await by().project(name);
    expectBody(await by().get(`/projects/${name}/members`), { users: [], nextPageToken: '', totalSize: 0 });
    expectBody(await by().get(`/projects/${name}/topics`), { topics: [], nextPageToken: '', totalSize: 0 });
    expectBody(await by().get(`/projects/${name}/subscriptions`), { subscriptions: [], nextPageToken: '', totalSize: 0 });
    expectError(await by(member.token).get(`/projects/${name}`), 'UNAUTHORIZED: Unauthorized');
    expect((await by().post(`/projects/${name}/members/${member.name}:add`, {})).status).toBe(200);
  });

  it('are created once for each Idempotency-Key', async () => {
    const name = fresh();
    const header = { 'idempotency-key': 'once' };
    const first = await by(boss).post(`/projects/${name}`, { description: 'a' }, header);
    const again = await by(boss).post(`/projects/${name}`, { description: 'a' }, header);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const other = await by(boss).post(`/projects/${name}`, { description: 'b' }, header);
    expect([other.status, bodyOf<{ error: { code: number } }>(other).error.code]).toEqual([422, 422]);
    expect((await by().post(`/projects/${name}`, { description: 'a' }, header)).status).toBe(409); // another caller
  });
});
