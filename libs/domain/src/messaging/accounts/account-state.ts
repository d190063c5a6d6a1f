import { DomainError } from '#domain/shared/decider.js';
import type { Profile, UserProfile } from './account-commands.js';
import {
  type AccountEvent,
  type Component,
  componentOf,
  type Membership,
  PERSONAL,
  registrationSubject,
  userSubject,
} from './account-events.js';

type KnownProject = Readonly<{ name: string; description: string }>;
/** Personal data is empty once the key of the user is destroyed, which happens after the user is deleted. */
export type KnownUser = UserProfile & Readonly<{ userId: string; serviceRoles: readonly string[]; memberships: readonly Membership[] }>;
type KnownRegistration = Profile & Readonly<{ pending: boolean }>;

/** Projects, users and registrations by id. User ids by name, and by {@link componentKey}. */
export type AccountsState = Readonly<{
  projects: Map<string, KnownProject>;
  projectNames: Map<string, string>;
  users: Map<string, KnownUser>;
  userNames: Map<string, string>;
  components: Map<string, string>;
  registrations: Map<string, KnownRegistration>;
}>;

export const noAccounts = (): AccountsState => ({
  projects: new Map(),
  projectNames: new Map(),
  users: new Map(),
  userNames: new Map(),
  components: new Map(),
  registrations: new Map(),
});

/** @throws DomainError `PROJECT_NOT_FOUND` */
export const projectOf = (state: AccountsState, projectId: string): KnownProject => {
  const project = state.projects.get(projectId);
  if (!project) throw new DomainError('PROJECT_NOT_FOUND');
  return project;
};

/** @throws DomainError `USER_NOT_FOUND` */
export const userNamed = (state: AccountsState, name: string): KnownUser => userOf(state, state.userNames.get(name));

export const userOf = (state: AccountsState, userId: string | undefined): KnownUser => {
  const user = userId === undefined ? undefined : state.users.get(userId);
  if (!user) throw new DomainError('USER_NOT_FOUND');
  return user;
};

/** @throws DomainError `REGISTRATION_NOT_FOUND` */
export const registrationOf = (state: AccountsState, registrationId: string): KnownRegistration => {
  const registration = state.registrations.get(registrationId);
  if (!registration) throw new DomainError('REGISTRATION_NOT_FOUND');
  return registration;
};

const profileOf = ({ name, firstName, lastName, organization, email, description }: Profile): Profile => ({
  name,
  firstName: firstName ?? '',
  lastName: lastName ?? '',
  organization: organization ?? '',
  email: email ?? '',
  description,
});

/** The pair of component and project name as a text. `undefined` unless both are present. */
export const componentKey = ({ component, componentProject }: Component): string | undefined =>
  component && componentProject ? JSON.stringify([component, componentProject]) : undefined;

const keepProject = (state: AccountsState, projectId: string, { name, description }: KnownProject): void => {
  forgetProject(state, projectId);
  state.projects.set(projectId, { name, description });
  state.projectNames.set(name, projectId);
};

const forgetProject = (state: AccountsState, projectId: string): void => {
  const before = state.projects.get(projectId);
  if (before) state.projectNames.delete(before.name);
  state.projects.delete(projectId);
};

const keepUser = (state: AccountsState, user: KnownUser): void => {
  forgetUser(state, user.userId);
  state.users.set(user.userId, user);
  state.userNames.set(user.name, user.userId);
  const key = componentKey(user);
  if (key !== undefined) state.components.set(key, user.userId);
};

const forgetUser = (state: AccountsState, userId: string): void => {
  const before = state.users.get(userId);
  if (before) {
    state.userNames.delete(before.name);
    state.components.delete(componentKey(before) ?? '');
  }
  state.users.delete(userId);
};

const removeMembership = (state: AccountsState, user: KnownUser, projectId: string): void => {
  const memberships = user.memberships.filter((membership) => membership.projectId !== projectId);
  if (memberships.length < user.memberships.length) keepUser(state, { ...user, memberships });
};

/** Encryption subjects of all users and registrations with personal data. */
export const personalSubjects = ({ users, registrations }: AccountsState): readonly string[] => [
  ...[...users].flatMap(([id, user]) => (isPersonal(user) ? [userSubject(id)] : [])),
  ...[...registrations].flatMap(([id, registration]) => (isPersonal(registration) ? [registrationSubject(id)] : [])),
];

const isPersonal = (profile: Profile): boolean => PERSONAL.some((member) => profile[member] !== '');

/** Updates the given state in place and returns it. */
export const evolveAccounts = (state: AccountsState, event: AccountEvent): AccountsState => {
  switch (event.type) {
    case 'ProjectCreated':
    case 'ProjectRevised':
      keepProject(state, event.data.projectId, event.data);
      break;
    case 'ProjectDeleted':
      forgetProject(state, event.data.projectId);
      for (const user of [...state.users.values()]) removeMembership(state, user, event.data.projectId);
      break;
    case 'UserCreated':
    case 'UserRevised': {
      const { userId, serviceRoles, memberships } = event.data;
      const component = { ...componentOf(state.users.get(userId) ?? {}), ...componentOf(event.data) };
      keepUser(state, { userId, ...profileOf(event.data), ...component, serviceRoles, memberships });
      break;
    }
    case 'UserTokenRefreshed':
      break;
    case 'UserDeleted':
      forgetUser(state, event.data.userId);
      break;
    case 'MemberAdded': {
      const { userId, projectId, roles } = event.data;
      const user = userOf(state, userId);
      keepUser(state, { ...user, memberships: [...user.memberships, { projectId, roles }] });
      break;
    }
    case 'MemberRolesReplaced': {
      const { userId, projectId, roles } = event.data;
      const user = userOf(state, userId);
      const memberships = user.memberships.map((known) => (known.projectId === projectId ? { projectId, roles } : known));
      keepUser(state, { ...user, memberships });
      break;
    }
    case 'MemberRemoved':
      removeMembership(state, userOf(state, event.data.userId), event.data.projectId);
      break;
    case 'RegistrationSubmitted':
      state.registrations.set(event.data.registrationId, { ...profileOf(event.data), pending: true });
      break;
    case 'RegistrationAccepted':
    case 'RegistrationDeclined':
      state.registrations.set(event.data.registrationId, { ...registrationOf(state, event.data.registrationId), pending: false });
      break;
    case 'RegistrationDeleted':
      state.registrations.delete(event.data.registrationId);
      break;
  }
  return state;
};
