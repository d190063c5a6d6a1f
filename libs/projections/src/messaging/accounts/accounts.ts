import {
  ACCOUNTS_CATEGORY,
  type AccountEvent,
  PERSONAL,
  registrationSubject,
  userSubject,
} from '#domain/messaging/accounts/account-events.js';
import { PROJECT, REGISTRATION, USER } from '#projections/messaging/partitions.js';
import { defineProjection } from '#projections/shared/define.js';
import { keyPart } from '#projections/shared/key-part.js';
import { byMember, firstPart, inMember, ownedBy, type Partitioning } from '#projections/shared/partitions.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
  type Sealing,
} from '#projections/shared/projection.js';
import {
  changedUser,
  createdProject,
  createdUser,
  type ProjectDocument,
  type ProjectReference,
  type RegistrationDocument,
  revisedProject,
  settledRegistration,
  submittedRegistration,
  type TokenDocument,
  type UserDocument,
  type UserReference,
} from './account-documents.js';

export const ACCOUNTS_PROJECTION = 'messaging.accounts';

export const accountCollections = {
  /** Project id → {@link ProjectDocument}. */
  projects: 'projects',
  /** `keyPart(<project name>)` → {@link ProjectReference}. */
  projectsByName: 'projects.by-name',
  /** User id → {@link UserDocument}. */
  users: 'users',
  /** `keyPart(<user name>)` → {@link UserReference}. */
  usersByName: 'users.by-name',
  /** `<order>` → {@link UserReference}: all users in the order of their creation. */
  usersInOrder: 'users.in-order',
  /** Hash of a token → {@link TokenDocument}. */
  tokens: 'tokens',
  /** `<project id>/<order of the user>` → {@link UserReference}: the members of a project in the order of their creation. */
  members: 'members',
  /** Registration id → {@link RegistrationDocument}. */
  registrations: 'registrations',
} as const;

const sealedWith = (subject: (id: string) => string, ...paths: readonly string[]): Sealing =>
  paths.map((path) => ({ path, subject: ({ key }) => subject(key) }));

const { projects, projectsByName, users, usersByName, usersInOrder, tokens, members, registrations } = accountCollections;

const stored = <Document>(read: ReadDocument, collection: string, key: string): Document => {
  const document = read(collection, key);
  if (document === undefined) throw new Error(`there is nothing under ${key} in ${collection}`);
  return document as Document;
};

const putProject = (project: ProjectDocument): DocumentChange[] => {
  const { projectId, name } = project;
  const reference: ProjectReference = { projectId, name };
  return [put(projects, projectId, project), put(projectsByName, keyPart(name), reference)];
};

const memberKey = (projectId: string, { order }: UserDocument): string => `${projectId}/${order}`;
const projectsOf = (user: UserDocument | undefined): ReadonlySet<string> => new Set(user?.memberships.map(({ projectId }) => projectId));

/**
 * From one state of a user to the next, none before its creation and after its end. Of its memberships only what differs is touched:
 * those of deleted projects must not come back.
 */
const moveUser = (before: UserDocument | undefined, after: UserDocument | undefined): DocumentChange[] => {
  const [old, now] = [projectsOf(before), projectsOf(after)];
  const changes: DocumentChange[] = [];
  if (before) {
    changes.push(remove(users, before.userId), remove(usersByName, keyPart(before.name)));
    changes.push(remove(usersInOrder, before.order), remove(tokens, before.tokenHash));
    for (const id of old) if (!now.has(id)) changes.push(remove(members, memberKey(id, before)));
  }
  if (after) {
    const { userId, name, tokenHash, serviceRoles, memberships, order } = after;
    const reference: UserReference = { userId };
    const holder: TokenDocument = { userId, name, serviceRoles, memberships };
    changes.push(put(users, userId, after), put(usersByName, keyPart(name), reference));
    changes.push(put(usersInOrder, order, reference), put(tokens, tokenHash, holder));
    for (const id of now) if (!old.has(id)) changes.push(put(members, memberKey(id, after), reference));
  }
  return changes;
};

