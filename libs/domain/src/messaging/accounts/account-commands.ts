import type { Component, Creator, PersonalData } from './account-events.js';

/** A token with the hash by which it is looked up. `token` is empty if only the hash is to be kept. */
export type NewToken = Readonly<{ token: string; tokenHash: string }>;

export type Profile = PersonalData & Readonly<{ name: string; description: string }>;

/** Of a user, who may be the account of a component. */
export type UserProfile = Profile & Component;

/** Names one user: by name, by id, or as the account of a component. */
export type UserKey =
  | Readonly<{ name: string }>
  | Readonly<{ userId: string }>
  /** `within`: id of a project. The user must have neither service roles nor memberships of other projects. Default: any user. */
  | (Required<Component> & Readonly<{ within?: string }>);

/** Roles in the project of this name. */
export type ProjectRoles = Readonly<{ project: string; roles: readonly string[] }>;

type NewUser = Readonly<{ userId: string; token: NewToken; by: Creator }>;
type OfProject = Readonly<{ projectId: string }>;
type OfRegistration = Readonly<{ registrationId: string }>;

/**
 * What an approval gives the user besides the account: roles in the project of this name, which is created as `projectId` if it does not exist.
 * Without a name: roles in a new project that is named after the user.
 */
export type Grant = Readonly<{ projectId: string; project?: string; roles: readonly string[] }>;

/** Projects are addressed by their ids, users by their names. */
export type AccountCommand =
  | (Readonly<{ type: 'CreateProject'; name: string; description: string; by: Creator }> & OfProject)
  /** Empty texts change nothing. */
  | (Readonly<{ type: 'ReviseProject'; name: string; description: string }> & OfProject)
  | (Readonly<{ type: 'DeleteProject' }> & OfProject)
  /** Items of `projects` without a name are ignored. */
  | (Readonly<{ type: 'CreateUser'; profile: UserProfile; projects: readonly ProjectRoles[]; serviceRoles: readonly string[] }> & NewUser)
  /** `name`: the current one. Empty texts of `changes` and lists that are left out change nothing. */
  | Readonly<{
      type: 'ReviseUser';
      name: string;
      changes: UserProfile;
      projects?: readonly ProjectRoles[];
      serviceRoles?: readonly string[];
    }>
  | Readonly<{ type: 'RefreshToken'; user: UserKey; token: NewToken }>
  | Readonly<{ type: 'DeleteUser'; name: string }>
  /** A new user who is a member of the project. */
  | (Readonly<{ type: 'CreateMember'; name: string; email: string; roles: readonly string[] }> & NewUser & OfProject)
  | (Readonly<{ type: 'AddMember'; name: string; roles: readonly string[] }> & OfProject)
  | (Readonly<{ type: 'ReplaceMemberRoles'; name: string; roles: readonly string[] }> & OfProject)
  | (Readonly<{ type: 'RemoveMember'; name: string }> & OfProject)
  | (Readonly<{ type: 'SubmitRegistration'; profile: Profile; activationToken: string }> & OfRegistration)
  | (Readonly<{ type: 'AcceptRegistration'; grant?: Grant }> & NewUser & OfRegistration)
  | (Readonly<{ type: 'DeclineRegistration'; comment: string; by: Creator }> & OfRegistration)
  | (Readonly<{ type: 'DeleteRegistration' }> & OfRegistration);
