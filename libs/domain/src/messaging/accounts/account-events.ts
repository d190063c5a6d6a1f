import { pushedSubscriptionsOf } from '#domain/messaging/resources/resources.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { JsonObject } from '#domain/shared/events.js';
import type { Marks } from '#domain/shared/marks.js';
import { ended, type Mapping, text } from '#domain/shared/resource-change.js';

/** One stream for projects, users, memberships and registrations, because accepting a registration changes all of them at once. */
export const ACCOUNTS_CATEGORY = 'messaging.accounts';
export const ACCOUNTS_STREAM = `${ACCOUNTS_CATEGORY}-global`;

/** The actor shown in responses: a user id, or `null` for the service token (messaging contract 1.2). */
export type Creator = string | null;

export type Membership = Readonly<{ projectId: string; roles: readonly string[] }>;

/** Members of a user that identify a person. They are stored encrypted. */
export type PersonalData = Readonly<{ firstName: string; lastName: string; organization: string; email: string }>;

/** The component whose account a user is, and the name of the component's project: any texts, absent if empty (messaging contract 3.2). */
export type Component = Readonly<{ component?: string; componentProject?: string }>;

/** `tokenHash`: lookup hash of the token. `token`: stored encrypted because responses show it. Empty if only its hash is stored. */
export type UserCreated = PersonalData &
  Component &
  Readonly<{
    userId: string;
    name: string;
    description: string;
    token: string;
    tokenHash: string;
    serviceRoles: readonly string[];
    memberships: readonly Membership[];
    createdBy: Creator;
  }>;

type RegistrationSubmitted = PersonalData &
  Readonly<{ registrationId: string; name: string; description: string; activationToken: string }>;

export type AccountEvent =
  | Readonly<{ type: 'ProjectCreated'; data: Readonly<{ projectId: string; name: string; description: string; createdBy: Creator }> }>
  /** All values after the revision. `modified_on` on the wire is the time of the event. */
  | Readonly<{ type: 'ProjectRevised'; data: Readonly<{ projectId: string; name: string; description: string }> }>
  /** Includes the project's topics, subscriptions, schemas, memberships and message logs. */
  | Readonly<{ type: 'ProjectDeleted'; data: Readonly<{ projectId: string }> }>
  | Readonly<{ type: 'UserCreated'; data: UserCreated }>
  /** All values after the revision. An absent component is unchanged. */
  | Readonly<{
      type: 'UserRevised';
      data: PersonalData &
        Component &
        Readonly<{
          userId: string;
          name: string;
          description: string;
          serviceRoles: readonly string[];
          memberships: readonly Membership[];
        }>;
    }>
  | Readonly<{ type: 'UserTokenRefreshed'; data: Readonly<{ userId: string; token: string; tokenHash: string }> }>
  | Readonly<{ type: 'UserDeleted'; data: Readonly<{ userId: string }> }>
  | Readonly<{ type: 'MemberAdded'; data: Readonly<{ userId: string }> & Membership }>
  | Readonly<{ type: 'MemberRolesReplaced'; data: Readonly<{ userId: string }> & Membership }>
  | Readonly<{ type: 'MemberRemoved'; data: Readonly<{ userId: string; projectId: string }> }>
  | Readonly<{ type: 'RegistrationSubmitted'; data: RegistrationSubmitted }>
  | Readonly<{ type: 'RegistrationAccepted'; data: Readonly<{ registrationId: string; userId: string; by: Creator }> }>
  | Readonly<{ type: 'RegistrationDeclined'; data: Readonly<{ registrationId: string; comment: string; by: Creator }> }>
  | Readonly<{ type: 'RegistrationDeleted'; data: Readonly<{ registrationId: string }> }>;

/** The two members, each absent if empty. */
export const componentOf = ({ component, componentProject }: Component): Component => ({
  ...(component && { component }),
  ...(componentProject && { componentProject }),
});

/** Encryption subjects for the personal data and secrets of a user, and of a registration. */
export const userSubject = (userId: unknown): string => `user-${userId}`;
export const registrationSubject = (registrationId: unknown): string => `registration-${registrationId}`;
const ofUser = ({ userId }: JsonObject): string => userSubject(userId);
const ofRegistration = ({ registrationId }: JsonObject): string => registrationSubject(registrationId);
export const PERSONAL: readonly (keyof PersonalData)[] = ['firstName', 'lastName', 'organization', 'email'];

const personal: Marks = Object.fromEntries(PERSONAL.map((member) => [member, 'personal']));
const token: Marks = { token: 'secret', tokenHash: 'hash' };

/** Maps an event to a record of the accounts stream. `member`: the member with the record's id. The name is included if the event contains it. */
const account =
  (kind: string, member: string): Mapping =>
  ({ data }) => [{ service: 'messaging', kind, id: text(data, member), ...(typeof data.name === 'string' ? { name: data.name } : {}) }];
const project = account('project', 'projectId');
const user = account('user', 'userId');
const registration = account('registration', 'registrationId');

export const accountEvents: CatalogueOf<AccountEvent> = {
  ProjectCreated: { resource: project },
  ProjectRevised: { resource: project },
  ProjectDeleted: { resource: ended(project), forgetsMentioned: ({ projectId }) => pushedSubscriptionsOf(String(projectId)) },
  UserCreated: { resource: user, sensitive: { subject: ofUser, members: [...PERSONAL, 'token'] }, marks: { ...personal, ...token } },
  UserRevised: { resource: user, sensitive: { subject: ofUser, members: PERSONAL }, marks: personal },
  UserTokenRefreshed: { resource: user, sensitive: { subject: ofUser, members: ['token'] }, marks: token },
  UserDeleted: { resource: ended(user), forgets: (data) => [ofUser(data)] },
  MemberAdded: { resource: user },
  MemberRolesReplaced: { resource: user },
  MemberRemoved: { resource: user },
  RegistrationSubmitted: {
    resource: registration,
    sensitive: { subject: ofRegistration, members: [...PERSONAL, 'activationToken'] },
    marks: { ...personal, activationToken: 'secret' },
  },
  RegistrationAccepted: { resource: registration },
  RegistrationDeclined: { resource: registration },
  RegistrationDeleted: { resource: ended(registration), forgets: (data) => [ofRegistration(data)] },
};