const changedDocument = (event: AccountEvent): DocumentKey | undefined => {
  switch (event.type) {
    case 'ProjectRevised':
    case 'ProjectDeleted':
      return { collection: projects, key: event.data.projectId };
    case 'UserRevised':
    case 'UserTokenRefreshed':
    case 'UserDeleted':
    case 'MemberAdded':
    case 'MemberRolesReplaced':
    case 'MemberRemoved':
      return { collection: users, key: event.data.userId };
    case 'RegistrationAccepted':
    case 'RegistrationDeclined':
      return { collection: registrations, key: event.data.registrationId };
    default:
      return undefined;
  }
};

/** An event that names a user and a project changes documents of the user. */
const partitions: Partitioning = {
  ofEvent: (event) => byMember(event, { registrationId: REGISTRATION, userId: USER, projectId: PROJECT }),
  owners: {
    ...ownedBy(firstPart(PROJECT), [projects, members]),
    ...ownedBy(inMember(PROJECT, 'projectId'), [projectsByName]),
    ...ownedBy(firstPart(USER), [users]),
    ...ownedBy(inMember(USER, 'userId'), [usersByName, usersInOrder, tokens]),
    ...ownedBy(firstPart(REGISTRATION), [registrations]),
  },
  contested: [projectsByName, usersByName, tokens, members],
};

/**
 * Projects, users with their memberships, and registrations of the messaging service. Users of a deleted project keep a membership that
 * leads nowhere; readers leave it out.
 */
export const accountsProjection: Projection = defineProjection<AccountEvent>({
  name: ACCOUNTS_PROJECTION,
  version: 2,
  service: 'messaging',
  categories: [ACCOUNTS_CATEGORY],
  handles: [
    'ProjectCreated',
    'ProjectRevised',
    'ProjectDeleted',
    'UserCreated',
    'UserRevised',
    'UserTokenRefreshed',
    'UserDeleted',
    'MemberAdded',
    'MemberRolesReplaced',
    'MemberRemoved',
    'RegistrationSubmitted',
    'RegistrationAccepted',
    'RegistrationDeclined',
    'RegistrationDeleted',
  ],
  sealed: {
    [users]: sealedWith(userSubject, ...PERSONAL, 'token'),
    [registrations]: sealedWith(registrationSubject, ...PERSONAL, 'activationToken'),
  },
  partitions,
  reads: (event) => {
    const changed = changedDocument(event);
    return changed ? [changed] : [];
  },
  apply: (event, read) => {
    const user = (userId: string): UserDocument => stored(read, users, userId);
    const registration = (id: string): RegistrationDocument => stored(read, registrations, id);
    switch (event.type) {
      case 'ProjectCreated':
        return putProject(createdProject(event));
      case 'ProjectRevised': {
        const before = stored<ProjectDocument>(read, projects, event.data.projectId);
        return [remove(projectsByName, keyPart(before.name)), ...putProject(revisedProject(before, event))];
      }
      case 'ProjectDeleted': {
        const { projectId, name } = stored<ProjectDocument>(read, projects, event.data.projectId);
        return [remove(projects, projectId), remove(projectsByName, keyPart(name)), removePrefix(members, `${projectId}/`)];
      }
      case 'UserCreated':
        return moveUser(undefined, createdUser(event));
      case 'UserDeleted':
        return moveUser(user(event.data.userId), undefined);
      case 'UserRevised':
      case 'UserTokenRefreshed':
      case 'MemberAdded':
      case 'MemberRolesReplaced':
      case 'MemberRemoved': {
        const before = user(event.data.userId);
        return moveUser(before, changedUser(before, event));
      }
      case 'RegistrationSubmitted':
        return [put(registrations, event.data.registrationId, submittedRegistration(event))];
      case 'RegistrationAccepted':
      case 'RegistrationDeclined': {
        const settled = settledRegistration(registration(event.data.registrationId), event);
        return [put(registrations, settled.registrationId, settled)];
      }
      case 'RegistrationDeleted':
        return [remove(registrations, event.data.registrationId)];
    }
  },
});
