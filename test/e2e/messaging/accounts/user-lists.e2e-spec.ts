import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectBody, expectError } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { accountCalls, bodyOf, type User, type UserList } from './accounts.js';

describe('lists of users', () => {
  const scene = serving(embedded);
  const by = (key?: string) => accountCalls(scene, key);
  const item = (project: string, ...roles: string[]) => ({ project, roles, topics: [], subscriptions: [] });
  let boss: User;
  let names: readonly string[] = [];
  let all: readonly User[] = [];
  const list = async (query = '') => bodyOf<UserList>(await by().get(`/users${query}`));

  beforeAll(async () => {
    boss = await by().user('boss', { service_roles: ['service_admin'] });
    for (const name of ['listed', 'p', 'q']) await by().project(name);
    await by().user('in-q', { projects: [{ project: 'q', roles: [] }] });
    const projects = [
      { project: 'listed', roles: ['consumer'] },
      { project: 'p', roles: [] },
    ];
    names = ['z', 'a', 'm', 'b', 'y'].map((name) => `listed-${name}`);
    for (const name of names) await by(boss.token).user(name, { email: name, projects });
    await by().user('listed-outsider');
    await by().put('/users/listed-z', { first_name: 'updated' });
    all = (await list()).users;
  });

  it('have the newest first, and projects only with details', async () => {
    expect(all.slice(0, 6).map(({ name }) => name)).toEqual(['listed-outsider', ...[...names].reverse()]);
    expect(all.slice(6).map(({ name }) => name)).toEqual(['in-q', 'boss']);
    expectBody(await by().get('/users'), { users: all, nextPageToken: '', totalSize: all.length });
    for (const query of ['?details=false', '?details=True', '?details=', '?details=1']) expect((await list(query)).users).toEqual(all);
    const detailed = (await list('?details=true')).users;
    expect(detailed.map(({ projects: _, ...user }) => user)).toEqual(all);
    expect(detailed.find(({ name }) => name === 'listed-a')?.projects).toEqual([item('listed', 'consumer'), item('p')]);
    expect(detailed[0]).not.toHaveProperty('projects');
  });

  it.each([1, 2, 3, 5])('come in pages of %i', async (size) => {
    const found: User[] = [];
    let token = '';
    do {
      const page = await list(`?project=listed&pageSize=${size}&pageToken=${token}`);
      expect([page.totalSize, page.users.length]).toEqual([5, Math.min(size, 5 - found.length)]);
      found.push(...page.users);
      token = page.nextPageToken;
      if (token) expect(Buffer.from(token, 'base64').toString()).toMatch(/^[0-9a-f]{24}$/);
    } while (token !== '');
    expect(found.map(({ name }) => name)).toEqual([...names].reverse());
  });

  it.each(['0', '-1', '+0', '', '6', '9223372036854775807', '-9223372036854775808'])('come whole for page size %j', async (size) => {
    const { users, nextPageToken } = await list(`?project=listed&pageSize=${encodeURIComponent(size)}`);
    expect([users.length, nextPageToken]).toEqual([5, '']);
  });

  it('continue where the last page ended although users were created and deleted', async () => {
    const { nextPageToken } = await list('?project=listed&pageSize=2');
    await by().user('listed-late', { projects: [{ project: 'listed', roles: [] }] });
    const rest = async () => (await list(`?project=listed&pageToken=${nextPageToken}`)).users.map(({ name }) => name);
    expect(await rest()).toEqual(['listed-m', 'listed-a', 'listed-z']);
    await by().delete('/users/listed-m');
    expect(await rest()).toEqual(['listed-a', 'listed-z']);
  });

  it.each([
    ['?pageSize=x', 'Invalid page size'],
    ['?pageSize=1.0', 'Invalid page size'],
    ['?pageSize=1e1', 'Invalid page size'],
    ['?pageSize=9223372036854775808', 'Invalid page size'],
    ['?pageSize=x&pageToken=x&project=no', 'Invalid page size'],
    ['?pageToken=x&project=no', 'Invalid page token'],
    ['?pageToken=%25', 'Invalid page token'],
    [`?pageToken=${Buffer.from('not hex, but of the length').toString('base64')}`, 'Invalid page token'],
    [`?pageToken=${Buffer.from('0'.repeat(23)).toString('base64')}`, 'Invalid page token'],
    [`?pageToken=${'0'.repeat(24)}`, 'Invalid page token'],
  ] as const)('are refused for %s', async (query, message) =>
    expectError(await by().get(`/users${query}`), `INVALID_ARGUMENT: ${message}`),
  );

  it('can be limited to a project, which must exist', async () => {
    expectError(await by().get('/users?project=no'), "NOT_FOUND: ProjectUUID doesn't exist");
    expectBody(await by().get('/users?project=q&pageToken=MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw'), {
      users: [],
      nextPageToken: '',
      totalSize: (await list('?project=q')).totalSize,
    });
  });
});
