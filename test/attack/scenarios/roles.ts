import { MESSAGING_ROLES } from '#domain/messaging/accounts/roles.js';
import type { Attack } from '#test/attack/attack.js';
import { embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';

type Account = Readonly<{ uuid: string; token: string }>;

/** An administrator of one project takes every role in it and goes for what belongs to others. */
const climbing: Attack = {
  name: 'a project administrator takes service roles',
  run: async (cleanup) => {
    const { environment, dispose } = await embedded();
    cleanup.defer(dispose);
    const server = await startLogbook(environment);
    cleanup.defer(() => server.stop());
    const root = httpClient(server.url);
    let attempts = 0;
    const call = async (method: 'get' | 'post' | 'put' | 'delete', path: string, key: string, body?: object) => {
      attempts += 1;
      return root[method](`/v1${path}`, { key, body });
    };
    for (const name of ['mine', 'theirs']) await call('post', `/projects/${name}`, SERVICE_TOKEN, {});
    const account = async (name: string, projects: readonly object[], serviceRoles: readonly string[] = []): Promise<Account> =>
      (await call('post', `/users/${name}`, SERVICE_TOKEN, { projects, service_roles: serviceRoles })).json as Account;
    const attacker = await account('attacker', [{ project: 'mine', roles: ['project_admin'] }]);
    const victim = await account('victim', [{ project: 'theirs', roles: ['project_admin'] }], ['service_admin']);
    await call('put', '/users/victim', SERVICE_TOKEN, { component: 'engine', component_project: 'mine' });
    const answers: string[] = [];
    for (const role of MESSAGING_ROLES) {
      const roles = ['project_admin', role];
      answers.push((await call('put', '/projects/mine/members/attacker', attacker.token, { projects: [{ project: 'mine', roles }] })).text);
      answers.push((await call('post', '/projects/mine/members/victim:add', attacker.token, { roles })).text);
      for (const path of ['/projects/mine/members', '/projects/mine/members?details=true', '/projects/mine/members/victim'])
        answers.push((await call('get', path, attacker.token)).text);
      const renamed = { projects: [{ project: 'mine', roles: [role] }] };
      answers.push((await call('put', '/projects/mine/members/victim', attacker.token, renamed)).text);
      const beyond = [
        '/users',
        '/users/victim',
        `/users:byUUID/${victim.uuid}`,
        `/users:byToken/${victim.token}`,
        '/projects',
        '/projects/theirs',
        '/projects/theirs/members',
        '/registrations',
        '/metrics',
        '/users/profile',
        '/status?details=true',
      ];
      for (const path of beyond) answers.push((await call('get', path, attacker.token)).text);
      for (const path of [
        '/users/new',
        '/users/victim:refreshToken',
        `/users:refreshTokenByUUID/${victim.uuid}`,
        '/integrations/components/engine/by-project-name/mine/refresh',
        '/integrations/engine/by-project-name/mine/refresh',
      ])
        answers.push((await call('post', path, attacker.token, {})).text);
      await call('post', '/projects/mine/members/victim:remove', attacker.token);
    }
    const leaked = answers.filter((text) => text.includes(victim.token) || /"project": *"theirs"/.test(text));
    const holds = (await call('get', '/users/profile', victim.token)).status === 200;
    const held = leaked.length === 0 && holds;
    return {
      held,
      attempts,
      detail: held
        ? `no token and no project of another in ${answers.length} answers`
        : `${leaked.length} of ${answers.length} answers show what is not the attacker’s`,
    };
  },
};

export const attacks: readonly Attack[] = [climbing];
