import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { AccountEvent, Membership, UserCreated } from './account-events.js';
import { accounts } from './accounts.js';

const given = deciderSpec(accounts);

const PERSON = { firstName: 'Ann', lastName: 'Bee', organization: 'GR', email: 'a@b', description: 'd' };
const token = { token: 'secret', tokenHash: 'hash' };

const project = {
  type: 'ProjectCreated' as const,
  data: { projectId: 'p', name: 'p', description: '', createdBy: null },
} satisfies AccountEvent;
const user = (userId: string, changes: Partial<UserCreated> = {}): AccountEvent => ({
  type: 'UserCreated',
  data: { userId, name: userId, ...PERSON, ...token, serviceRoles: [], memberships: [], createdBy: 'boss', ...changes },
});
const registration = (registrationId: string, name = registrationId): AccountEvent => ({
  type: 'RegistrationSubmitted',
  data: { registrationId, name, ...PERSON, activationToken: 'activate' },
});
const accepted: AccountEvent = { type: 'RegistrationAccepted', data: { registrationId: 'r', userId: 'u', by: null } };
const declined: AccountEvent = { type: 'RegistrationDeclined', data: { registrationId: 'r', comment: '', by: null } };

describe('registrations', () => {
  const submit = {
    type: 'SubmitRegistration',
    registrationId: 'r',
    profile: { name: 'n', ...PERSON },
    activationToken: 'activate',
  } as const;
  const accept = { type: 'AcceptRegistration', registrationId: 'r', userId: 'id', token, by: 'boss' } as const;
  const decline = { type: 'DeclineRegistration', registrationId: 'r', comment: 'no', by: 'boss' } as const;
  const remove = { type: 'DeleteRegistration', registrationId: 'r' } as const;
  const grant = { projectId: 'new', project: 'p', roles: ['project_admin'] };
  const account = (...memberships: Membership[]): AccountEvent => user('id', { name: 'n', memberships });
  const done: AccountEvent = { type: 'RegistrationAccepted', data: { registrationId: 'r', userId: 'id', by: 'boss' } };

  it('need a free name; several may request the same name', () => {
    given().when(submit).then(registration('r', 'n'));
    given(registration('s', 'n')).when(submit).then(registration('r', 'n'));
    given(user('n')).when(submit).thenRejected('USER_EXISTS');
  });

  it('become users', () => given(registration('r', 'n')).when(accept).then(account(), done));

  it('become users with a membership, in a new project if necessary', () => {
    given(registration('r', 'n'))
      .when({ ...accept, grant })
      .then(
        { type: 'ProjectCreated', data: { projectId: 'new', name: 'p', description: '', createdBy: 'boss' } },
        account({ projectId: 'new', roles: ['project_admin'] }),
        done,
      );
    given(registration('r', 'n'), project)
      .when({ ...accept, grant })
      .then(account({ projectId: 'p', roles: ['project_admin'] }), done);
    given(registration('r', 'n'))
      .when({ ...accept, grant: { ...grant, roles: ['x'] } })
      .thenRejected('ROLE_UNKNOWN', { role: 'x' });
  });

  it.each([
    ['n', [], 'n'],
    ['n', ['n'], 'n-2'],
    ['n', ['n', 'n-2', 'n-4'], 'n-3'],
    ['n-2', ['n', 'n-2'], 'n-2-2'],
    ['A_b-1', ['a_b-1'], 'A_b-1'],
    ['Ann Bée.x', [], 'Ann-B-e-x'],
    ['Ann Bée.x', ['Ann-B-e-x'], 'Ann-B-e-x-2'],
  ])('of %j become users with a project of their own; if %j are taken, it is %s', (name, taken, expected) => {
    const others = taken.map((one): AccountEvent => ({ type: 'ProjectCreated', data: { ...project.data, projectId: one, name: one } }));
    given(registration('r', name), ...others)
      .when({ ...accept, grant: { projectId: 'new', roles: ['project_admin'] } })
      .then(
        { type: 'ProjectCreated', data: { projectId: 'new', name: expected, description: '', createdBy: 'boss' } },
        user('id', { name, memberships: [{ projectId: 'new', roles: ['project_admin'] }] }),
        done,
      );
  });

  it('reuse the name of a deleted project', () =>
    given(registration('r', 'p'), project, { type: 'ProjectDeleted', data: { projectId: 'p' } })
      .when({ ...accept, grant: { projectId: 'new', roles: [] } })
      .then(
        { type: 'ProjectCreated', data: { projectId: 'new', name: 'p', description: '', createdBy: 'boss' } },
        user('id', { name: 'p', memberships: [{ projectId: 'new', roles: [] }] }),
        done,
      ));

  it('are refused if their name has been taken meanwhile', () =>
    given(registration('r', 'n'), user('n')).when(accept).thenRejected('USER_EXISTS'));

  it('are declined', () => {
    given(registration('r'))
      .when(decline)
      .then({ type: 'RegistrationDeclined', data: { registrationId: 'r', comment: 'no', by: 'boss' } });
  });

  it.each([[[]], [[registration('r', 'n'), accepted]], [[registration('r', 'n'), declined]]])(
    'are settled once: not again after %j',
    (events) => {
      given(...events)
        .when(accept)
        .thenRejected('REGISTRATION_NOT_FOUND');
      given(...events)
        .when(decline)
        .thenRejected('REGISTRATION_NOT_FOUND');
    },
  );

  it('are deleted in any state', () => {
    const gone: AccountEvent = { type: 'RegistrationDeleted', data: { registrationId: 'r' } };
    for (const events of [[registration('r')], [registration('r'), accepted], [registration('r'), declined]])
      given(...events)
        .when(remove)
        .then(gone);
    given(registration('r'), gone).when(remove).thenRejected('REGISTRATION_NOT_FOUND');
    given().when(remove).thenRejected('REGISTRATION_NOT_FOUND');
  });
});
