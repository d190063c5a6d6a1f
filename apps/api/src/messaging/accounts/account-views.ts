import type { ProjectDocument, RegistrationDocument, UserDocument } from '#projections/messaging/accounts/queries.js';

/** Omits members that are `undefined`, an empty text or an empty list. */
const nonEmpty = (members: Readonly<Record<string, string | readonly unknown[] | undefined>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value.length > 0));

/** A project on the wire (messaging contract 3.1). `creator`: current name of the user who created it. */
export const projectView = ({ name, createdOn, modifiedOn, description }: ProjectDocument, creator: string | undefined): object =>
  nonEmpty({ name, created_on: createdOn, modified_on: modifiedOn, created_by: creator, description });

/** A membership on the wire: name of the project, and the topics and subscriptions that the user may use by their ACLs. */
export type ProjectItem = Readonly<{
  project: string;
  roles: readonly string[];
  topics: readonly string[];
  subscriptions: readonly string[];
}>;

/** A user on the wire (messaging contract 3.2). */
export const userView = (user: UserDocument, projects: readonly ProjectItem[], creator: string | undefined): object => ({
  uuid: user.userId,
  ...nonEmpty({
    projects,
    name: user.name,
    first_name: user.firstName,
    last_name: user.lastName,
    organization: user.organization,
    description: user.description,
    token: user.token,
  }),
  email: user.email,
  service_roles: user.serviceRoles,
  ...nonEmpty({ component: user.component, component_project: user.componentProject }),
  ...nonEmpty({ created_on: user.createdOn, modified_on: user.modifiedOn, created_by: creator }),
});

/** A registration on the wire (messaging contract 3.4). `modifier`: current name of the user who accepted or declined it. */
export const registrationView = (registration: RegistrationDocument, modifier: string | undefined): object => {
  const { registrationId, name, firstName, lastName, organization, description, email, status } = registration;
  return {
    uuid: registrationId,
    name,
    first_name: firstName,
    last_name: lastName,
    organization,
    description,
    email,
    status,
    ...nonEmpty({ decline_comment: registration.declineComment, activation_token: registration.activationToken }),
    registered_at: registration.registeredAt,
    ...nonEmpty({ modified_by: modifier, modified_at: registration.modifiedAt }),
  };
};
