import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { AccountCommand, Grant, NewToken, Profile, ProjectRoles, UserKey, UserProfile } from './account-commands.js';
import { type AccountEvent, type Component, type Creator, componentOf, type Membership } from './account-events.js';
import {
  type AccountsState,
  componentKey,
  evolveAccounts,
  type KnownUser,
  noAccounts,
  personalSubjects,
  projectOf,
  registrationOf,
  userNamed,
  userOf,
} from './account-state.js';
import { isMessagingRole } from './roles.js';

type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;

const requireRoles = (roles: readonly string[]): void => {
  const unknown = roles.find((role) => !isMessagingRole(role));
  if (unknown !== undefined) throw new DomainError('ROLE_UNKNOWN', { role: unknown });
};

const requireFreeUserName = (state: AccountsState, name: string): void => {
  if (state.userNames.has(name)) throw new DomainError('USER_EXISTS');
};

/** @param userId user who may already hold the pair. @throws DomainError if another user is the account of the component */
const requireFreeComponent = (state: AccountsState, pair: Component, userId?: string): void => {
  const holder = state.components.get(componentKey(pair) ?? '');
  if (holder !== undefined && holder !== userId) throw new DomainError('COMPONENT_TAKEN', { ...pair });
};

/** Keeps the order of the list. @throws DomainError for the first invalid item */
const membershipsIn = (state: AccountsState, items: readonly ProjectRoles[]): readonly Membership[] => {
  const memberships = new Map<string, Membership>();
  for (const { project, roles } of items) {
    if (project === '') continue;
    const projectId = state.projectNames.get(project);
    if (projectId === undefined) throw new DomainError('PROJECT_UNKNOWN', { project });
    if (memberships.has(projectId)) throw new DomainError('PROJECT_REPEATED', { project });
    requireRoles(roles);
    memberships.set(projectId, { projectId, roles });
  }
  return [...memberships.values()];
};

type Account = Readonly<{
  userId: string;
  profile: UserProfile;
  token: NewToken;
  serviceRoles: readonly string[];
  memberships: readonly Membership[];
  by: Creator;
}>;

const created = ({ userId, profile, token, serviceRoles, memberships, by }: Account): AccountEvent => {
  const { name, firstName, lastName, organization, email, description } = profile;
  const person = { name, firstName, lastName, organization, email, description, ...componentOf(profile) };
  const { token: shown, tokenHash } = token;
  return { type: 'UserCreated', data: { userId, ...person, serviceRoles, memberships, createdBy: by, token: shown, tokenHash } };
};

const createProject = ({ projectId, name, description, by }: CommandOf<'CreateProject'>, state: AccountsState): AccountEvent => {
  if (state.projectNames.has(name)) throw new DomainError('PROJECT_EXISTS');
  return { type: 'ProjectCreated', data: { projectId, name, description, createdBy: by } };
};

const reviseProject = ({ projectId, name, description }: CommandOf<'ReviseProject'>, state: AccountsState): AccountEvent => {
  const before = projectOf(state, projectId);
  const holder = state.projectNames.get(name);
  if (holder !== undefined && holder !== projectId) throw new DomainError('PROJECT_NAME_TAKEN');
  return { type: 'ProjectRevised', data: { projectId, name: name || before.name, description: description || before.description } };
};

const createUser = ({ profile, projects, serviceRoles, ...account }: CommandOf<'CreateUser'>, state: AccountsState): AccountEvent => {
  requireFreeComponent(state, profile);
  requireFreeUserName(state, profile.name);
  const memberships = membershipsIn(state, projects);
  requireRoles(serviceRoles);
  return created({ ...account, profile, memberships, serviceRoles });
};

