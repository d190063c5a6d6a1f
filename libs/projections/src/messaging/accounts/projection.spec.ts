import { describe, it } from '@jest/globals';
import type { Membership } from '#domain/messaging/accounts/account-events.js';
import { projectionSpec } from '#test/support/projection-spec.js';
import { accountsProjection } from './projection.js';

const T = '2024-01-02T03:04:05Z';
const LATER = { metadata: { time: '2024-05-06T07:08:09.999Z' } };
const order = (revision: number) => revision.toString(16).padStart(24, '0');
const PERSON = { firstName: 'Ann', lastName: 'Bee', organization: 'GR', email: 'a@b' };
const of = (projectId: string, ...roles: string[]): Membership => ({ projectId, roles });

const projectCreated = (projectId: string) => ({
  type: 'ProjectCreated',
  data: { projectId, name: `${projectId}-name`, description: 'd', createdBy: 'u' },
});
const userData = (userId: string, memberships: readonly Membership[]) => ({
  userId,
  name: `${userId}-name`,
  ...PERSON,
  description: 'd',
  token: `token of ${userId}`,
  tokenHash: `hash of ${userId}`,
  serviceRoles: ['admin_viewer'],
  memberships,
  createdBy: null,
});
const userCreated = (userId: string, ...memberships: Membership[]) => ({ type: 'UserCreated', data: userData(userId, memberships) });
const submitted = {
  type: 'RegistrationSubmitted',
  data: { registrationId: 'r', name: 'n', ...PERSON, description: 'd', activationToken: 'a' },
};

/** The documents of one user. */
const userDocuments = (revision: number, changes: object = {}, userId = 'u') => {
  const user = { ...userData(userId, []), createdOn: T, modifiedOn: T, order: order(revision), ...changes };
  const { name, tokenHash, serviceRoles, memberships } = user;
  return {
    users: { [userId]: user },
    'users.by-name': { [name]: { userId } },
    'users.in-order': { [order(revision)]: { userId } },
    tokens: { [tokenHash]: { userId, name, serviceRoles, memberships } },
    ...(memberships.length > 0
      ? { members: Object.fromEntries(memberships.map(({ projectId }) => [`${projectId}/${order(revision)}`, { userId }])) }
      : {}),
  };
};

const given = projectionSpec(accountsProjection);

