import type { PROJECT, REGISTRATION, USER, USER_PROJECT } from '#api/messaging/openapi/components.js';
import type { Static } from '#domain/shared/shape.js';
import type { ProjectDocument, RegistrationDocument, UserDocument } from '#projections/messaging/accounts/queries.js';

/** A project on the wire, without empty members (messaging contract 3.1). `creator`: current name of the user who created it. */
export const projectView = (project: ProjectDocument, creator: string | undefined): Static<typeof PROJECT> => ({
  name: project.name,
  created_on: project.createdOn,
  modified_on: project.modifiedOn,
  created_by: creator || undefined,
  description: project.description || undefined,
});

/** A membership on the wire. */
export type ProjectItem = Static<typeof USER_PROJECT>;
export type UserView = Static<typeof USER>;

/** A user on the wire, without empty members (messaging contract 3.2). */
export const userView = (user: UserDocument, projects: readonly ProjectItem[], creator: string | undefined): UserView => ({
  uuid: user.userId,
  projects: projects.length > 0 ? projects : undefined,
  name: user.name || undefined,
  first_name: user.firstName || undefined,
  last_name: user.lastName || undefined,
  organization: user.organization || undefined,
  description: user.description || undefined,
  token: user.token || undefined,
  email: user.email,
  service_roles: user.serviceRoles,
  component: user.component || undefined,
  component_project: user.componentProject || undefined,
  created_on: user.createdOn,
  modified_on: user.modifiedOn,
  created_by: creator || undefined,
});

/** A registration on the wire (messaging contract 3.4). `modifier`: current name of the user who accepted or declined it. */
export const registrationView = (registration: RegistrationDocument, modifier: string | undefined): Static<typeof REGISTRATION> => ({
  uuid: registration.registrationId,
  name: registration.name,
  first_name: registration.firstName,
  last_name: registration.lastName,
  organization: registration.organization,
  description: registration.description,
  email: registration.email,
  status: registration.status,
  decline_comment: registration.declineComment || undefined,
  activation_token: registration.activationToken || undefined,
  registered_at: registration.registeredAt,
  modified_by: modifier || undefined,
  modified_at: registration.modifiedAt || undefined,
});
