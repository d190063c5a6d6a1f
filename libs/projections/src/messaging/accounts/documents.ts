import {
  type Component,
  type Creator,
  type Membership,
  PERSONAL,
  registrationSubject,
  userSubject,
} from '#domain/messaging/accounts/account-events.js';
import { PROJECT, REGISTRATION, USER } from '#projections/messaging/partitions.js';
import { collection } from '#projections/shared/collection.js';
import { keyOf, keyPart } from '#projections/shared/key-part.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';
import type { Sealing } from '#projections/shared/projection.js';

/** Name of the read model. Times in documents are as on the wire, `YYYY-MM-DDTHH:MM:SSZ`. `order`: position in order of creation. */
export const ACCOUNTS = 'messaging.accounts';

export type ProjectReference = Readonly<{ projectId: string; name: string }>;

export type ProjectDocument = ProjectReference &
  Readonly<{ description: string; createdOn: string; modifiedOn: string; createdBy: Creator; order: string }>;

/** Memberships may refer to projects that have been deleted; these have no effect. `token`: empty if only its hash is stored. */
export type UserDocument = Component &
  Readonly<{
    userId: string;
    name: string;
    firstName: string;
    lastName: string;
    organization: string;
    description: string;
    token: string;
    tokenHash: string;
    email: string;
    serviceRoles: readonly string[];
    memberships: readonly Membership[];
    createdOn: string;
    modifiedOn: string;
    createdBy: Creator;
    order: string;
  }>;

export type UserReference = Pick<UserDocument, 'userId'>;

/** Permissions of the holder of a token. */
export type TokenDocument = Pick<UserDocument, 'userId' | 'name' | 'serviceRoles' | 'memberships'>;

/** `modifiedAt`: empty while the registration is pending. */
export type RegistrationDocument = Readonly<{
  registrationId: string;
  name: string;
  firstName: string;
  lastName: string;
  organization: string;
  description: string;
  email: string;
  status: 'pending' | 'accepted' | 'declined';
  declineComment: string;
  activationToken: string;
  registeredAt: string;
  modifiedBy: Creator;
  modifiedAt: string;
  order: string;
}>;

const sealedWith = (subject: (id: string) => string, secret: string): Sealing =>
  [...PERSONAL, secret].map((path) => ({ path, subject: ({ key }) => subject(key), mark: path === secret ? 'secret' : 'personal' }));

/** Ids may come from a request path. */
const options = { key: keyPart };

export const projects = collection<ProjectDocument>('projects', { ...options, owner: firstPart(PROJECT) });
export const projectsByName = collection<ProjectReference>('projects.by-name', {
  ...options,
  owner: inMember(PROJECT, 'projectId'),
  contested: true,
});
export const users = collection<UserDocument>('users', {
  ...options,
  owner: firstPart(USER),
  sealed: sealedWith(userSubject, 'token'),
  marks: { tokenHash: 'hash' },
});
export const usersByName = collection<UserReference>('users.by-name', { ...options, owner: inMember(USER, 'userId'), contested: true });
/** In order of creation. */
export const usersInOrder = collection<UserReference>('users.in-order', { owner: inMember(USER, 'userId') });
/** By token hash. */
export const tokens = collection<TokenDocument>('tokens', { owner: inMember(USER, 'userId'), contested: true });
/** The members of a project in order of creation. */
export const members = collection<UserReference, readonly [projectId: string, order: string]>('members', {
  key: (parts) => keyOf(...parts),
  owner: firstPart(PROJECT),
  contested: true,
});
export const registrations = collection<RegistrationDocument>('registrations', {
  ...options,
  owner: firstPart(REGISTRATION),
  sealed: sealedWith(registrationSubject, 'activationToken'),
});

export const accountCollections = [projects, projectsByName, users, usersByName, usersInOrder, tokens, members, registrations];
