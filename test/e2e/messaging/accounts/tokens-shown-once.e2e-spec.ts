import { describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import { accountCalls, bodyOf, HEX_64, type Registration, type User, type UserList } from './accounts.js';

describe('LOGBOOK_MESSAGING_TOKENS_SHOWN=once', () => {
  const scene = serving(embedded, { LOGBOOK_MESSAGING_TOKENS_SHOWN: 'once' });
  const by = (key?: string) => accountCalls(scene, key);
  const token = (answer: Answer): string => {
    const shown = bodyOf<User>(answer).token;
    expect([answer.status, shown]).toEqual([200, expect.stringMatching(HEX_64)]);
    return shown;
  };

  it('shows tokens in the answers to calls that make them, and in no others', async () => {
    await by().project('p');
    const boss = token(await by().post('/users/boss', { service_roles: ['service_admin'], component: 'c', component_project: 'p' }));
    const member = token(await by(boss).post('/projects/p/members/member', {}));
    const { uuid } = bodyOf<Registration>(await by(boss).post('/registrations', { name: 'registered' }));
    const registered = token(await by(boss).post(`/registrations/${uuid}:accept`));
    const refreshed = token(await by(boss).post('/users/member:refreshToken'));
    const { uuid: id } = bodyOf<User>(await by(boss).get('/users/member'));
    const byUuid = token(await by(boss).post(`/users:refreshTokenByUUID/${id}`));
    for (const old of [member, refreshed]) expectError(await by(old).get('/users/profile'), 'UNAUTHORIZED: Unauthorized');

    const reads = [
      by().get('/users/boss'),
      by().get(`/users:byUUID/${id}`),
      by().get(`/users:byToken/${byUuid}`),
      by(byUuid).get('/users/profile'),
      by(registered).get('/users/profile'),
      by().get('/projects/p/members/member'),
      by().put('/users/member', { description: 'd' }),
      by().put('/projects/p/members/member', { projects: [{ project: 'p', roles: ['consumer'] }] }),
      by().post('/projects/p/members/registered:add', { roles: [] }),
    ];
    for (const answer of await Promise.all(reads)) {
      expect(answer.status).toBe(200);
      expect(bodyOf<object>(answer)).not.toHaveProperty('token');
    }
    for (const path of ['/users', '/projects/p/members']) {
      const { users } = bodyOf<UserList>(await by().get(path));
      expect([users.length > 1, users.some((user) => 'token' in user)]).toEqual([true, false]);
    }
    const { data } = bodyOf<{ data: { api_key: string } }>(await by().post('/integrations/components/c/by-project-name/p/refresh'));
    expect((await by(data.api_key).get('/users/profile')).status).toBe(200);
  });

  it('leaves the token out of the answer to a repeated call, because it is not kept', async () => {
    const header = { 'idempotency-key': 'k' };
    const first = await by().post('/users/repeated', {}, header);
    const { token: shown, ...rest } = bodyOf<User>(first);
    expect(bodyOf<User>(await by().post('/users/repeated', {}, header))).toEqual(rest);
    expect((await by(shown).get('/users/profile')).status).toBe(200);
    const refresh = () => by().post(`/users:refreshTokenByUUID/${rest.uuid}`, '', header);
    const fresh = token(await refresh());
    expectError(await refresh(), 'CONFLICT: The token was shown by the first answer to this call, and is not kept');
    expect((await by(fresh).get('/users/profile')).status).toBe(200);
  });

  it('does not bring back a user that is gone', async () => {
    const { uuid } = await by().user('gone');
    await by().delete('/users/gone');
    expectError(await by().post('/users/gone:refreshToken'), "NOT_FOUND: User doesn't exist");
    expectError(await by().post(`/users:refreshTokenByUUID/${uuid}`), "NOT_FOUND: User doesn't exist");
  });
});
