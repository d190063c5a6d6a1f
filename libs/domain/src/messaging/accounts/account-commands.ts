import type { Creator, PersonalData } from './account-events.js';

/** A token with the hash by which it is looked up. */
export type NewToken = Readonly<{ token: string; tokenHash: string }>;

export type Profile = PersonalData & Readonly<{ name: string; description: string }>;

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
  | (Readonly<{ type: 'CreateUser'; profile: Profile; projects: readonly ProjectRoles[]; serviceRoles: readonly string[] }> & NewUser)
  /** `name`: the current one. Empty texts of `changes` and lists that are left out change nothing. */
  | Readonly<{
      type: 'ReviseUser';
      name: string;
      changes: Profile;
      projects?: readonly ProjectRoles[];
      serviceRoles?: readonly string[];
    }>
  | Readonly<{ type: 'RefreshToken'; name: string; token: NewToken }>
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