describe('accounts', () => {
  const project = { projectId: 'p', name: 'p-name', description: 'd', createdOn: T, modifiedOn: T, createdBy: 'u', order: order(0) };

  it('finds projects by id and name', () => {
    given(projectCreated('p')).then({ projects: { p: project }, 'projects.by-name': { 'p-name': { projectId: 'p', name: 'p-name' } } });
    given(projectCreated('p'), { type: 'ProjectRevised', data: { projectId: 'p', name: 'q', description: 'e' }, ...LATER }).then({
      projects: { p: { ...project, name: 'q', description: 'e', modifiedOn: '2024-05-06T07:08:09Z' } },
      'projects.by-name': { q: { projectId: 'p', name: 'q' } },
    });
    given(projectCreated('p'), { type: 'ProjectDeleted', data: { projectId: 'p' } }).then({});
  });

  it('finds users by id, name, token and order', () => {
    given(userCreated('u', of('p', 'publisher'))).then(userDocuments(0, { memberships: [of('p', 'publisher')] }));
    given(userCreated('u', of('p')), { type: 'UserDeleted', data: { userId: 'u' } }).then({});
  });

  it('stores the component of a user', () => {
    const pair = { component: 'monbox', componentProject: 'ARGO' };
    const created = { type: 'UserCreated', data: { ...userData('u', []), ...pair } };
    given(created).then(userDocuments(0, pair));
    const { token: _token, tokenHash: _hash, createdBy: _by, ...revision } = userData('u', []);
    given(created, { type: 'UserRevised', data: { ...revision, component: 'poem' } }).then(
      userDocuments(0, { ...pair, component: 'poem' }),
    );
    given(created, { type: 'UserRevised', data: revision }).then(userDocuments(0, pair));
  });

  it('applies changes of a user', () => {
    const data = {
      userId: 'u',
      name: 'v',
      ...PERSON,
      firstName: 'X',
      description: 'e',
      serviceRoles: [],
      memberships: [of('q'), of('p', 'consumer')],
    };
    const { firstName, name, description, serviceRoles, memberships } = data;
    given(userCreated('u', of('p', 'publisher'), of('gone')), { type: 'UserRevised', data, ...LATER }).then(
      userDocuments(0, { firstName, name, description, serviceRoles, memberships, modifiedOn: '2024-05-06T07:08:09Z' }),
    );
    given(userCreated('u', of('p')), { type: 'UserTokenRefreshed', data: { userId: 'u', token: 't', tokenHash: 'h' }, ...LATER }).then(
      userDocuments(0, { token: 't', tokenHash: 'h', memberships: [of('p')] }),
    );
  });

  it('applies changes of memberships', () => {
    const added = { type: 'MemberAdded', data: { userId: 'u', ...of('q', 'consumer') }, ...LATER };
    const replaced = { type: 'MemberRolesReplaced', data: { userId: 'u', ...of('p', 'publisher') }, ...LATER };
    const removed = { type: 'MemberRemoved', data: { userId: 'u', projectId: 'p' }, ...LATER };
    const modifiedOn = '2024-05-06T07:08:09Z';
    const both = [of('p', 'publisher'), of('q', 'consumer')];
    given(userCreated('u', of('p')), added).then(userDocuments(0, { memberships: [of('p'), of('q', 'consumer')], modifiedOn }));
    given(userCreated('u', of('p'), of('q', 'consumer')), replaced).then(userDocuments(0, { memberships: both, modifiedOn }));
    given(userCreated('u', of('p'), of('q', 'consumer')), removed).then(
      userDocuments(0, { memberships: [of('q', 'consumer')], modifiedOn }),
    );
  });

  it('lists no members of a deleted project, even after later changes of its users', () => {
    const changed = { type: 'MemberAdded', data: { userId: 'u', ...of('q') } };
    given(projectCreated('p'), userCreated('u', of('p')), { type: 'ProjectDeleted', data: { projectId: 'p' } }, changed).then({
      ...userDocuments(1, { memberships: [of('p'), of('q')] }),
      members: { [`q/${order(1)}`]: { userId: 'u' } },
    });
  });

  it('separates users of one batch', () => {
    given(userCreated('u'), userCreated('w')).thenCollections({
      'users.in-order': { [order(0)]: { userId: 'u' }, [order(1)]: { userId: 'w' } },
      'users.by-name': { 'u-name': { userId: 'u' }, 'w-name': { userId: 'w' } },
    });
  });

  it('shows erased data as empty', () => {
    const forgotten = { firstName: null, lastName: null, organization: null, email: null, token: null };
    given({ type: 'UserCreated', data: { ...userData('u', []), ...forgotten } }).then(
      userDocuments(0, { firstName: '', lastName: '', organization: '', email: '', token: '' }),
    );
    given({ type: 'RegistrationSubmitted', data: { ...submitted.data, ...forgotten, activationToken: null } }).then({
      registrations: { r: { ...registration, firstName: '', lastName: '', organization: '', email: '', activationToken: '' } },
    });
  });

  const registration = {
    registrationId: 'r',
    name: 'n',
    ...PERSON,
    description: 'd',
    status: 'pending',
    declineComment: '',
    activationToken: 'a',
    registeredAt: T,
    modifiedBy: null,
    modifiedAt: '',
    order: order(0),
  };

  it('applies changes of registrations', () => {
    const settled = { ...registration, activationToken: '', modifiedBy: 'boss', modifiedAt: '2024-05-06T07:08:09Z' };
    const accepted = { type: 'RegistrationAccepted', data: { registrationId: 'r', userId: 'u', by: 'boss' }, ...LATER };
    const declined = { type: 'RegistrationDeclined', data: { registrationId: 'r', comment: 'no', by: 'boss' }, ...LATER };
    given(submitted).then({ registrations: { r: registration } });
    given(submitted, accepted).then({ registrations: { r: { ...settled, status: 'accepted' } } });
    given(submitted, declined).then({ registrations: { r: { ...settled, status: 'declined', declineComment: 'no' } } });
    given(submitted, { type: 'RegistrationDeleted', data: { registrationId: 'r' } }).then({});
  });
});
