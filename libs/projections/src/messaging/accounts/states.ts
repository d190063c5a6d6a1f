import { type AccountEvent, componentOf, type Membership, type PersonalData } from '#domain/messaging/accounts/account-events.js';
import { orderOf, wireInstant } from '#projections/messaging/layout.js';
import type { ProjectDocument, RegistrationDocument, UserDocument } from './documents.js';

/** A recorded event, or one that a command has just returned, with the metadata that documents need. */
export type AccountFact<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }> &
  Readonly<{ revision: bigint; metadata: Readonly<{ time: string }> }>;

type DataOf<Type extends AccountEvent['type']> = AccountFact<Type>['data'];

/** Sealed personal data is `null` once its key is destroyed. */
const personal = ({ firstName, lastName, organization, email }: PersonalData) => ({
  firstName: firstName ?? '',
  lastName: lastName ?? '',
  organization: organization ?? '',
  email: email ?? '',
});

export const createdProject = ({ data, revision, metadata }: AccountFact<'ProjectCreated'>): ProjectDocument => {
  const { projectId, name, description, createdBy } = data;
  const createdOn = wireInstant(metadata.time);
  return { projectId, name, description, createdOn, modifiedOn: createdOn, createdBy, order: orderOf(revision) };
};

export const revisedProject = (before: ProjectDocument, { data, metadata }: AccountFact<'ProjectRevised'>): ProjectDocument => ({
  ...before,
  name: data.name,
  description: data.description,
  modifiedOn: wireInstant(metadata.time),
});

export const createdUser = ({ data, revision, metadata }: AccountFact<'UserCreated'>): UserDocument => {
  const { userId, name, description, token, tokenHash, serviceRoles, memberships, createdBy } = data;
  const createdOn = wireInstant(metadata.time);
  return {
    userId,
    name,
    ...personal(data),
    description,
    ...componentOf(data),
    token: token ?? '',
    tokenHash,
    serviceRoles,
    memberships,
    createdOn,
    modifiedOn: createdOn,
    createdBy,
    order: orderOf(revision),
  };
};

/** Adds a membership or replaces its roles. It keeps its position in the list. */
const withMembership = ({ memberships }: UserDocument, { projectId, roles }: Membership): readonly Membership[] => {
  const membership = { projectId, roles };
  if (!memberships.some((one) => one.projectId === projectId)) return [...memberships, membership];
  return memberships.map((one) => (one.projectId === projectId ? membership : one));
};

/** All changes of a user between creation and deletion. */
export type UserChange = AccountFact<'UserRevised' | 'UserTokenRefreshed' | 'MemberAdded' | 'MemberRolesReplaced' | 'MemberRemoved'>;

const revision = ({ name, description, serviceRoles, memberships, ...data }: DataOf<'UserRevised'>) => ({
  name,
  ...personal(data),
  description,
  ...componentOf(data),
  serviceRoles,
  memberships,
});

/** All changes except a new token count as modifications on the wire (messaging contract 3.2, 3.3). */
export const changedUser = (before: UserDocument, change: UserChange): UserDocument => {
  const modifiedOn = wireInstant(change.metadata.time);
  switch (change.type) {
    case 'UserRevised':
      return { ...before, ...revision(change.data), modifiedOn };
    case 'UserTokenRefreshed':
      return { ...before, token: change.data.token ?? '', tokenHash: change.data.tokenHash };
    case 'MemberAdded':
    case 'MemberRolesReplaced':
      return { ...before, memberships: withMembership(before, change.data), modifiedOn };
    case 'MemberRemoved':
      return { ...before, memberships: before.memberships.filter(({ projectId }) => projectId !== change.data.projectId), modifiedOn };
  }
};

export const submittedRegistration = ({ data, revision, metadata }: AccountFact<'RegistrationSubmitted'>): RegistrationDocument => ({
  registrationId: data.registrationId,
  name: data.name,
  ...personal(data),
  description: data.description,
  status: 'pending',
  declineComment: '',
  activationToken: data.activationToken ?? '',
  registeredAt: wireInstant(metadata.time),
  modifiedBy: null,
  modifiedAt: '',
  order: orderOf(revision),
});

/** An accepted or declined registration, without its activation token. */
export const settledRegistration = (
  before: RegistrationDocument,
  fact: AccountFact<'RegistrationAccepted' | 'RegistrationDeclined'>,
): RegistrationDocument => ({
  ...before,
  status: fact.type === 'RegistrationAccepted' ? 'accepted' : 'declined',
  declineComment: fact.type === 'RegistrationDeclined' ? fact.data.comment : '',
  activationToken: '',
  modifiedBy: fact.data.by,
  modifiedAt: wireInstant(fact.metadata.time),
});
