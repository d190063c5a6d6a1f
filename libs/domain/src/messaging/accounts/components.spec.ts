import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { AccountCommand, UserKey, UserProfile } from './account-commands.js';
import type { AccountEvent, Component, Membership } from './account-events.js';
import { accounts } from './accounts.js';

const given = deciderSpec(accounts);

const NOBODY = { firstName: '', lastName: '', organization: '', email: '', description: '' };
const PAIR = { component: 'monbox', componentProject: 'ARGO' };
const token = { token: 'secret', tokenHash: 'hash' };

const data = (userId: string, component: Component, memberships: readonly Membership[], serviceRoles: readonly string[]) => ({
  userId,
  name: userId,
  ...NOBODY,
  ...component,
  serviceRoles,
  memberships,
});
const user = (
  userId: string,
  component: Component = {},
  memberships: readonly Membership[] = [],
  serviceRoles: readonly string[] = [],
): AccountEvent => ({ type: 'UserCreated', data: { ...data(userId, component, memberships, serviceRoles), ...token, createdBy: null } });
const revised = (userId: string, component: Component): AccountEvent => ({ type: 'UserRevised', data: data(userId, component, [], []) });

const create = (component: Component, name = 'new', more: Partial<Extract<AccountCommand, { type: 'CreateUser' }>> = {}) =>
  ({
    type: 'CreateUser',
    userId: name,
    profile: { name, ...NOBODY, ...component },
    projects: [],
    serviceRoles: [],
    token,
    by: null,
    ...more,
  }) as const;
const revise = (name: string, changes: Partial<UserProfile>, lists: object = {}): AccountCommand => ({
  type: 'ReviseUser',
  name,
  changes: { name: '', ...NOBODY, ...changes },
  ...lists,
});
const refresh = (key: UserKey): AccountCommand => ({ type: 'RefreshToken', user: key, token: { token: 'new', tokenHash: 'new hash' } });
const refreshed = (userId: string): AccountEvent => ({ type: 'UserTokenRefreshed', data: { userId, token: 'new', tokenHash: 'new hash' } });

describe('components', () => {
  it('are stored with users, except empty texts', () => {
    given().when(create(PAIR)).then(user('new', PAIR));
    given()
      .when(create({ component: 'monbox', componentProject: '' }))
      .then(user('new', { component: 'monbox' }));
    given()
      .when(create({ component: '', componentProject: '' }))
      .then(user('new'));
  });

  it.each<readonly [string, readonly AccountEvent[], AccountCommand]>([
    ['by a creation', [user('u', PAIR)], create(PAIR)],
    ['before the name of a creation', [user('u', PAIR)], create(PAIR, 'u')],
    ['before the lists of a creation', [user('u', PAIR)], create(PAIR, 'new', { serviceRoles: ['x'] })],
    ['by an update', [user('u', PAIR), user('v')], revise('v', PAIR)],
    ['before the lists of an update', [user('u', PAIR), user('v')], revise('v', PAIR, { serviceRoles: ['x'] })],
    ['by an update of nobody', [user('u', PAIR)], revise('nobody', PAIR)],
    ['by adding the missing half', [user('u', PAIR), user('v', { component: 'monbox' })], revise('v', { componentProject: 'ARGO' })],
    ['by changing one half', [user('u', PAIR), user('v', { ...PAIR, component: 'poem' })], revise('v', { component: 'monbox' })],
    ['after an update', [user('u'), revised('u', PAIR)], create(PAIR)],
  ])('are taken only once: %s', (_what, events, command) =>
    given(...events)
      .when(command)
      .thenRejected('COMPONENT_TAKEN', PAIR),
  );

  it('are free for their own user, for other pairs, and again after a change or deletion of the user', () => {
    const before = [user('u', PAIR)];
    given(...before)
      .when(revise('u', PAIR))
      .then(revised('u', PAIR));
    for (const other of [{ component: 'Monbox' }, { componentProject: 'argo' }, { component: 'mon', componentProject: 'boxARGO' }])
      given(...before)
        .when(create({ ...PAIR, ...other }))
        .then(user('new', { ...PAIR, ...other }));
    given(...before, { type: 'UserDeleted', data: { userId: 'u' } })
      .when(create(PAIR))
      .then(user('new', PAIR));
    given(...before, revised('u', { component: 'poem' }))
      .when(create(PAIR))
      .then(user('new', PAIR));
  });

  it('are unchanged if an update leaves them out, and cannot be cleared', () => {
    given(user('u', PAIR)).when(revise('u', {})).then(revised('u', PAIR));
    given(user('u', PAIR))
      .when(revise('u', { component: '', componentProject: 'EGI' }))
      .then(revised('u', { component: 'monbox', componentProject: 'EGI' }));
    given(user('u', PAIR), revised('u', {})).when(refresh(PAIR)).then(refreshed('u'));
    given(user('u', PAIR), { type: 'MemberAdded', data: { userId: 'u', projectId: 'p', roles: [] } })
      .when(refresh(PAIR))
      .then(refreshed('u'));
  });

  it('identify the user who gets a new token', () => {
    given(user('u', PAIR), user('v'))
      .when(refresh({ userId: 'v' }))
      .then(refreshed('v'));
    given(user('u', PAIR), user('v')).when(refresh(PAIR)).then(refreshed('u'));
    given(user('v'))
      .when(refresh({ userId: 'u' }))
      .thenRejected('USER_NOT_FOUND');
    for (const component of [{}, { component: 'monbox' }, { ...PAIR, componentProject: 'EGI' }])
      given(user('u', component)).when(refresh(PAIR)).thenRejected('COMPONENT_NOT_CONFIGURED', PAIR);
  });

  it.each<readonly [string, readonly Membership[], readonly string[], boolean]>([
    ['is no member', [], [], true],
    ['is a member of this project', [{ projectId: 'p', roles: ['publisher'] }], [], true],
    ['is a member of another project', [{ projectId: 'q', roles: [] }], [], false],
    ['has a service role', [{ projectId: 'p', roles: [] }], ['metrics_viewer'], false],
  ])('within a project: a user who %s', (_what, memberships, serviceRoles, reached) => {
    const asked = given(user('u', PAIR, memberships, serviceRoles)).when(refresh({ ...PAIR, within: 'p' }));
    if (reached) asked.then(refreshed('u'));
    else asked.thenRejected('COMPONENT_BEYOND_PROJECT', PAIR);
  });
});
