import { ACCOUNTS_CATEGORY, ACCOUNTS_STREAM, type AccountEvent } from '#domain/messaging/accounts/account-events.js';
import { PROJECT, REGISTRATION, USER } from '#projections/messaging/partitions.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import { byMember } from '#projections/shared/partitions.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import {
  ACCOUNTS,
  accountCollections,
  members,
  type ProjectDocument,
  projects,
  projectsByName,
  type RegistrationDocument,
  registrations,
  tokens,
  type UserDocument,
  type UserReference,
  users,
  usersByName,
  usersInOrder,
} from './documents.js';
import {
  changedUser,
  createdProject,
  createdUser,
  revisedProject,
  settledRegistration,
  submittedRegistration,
  type UserChange,
} from './states.js';

type Event<Type extends AccountEvent['type']> = EventOf<Extract<AccountEvent, { type: Type }>>;

type Changes = readonly DocumentChange[];

/** @throws Error if the log lacks the creation of the changed record */
const stored = <Document>(document: Document | undefined, id: string): Document => {
  if (document === undefined) throw new Error(`there is no document of ${id}`);
  return document;
};

const projectWritten = (project: ProjectDocument): Changes => {
  const { projectId, name } = project;
  return [projects.put(projectId, project), projectsByName.put(name, { projectId, name })];
};

const projectsOf = (user: UserDocument | undefined): ReadonlySet<string> => new Set(user?.memberships.map(({ projectId }) => projectId));

/**
 * Changes from one state of a user to the next. `undefined`: before creation or after deletion. Only differing memberships are changed, because
 * members of deleted projects must not reappear.
 */
const userMoved = (before: UserDocument | undefined, after: UserDocument | undefined): Changes => {
  const [old, now] = [projectsOf(before), projectsOf(after)];
  const changes: DocumentChange[] = [];
  if (before) {
    changes.push(users.remove(before.userId), usersByName.remove(before.name));
    changes.push(usersInOrder.remove(before.order), tokens.remove(before.tokenHash));
    for (const id of old) if (!now.has(id)) changes.push(members.remove([id, before.order]));
  }
  if (after) {
    const { userId, name, tokenHash, serviceRoles, memberships, order } = after;
    const reference: UserReference = { userId };
    changes.push(users.put(userId, after), usersByName.put(name, reference));
    changes.push(usersInOrder.put(order, reference), tokens.put(tokenHash, { userId, name, serviceRoles, memberships }));
    for (const id of now) if (!old.has(id)) changes.push(members.put([id, order], reference));
  }
  return changes;
};

const userOf = ({ data }: Readonly<{ data: UserReference }>): Readonly<{ user: DocumentRef<UserDocument> }> => ({
  user: users.at(data.userId),
});

const userChanged = reading(userOf as (event: UserChange) => ReturnType<typeof userOf>, (event, { user }) => {
  const before = stored(user, event.data.userId);
  return userMoved(before, changedUser(before, event));
});

const registrationSettled = reading(
  ({ data }: Event<'RegistrationAccepted' | 'RegistrationDeclined'>): Readonly<{ registration: DocumentRef<RegistrationDocument> }> => ({
    registration: registrations.at(data.registrationId),
  }),
  (event, { registration }) => {
    const { registrationId } = event.data;
    return [registrations.put(registrationId, settledRegistration(stored(registration, registrationId), event))];
  },
);

/** Projects, users with their memberships, and registrations. Users of a deleted project keep the membership, which queries skip. */
export const accountsProjection = readModel<AccountEvent>(
  {
    name: ACCOUNTS,
    version: 5,
    readsFrom: 3, // earlier versions use hashes without a key
    service: 'messaging',
    needed: { fixed: [ACCOUNTS_STREAM] },
    categories: [ACCOUNTS_CATEGORY],
    collections: accountCollections,
    // An event with a user and a project changes documents of the user.
    partitionsOf: (event) => byMember(event, { registrationId: REGISTRATION, userId: USER, projectId: PROJECT }),
  },
  {
    ProjectCreated: (event) => projectWritten(createdProject(event)),
    ProjectRevised: reading(
      ({ data }: Event<'ProjectRevised'>) => ({ project: projects.at(data.projectId) }),
      (event, { project }) => {
        const before = stored(project, event.data.projectId);
        return [projectsByName.remove(before.name), ...projectWritten(revisedProject(before, event))];
      },
    ),
    ProjectDeleted: reading(
      ({ data }: Event<'ProjectDeleted'>) => ({ project: projects.at(data.projectId) }),
      ({ data: { projectId } }, { project }) => [
        projects.remove(projectId),
        projectsByName.remove(stored(project, projectId).name),
        members.removeUnder(`${projectId}/`),
      ],
    ),
    UserCreated: (event) => userMoved(undefined, createdUser(event)),
    UserRevised: userChanged,
    UserTokenRefreshed: userChanged,
    UserDeleted: reading(
      (event: Event<'UserDeleted'>) => userOf(event),
      ({ data }, { user }) => userMoved(stored(user, data.userId), undefined),
    ),
    MemberAdded: userChanged,
    MemberRolesReplaced: userChanged,
    MemberRemoved: userChanged,
    RegistrationSubmitted: (event) => [registrations.put(event.data.registrationId, submittedRegistration(event))],
    RegistrationAccepted: registrationSettled,
    RegistrationDeclined: registrationSettled,
    RegistrationDeleted: ({ data }) => [registrations.remove(data.registrationId)],
  },
);