const reviseUser = ({ name, changes, projects, serviceRoles }: CommandOf<'ReviseUser'>, state: AccountsState): AccountEvent => {
  const userId = state.userNames.get(name);
  const known = userId === undefined ? undefined : state.users.get(userId);
  const component = { ...(known && componentOf(known)), ...componentOf(changes) };
  requireFreeComponent(state, component, userId);
  const wanted = projects && membershipsIn(state, projects);
  requireRoles(serviceRoles ?? []);
  const before = userOf(state, userId);
  const holder = state.userNames.get(changes.name);
  if (holder !== undefined && holder !== before.userId) throw new DomainError('USER_NAME_TAKEN');
  return {
    type: 'UserRevised',
    data: {
      userId: before.userId,
      name: changes.name || before.name,
      firstName: changes.firstName || before.firstName,
      lastName: changes.lastName || before.lastName,
      organization: changes.organization || before.organization,
      email: changes.email || before.email,
      description: changes.description || before.description,
      ...component,
      serviceRoles: serviceRoles ?? before.serviceRoles,
      memberships: wanted ?? before.memberships,
    },
  };
};

/** @throws DomainError `USER_NOT_FOUND`; for a component `COMPONENT_NOT_CONFIGURED`, `COMPONENT_BEYOND_PROJECT` */
const userBy = (state: AccountsState, key: UserKey): KnownUser => {
  if ('name' in key) return userNamed(state, key.name);
  if ('userId' in key) return userOf(state, key.userId);
  const pair = { component: key.component, componentProject: key.componentProject };
  const userId = state.components.get(componentKey(pair) ?? '');
  if (userId === undefined) throw new DomainError('COMPONENT_NOT_CONFIGURED', pair);
  const user = userOf(state, userId);
  const isBeyond = user.serviceRoles.length > 0 || user.memberships.some(({ projectId }) => projectId !== key.within);
  if (key.within !== undefined && isBeyond) throw new DomainError('COMPONENT_BEYOND_PROJECT', pair);
  return user;
};

const createMember = ({ projectId, name, email, roles, ...account }: CommandOf<'CreateMember'>, state: AccountsState): AccountEvent => {
  projectOf(state, projectId);
  requireFreeUserName(state, name);
  requireRoles(roles);
  const profile = { name, email, firstName: '', lastName: '', organization: '', description: '' };
  return created({ ...account, profile, serviceRoles: [], memberships: [{ projectId, roles }] });
};

const isMember = ({ memberships }: KnownUser, projectId: string): boolean => memberships.some((known) => known.projectId === projectId);

/** Finds a user by name. The user must be a member of the project. */
const memberNamed = (state: AccountsState, projectId: string, name: string): KnownUser => {
  projectOf(state, projectId);
  const user = userNamed(state, name);
  if (!isMember(user, projectId)) throw new DomainError('NOT_A_MEMBER');
  return user;
};

const addMember = ({ projectId, name, roles }: CommandOf<'AddMember'>, state: AccountsState): AccountEvent => {
  projectOf(state, projectId);
  const user = userNamed(state, name);
  if (isMember(user, projectId)) throw new DomainError('ALREADY_A_MEMBER');
  requireRoles(roles);
  return { type: 'MemberAdded', data: { userId: user.userId, projectId, roles } };
};

const replaceMemberRoles = ({ projectId, name, roles }: CommandOf<'ReplaceMemberRoles'>, state: AccountsState): AccountEvent => {
  const { userId } = memberNamed(state, projectId, name);
  requireRoles(roles);
  return { type: 'MemberRolesReplaced', data: { userId, projectId, roles } };
};

const pending = (state: AccountsState, registrationId: string): Profile => {
  const registration = registrationOf(state, registrationId);
  if (!registration.pending) throw new DomainError('REGISTRATION_NOT_FOUND');
  return registration;
};

const submitRegistration = (
  { registrationId, profile, activationToken }: CommandOf<'SubmitRegistration'>,
  state: AccountsState,
): AccountEvent => {
  requireFreeUserName(state, profile.name);
  const { name, firstName, lastName, organization, email, description } = profile;
  const data = { registrationId, name, firstName, lastName, organization, email, description, activationToken };
  return { type: 'RegistrationSubmitted', data };
};

/** A free name for a user's project: the name of the user, followed by `-2`, `-3` and so on if it is taken. */
const projectNameFor = (state: AccountsState, userName: string): string => {
  const name = userName.replace(/[^\w-]/g, '-'); // allowed characters of a project name (messaging contract 0.5)
  let free = name;
  for (let number = 2; state.projectNames.has(free); number++) free = `${name}-${number}`;
  return free;
};

