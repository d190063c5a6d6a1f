import type { Component, Creator, PersonalData } from './account-events.js';

/** A token and its lookup hash. `token`: empty if only the hash is to be stored. */
export type NewToken = Readonly<{ token: string; tokenHash: string }>;

export type Profile = PersonalData & Readonly<{ name: string; description: string }>;

/** Profile of a user, who may be the account of a component. */
export type UserProfile = Profile & Component;

/** Identifies one user by name, by id, or as the account of a component. */
export type UserKey =
  | Readonly<{ name: string }>
  | Readonly<{ userId: string }>
  /** `within`: project id. The user must have neither service roles nor memberships of other projects. Default: any user. */
  | (Required<Component> & Readonly<{ within?: string }>);

/** `project`: name of a project. `roles`: roles in it. */
export type ProjectRoles = Readonly<{ project: string; roles: readonly string[] }>;

type NewUser = Readonly<{ userId: string; token: NewToken; by: Creator }>;
type OfProject = Readonly<{ projectId: string }>;
type OfRegistration = Readonly<{ registrationId: string }>;

/**
 * Roles that an approval grants besides the account, in the project of this name, which is created as `projectId` if it does not exist. Without a
 * name: in a new project named after the user.
 */
export type Grant = Readonly<{ projectId: string; project?: string; roles: readonly string[] }>;

/** Projects are identified by id, users by name. */
export type AccountCommand =
  | (Readonly<{ type: 'CreateProject'; name: string; description: string; by: Creator }> & OfProject)
  /** Empty texts leave the old value unchanged. */
  | (Readonly<{ type: 'ReviseProject'; name: string; description: string }> & OfProject)
  | (Readonly<{ type: 'DeleteProject' }> & OfProject)
  /** Records nothing. Rejected if the project does not exist. */
  | (Readonly<{ type: 'RequireProject' }> & OfProject)
  /** Items of `projects` without a name are ignored. */
  | (Readonly<{ type: 'CreateUser'; profile: UserProfile; projects: readonly ProjectRoles[]; serviceRoles: readonly string[] }> & NewUser)
  /** `name`: the current one. Empty texts in `changes` and absent lists leave the old value unchanged. */
  | Readonly<{
      type: 'ReviseUser';
      name: string;
      changes: UserProfile;
      projects?: readonly ProjectRoles[];
      serviceRoles?: readonly string[];
    }>
  | Readonly<{ type: 'RefreshToken'; user: UserKey; token: NewToken }>
  | Readonly<{ type: 'DeleteUser'; name: string }>
  /** Creates a user who is a member of the project. */
  | (Readonly<{ type: 'CreateMember'; name: string; email: string; roles: readonly string[] }> & NewUser & OfProject)
  | (Readonly<{ type: 'AddMember'; name: string; roles: readonly string[] }> & OfProject)
  | (Readonly<{ type: 'ReplaceMemberRoles'; name: string; roles: readonly string[] }> & OfProject)
  | (Readonly<{ type: 'RemoveMember'; name: string }> & OfProject)
  | (Readonly<{ type: 'SubmitRegistration'; profile: Profile; activationToken: string }> & OfRegistration)
  | (Readonly<{ type: 'AcceptRegistration'; grant?: Grant }> & NewUser & OfRegistration)
  | (Readonly<{ type: 'DeclineRegistration'; comment: string; by: Creator }> & OfRegistration)
  | (Readonly<{ type: 'DeleteRegistration' }> & OfRegistration);
