import { describe, it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import type { AccountCommand, Profile } from './account-commands.js';
import type { AccountEvent, Membership } from './account-events.js';
import { accounts } from './accounts.js';
import { MESSAGING_ROLES } from './roles.js';

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

const given = deciderSpec(accounts);

const project = (projectId: string, name = projectId): EventOf<'ProjectCreated'> => ({
  type: 'ProjectCreated',
  data: { projectId, name, description: `about ${projectId}`, createdBy: 'boss' },
});
const PERSON = { firstName: 'Ann', lastName: 'Bee', organization: 'GR', email: 'a@b', description: 'd' };
const NOBODY = { firstName: '', lastName: '', organization: '', email: '', description: '' };
const token = { token: 'secret', tokenHash: 'hash' };

const user = (userId: string, memberships: readonly Membership[] = [], changes: Partial<EventOf<'UserCreated'>['data']> = {}) =>
  ({
    type: 'UserCreated',
    data: { userId, name: userId, ...PERSON, ...token, serviceRoles: ['register_admin'], memberships, createdBy: null, ...changes },
  }) satisfies EventOf<'UserCreated'>;
/** The event of a revision that changes nothing. */
const unchanged = (userId: string, memberships: readonly Membership[]): AccountEvent => ({
  type: 'UserRevised',
  data: { userId, name: userId, ...PERSON, serviceRoles: ['register_admin'], memberships },
});
const inP = (...roles: string[]): Membership => ({ projectId: 'p', roles });

describe('projects', () => {
  const create = { type: 'CreateProject', projectId: 'new', name: 'p', description: 'about', by: 'boss' } as const;
  const revise = (name: string, description: string) => ({ type: 'ReviseProject', projectId: 'p', name, description }) as const;
  const revised = (name: string, description: string): AccountEvent => ({
    type: 'ProjectRevised',
    data: { projectId: 'p', name, description },
  });
  const deleted: AccountEvent = { type: 'ProjectDeleted', data: { projectId: 'p' } };
  const created: AccountEvent = { type: 'ProjectCreated', data: { projectId: 'new', name: 'p', description: 'about', createdBy: 'boss' } };

  it('have unique names', () => {
    given().when(create).then(created);
    given(project('p')).when(create).thenRejected('PROJECT_EXISTS');
    given(project('p'), revised('q', '')).when(create).then(created);
    given(project('x', 'q'), { type: 'ProjectRevised', data: { projectId: 'x', name: 'p', description: '' } })
      .when(create)
      .thenRejected('PROJECT_EXISTS');
    given(project('p'), deleted).when(create).then(created);
  });

  it('keep values that a revision leaves empty; any revision is recorded', () => {
    given(project('p')).when(revise('', '')).then(revised('p', 'about p'));
    given(project('p')).when(revise('q', 'new')).then(revised('q', 'new'));
    given(project('p')).when(revise('p', '')).then(revised('p', 'about p'));
    given(project('p'), project('q')).when(revise('q', '')).thenRejected('PROJECT_NAME_TAKEN');
    given().when(revise('q', '')).thenRejected('PROJECT_NOT_FOUND');
  });

  it('are deleted once', () => {
    given(project('p')).when({ type: 'DeleteProject', projectId: 'p' }).then(deleted);
    given(project('p'), deleted).when({ type: 'DeleteProject', projectId: 'p' }).thenRejected('PROJECT_NOT_FOUND');
  });

  it('can be required, which records nothing', () => {
    given(project('p')).when({ type: 'RequireProject', projectId: 'p' }).then();
    given(project('p'), deleted).when({ type: 'RequireProject', projectId: 'p' }).thenRejected('PROJECT_NOT_FOUND');
  });

  it('are deleted with their memberships', () => {
    const revision = { type: 'ReviseUser', name: 'u', changes: { name: '', ...NOBODY } } as const;
    given(project('p'), project('q'), user('u', [inP('publisher'), { projectId: 'q', roles: [] }]), deleted)
      .when(revision)
      .then(unchanged('u', [{ projectId: 'q', roles: [] }]));
  });
});

describe('users', () => {
  const profile: Profile = { name: 'u', ...PERSON };
  const create = (changes: Partial<Extract<AccountCommand, { type: 'CreateUser' }>> = {}) =>
    ({ type: 'CreateUser', userId: 'id', profile, projects: [], serviceRoles: [], token, by: 'boss', ...changes }) as const;
  const of = (name: string, ...roles: string[]) => ({ project: name, roles });

  it('are created with memberships and service roles', () => {
    given(project('p'), project('q'))
      .when(create({ projects: [of('q', 'consumer'), of(''), of('p')], serviceRoles: [...MESSAGING_ROLES] }))
      .then({
        type: 'UserCreated',
        data: {
          userId: 'id',
          name: 'u',
          ...PERSON,
          ...token,
          serviceRoles: MESSAGING_ROLES,
          memberships: [{ projectId: 'q', roles: ['consumer'] }, inP()],
          createdBy: 'boss',
        },
      });
  });

  it.each<readonly [string, readonly ReturnType<typeof of>[], readonly string[], string, object]>([
    ['a taken name, before other errors', [of('nothing')], ['nobody'], 'USER_EXISTS', {}],
    ['a repeated project', [of('p'), of('p', 'nobody')], [], 'PROJECT_REPEATED', { project: 'p' }],
    ['an unknown project', [of('p'), of('x', 'nobody')], [], 'PROJECT_UNKNOWN', { project: 'x' }],
    ['an unknown role in a project', [of('p', 'publisher', 'nobody'), of('x')], ['nothing'], 'ROLE_UNKNOWN', { role: 'nobody' }],
    ['an unknown service role', [of('p')], ['publisher', 'nothing'], 'ROLE_UNKNOWN', { role: 'nothing' }],
    ['the hidden role', [], ['_admin_'], 'ROLE_UNKNOWN', { role: '_admin_' }],
  ])('are not created with %s', (_what, projects, serviceRoles, code, details) => {
    const before = code === 'USER_EXISTS' ? [user('u')] : [];
    given(project('p'), ...before)
      .when(create({ projects, serviceRoles }))
      .thenRejected(code, details);
  });

  const revise = (
    changes: Partial<Profile>,
    lists: Readonly<{ projects?: readonly ReturnType<typeof of>[]; serviceRoles?: string[] }> = {},
  ) => ({ type: 'ReviseUser', name: 'u', changes: { name: '', ...NOBODY, ...changes }, ...lists }) as const;
  const revised = (changes: object): AccountEvent => ({
    type: 'UserRevised',
    data: { userId: 'u', name: 'u', ...PERSON, serviceRoles: ['register_admin'], memberships: [inP('publisher')], ...changes },
  });
  const before = [project('p'), project('q'), user('u', [inP('publisher')]), user('other')];

  it('keep values that a revision leaves out', () => {
    given(...before)
      .when(revise({}))
      .then(revised({}));
    const everything = { name: 'v', firstName: '1', lastName: '2', organization: '3', email: '4', description: '5' };
    given(...before)
      .when(revise(everything))
      .then(revised(everything));
    given(...before)
      .when(revise({ name: 'u' }))
      .then(revised({}));
    given(...before)
      .when(revise({}, { projects: [], serviceRoles: [] }))
      .then(revised({ memberships: [], serviceRoles: [] }));
    given(...before)
      .when(revise({}, { projects: [of('q', 'consumer')] }))
      .then(revised({ memberships: [{ projectId: 'q', roles: ['consumer'] }] }));
    given(...before)
      .when(revise({}, { serviceRoles: ['push_worker'] }))
      .then(revised({ serviceRoles: ['push_worker'] }));
  });

  it.each<readonly [Partial<Profile>, Parameters<typeof revise>[1], string, object]>([
    [{ name: 'other' }, {}, 'USER_NAME_TAKEN', {}],
    [{ name: 'other' }, { serviceRoles: ['x'] }, 'ROLE_UNKNOWN', { role: 'x' }],
    [{}, { projects: [of('p', 'y')], serviceRoles: ['x'] }, 'ROLE_UNKNOWN', { role: 'y' }],
    [{}, { projects: [of('p'), of('p')] }, 'PROJECT_REPEATED', { project: 'p' }],
    [{}, { projects: [of('x')] }, 'PROJECT_UNKNOWN', { project: 'x' }],
  ])('are not revised to %j with %j', (changes, lists, code, details) =>
    given(...before)
      .when(revise(changes, lists))
      .thenRejected(code, details),
  );

  const created = user('id', [], { name: 'u', serviceRoles: [], createdBy: 'boss' });

  it('hold their name as long as they exist', () => {
    given(...before, revised({ name: 'v' }))
      .when(revise({}))
      .thenRejected('USER_NOT_FOUND');
    given(...before, revised({ name: 'v' }))
      .when(create())
      .then(created);
    given(...before, { type: 'UserDeleted', data: { userId: 'u' } })
      .when(create())
      .then(created);
    given(...before)
      .when({ type: 'DeleteUser', name: 'u' })
      .then({ type: 'UserDeleted', data: { userId: 'u' } });
    given().when({ type: 'DeleteUser', name: 'u' }).thenRejected('USER_NOT_FOUND');
  });

  it('get a new token', () => {
    const refresh = { type: 'RefreshToken', user: { name: 'u' }, token: { token: 'new', tokenHash: 'new hash' } } as const;
    given(...before)
      .when(refresh)
      .then({ type: 'UserTokenRefreshed', data: { userId: 'u', token: 'new', tokenHash: 'new hash' } });
    given().when(refresh).thenRejected('USER_NOT_FOUND');
  });

  it('have empty personal data once it is erased', () => {
    const forgotten = { ...user('u').data, firstName: null, lastName: null, organization: null, email: null, token: null };
    const event: EventOf<'UserCreated'> = JSON.parse(JSON.stringify({ type: 'UserCreated', data: forgotten }));
    given(event)
      .when(revise({}))
      .then(revised({ ...NOBODY, description: 'd', memberships: [] }));
  });
});

describe('members', () => {
  const before = [project('p'), project('q'), user('u'), user('m', [inP('publisher')])];
  const member = (name: string, ...roles: string[]) => ({ projectId: 'p', name, roles }) as const;

  it('are created with the project', () => {
    const create = { type: 'CreateMember', ...member('new', 'consumer'), email: 'n@x', userId: 'id', token, by: 'boss' } as const;
    const data = { userId: 'id', name: 'new', ...NOBODY, email: 'n@x', ...token, serviceRoles: [], createdBy: 'boss' };
    given(...before)
      .when(create)
      .then({ type: 'UserCreated', data: { ...data, memberships: [inP('consumer')] } });
    given(...before)
      .when({ ...create, name: 'u', roles: ['x'] })
      .thenRejected('USER_EXISTS');
    given(...before)
      .when({ ...create, roles: ['x'] })
      .thenRejected('ROLE_UNKNOWN', { role: 'x' });
    given().when(create).thenRejected('PROJECT_NOT_FOUND');
  });

  it('are added', () => {
    given(...before)
      .when({ type: 'AddMember', ...member('u', 'consumer') })
      .then({ type: 'MemberAdded', data: { userId: 'u', ...inP('consumer') } });
    given(...before)
      .when({ type: 'AddMember', ...member('x', 'y') })
      .thenRejected('USER_NOT_FOUND');
    given(...before)
      .when({ type: 'AddMember', ...member('m', 'y') })
      .thenRejected('ALREADY_A_MEMBER');
    given(...before)
      .when({ type: 'AddMember', ...member('u', 'y') })
      .thenRejected('ROLE_UNKNOWN', { role: 'y' });
    given(user('u'))
      .when({ type: 'AddMember', ...member('u') })
      .thenRejected('PROJECT_NOT_FOUND');
  });

  it('get new roles', () => {
    const replace = { type: 'ReplaceMemberRoles' } as const;
    given(...before)
      .when({ ...replace, ...member('m') })
      .then({ type: 'MemberRolesReplaced', data: { userId: 'm', ...inP() } });
    given(...before)
      .when({ ...replace, ...member('x', 'y') })
      .thenRejected('USER_NOT_FOUND');
    given(...before)
      .when({ ...replace, ...member('u', 'y') })
      .thenRejected('NOT_A_MEMBER');
    given(...before)
      .when({ ...replace, ...member('m', 'y') })
      .thenRejected('ROLE_UNKNOWN', { role: 'y' });
  });

  it('are removed', () => {
    const remove = (name: string) => ({ type: 'RemoveMember', projectId: 'p', name }) as const;
    const removed: AccountEvent = { type: 'MemberRemoved', data: { userId: 'm', projectId: 'p' } };
    given(...before)
      .when(remove('m'))
      .then(removed);
    given(...before)
      .when(remove('u'))
      .thenRejected('NOT_A_MEMBER');
    given(...before)
      .when(remove('x'))
      .thenRejected('USER_NOT_FOUND');
    given(...before, removed)
      .when(remove('m'))
      .thenRejected('NOT_A_MEMBER');
  });

  it('keep roles and projects changed by later events', () => {
    const changes: AccountEvent[] = [
      { type: 'MemberAdded', data: { userId: 'm', projectId: 'q', roles: ['consumer'] } },
      { type: 'MemberRolesReplaced', data: { userId: 'm', ...inP('push_worker') } },
      { type: 'UserTokenRefreshed', data: { userId: 'm', ...token } },
    ];
    given(...before, ...changes)
      .when({ type: 'ReviseUser', name: 'm', changes: { name: '', ...NOBODY } })
      .then(unchanged('m', [inP('push_worker'), { projectId: 'q', roles: ['consumer'] }]));
  });
});