/** The project id of a grant, and the events that create the project if it does not exist. */
const grantedProject = (state: AccountsState, { project, projectId }: Grant, userName: string, by: Creator) => {
  const known = project === undefined ? undefined : state.projectNames.get(project);
  if (known !== undefined) return { projectId: known, events: [] };
  const name = project ?? projectNameFor(state, userName);
  const event: AccountEvent = { type: 'ProjectCreated', data: { projectId, name, description: '', createdBy: by } };
  return { projectId, events: [event] };
};

/** Creates the project (if new) and the user with token and membership, and closes the registration, in one step. */
const acceptRegistration = (
  { registrationId, grant, userId, token, by }: CommandOf<'AcceptRegistration'>,
  state: AccountsState,
): readonly AccountEvent[] => {
  const profile = pending(state, registrationId);
  requireFreeUserName(state, profile.name);
  requireRoles(grant?.roles ?? []);
  const granted = grant && grantedProject(state, grant, profile.name, by);
  const memberships = grant && granted ? [{ projectId: granted.projectId, roles: grant.roles }] : [];
  return [
    ...(granted?.events ?? []),
    created({ userId, profile, token, serviceRoles: [], memberships, by }),
    { type: 'RegistrationAccepted', data: { registrationId, userId, by } },
  ];
};

const decide = (command: AccountCommand, state: AccountsState): readonly AccountEvent[] => {
  switch (command.type) {
    case 'CreateProject':
      return [createProject(command, state)];
    case 'ReviseProject':
      return [reviseProject(command, state)];
    case 'DeleteProject':
      projectOf(state, command.projectId);
      return [{ type: 'ProjectDeleted', data: { projectId: command.projectId } }];
    case 'RequireProject':
      projectOf(state, command.projectId);
      return [];
    case 'CreateUser':
      return [createUser(command, state)];
    case 'ReviseUser':
      return [reviseUser(command, state)];
    case 'RefreshToken': {
      const { token, tokenHash } = command.token;
      return [{ type: 'UserTokenRefreshed', data: { userId: userBy(state, command.user).userId, token, tokenHash } }];
    }
    case 'DeleteUser':
      return [{ type: 'UserDeleted', data: { userId: userNamed(state, command.name).userId } }];
    case 'CreateMember':
      return [createMember(command, state)];
    case 'AddMember':
      return [addMember(command, state)];
    case 'ReplaceMemberRoles':
      return [replaceMemberRoles(command, state)];
    case 'RemoveMember': {
      const { projectId, name } = command;
      return [{ type: 'MemberRemoved', data: { userId: memberNamed(state, projectId, name).userId, projectId } }];
    }
    case 'SubmitRegistration':
      return [submitRegistration(command, state)];
    case 'AcceptRegistration':
      return acceptRegistration(command, state);
    case 'DeclineRegistration': {
      const { registrationId, comment, by } = command;
      pending(state, registrationId);
      return [{ type: 'RegistrationDeclined', data: { registrationId, comment, by } }];
    }
    case 'DeleteRegistration':
      registrationOf(state, command.registrationId);
      return [{ type: 'RegistrationDeleted', data: { registrationId: command.registrationId } }];
  }
};

/**
 * The rules of projects, users, memberships and registrations (messaging contract 3.1 to 3.4), checked in the order of the contract. Rejects with
 * `PROJECT_EXISTS`, `PROJECT_NOT_FOUND`, `PROJECT_NAME_TAKEN` (by another project, in a revision), `USER_EXISTS`, `USER_NOT_FOUND`, `USER_NAME_TAKEN`
 * (in a revision), `PROJECT_REPEATED` and `PROJECT_UNKNOWN` (details `project`), `ROLE_UNKNOWN` (`role`), `NOT_A_MEMBER`, `ALREADY_A_MEMBER`,
 * `REGISTRATION_NOT_FOUND` (also if it is already settled), `COMPONENT_TAKEN`, `COMPONENT_NOT_CONFIGURED` and `COMPONENT_BEYOND_PROJECT`
 * (`component`, `componentProject`).
 */
export const accounts: Decider<AccountsState, AccountCommand, AccountEvent> = {
  snapshots: { name: 'accounts', version: 2, subjects: personalSubjects },
  initialState: noAccounts,
  decide,
  evolve: evolveAccounts,
};
