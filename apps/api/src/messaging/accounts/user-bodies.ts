import { nameBody } from '#api/messaging/bodies.js';
import { LIMITS } from '#api/messaging/limits.js';
import { ROLE } from '#api/messaging/openapi/components.js';
import { described, due, type Infer, list, named, optional, struct, text, textUpTo, unsaid } from '#api/shared/bodies/body-shape.js';
import type { Profile, UserProfile } from '#domain/messaging/accounts/account-commands.js';
import { doc } from '#domain/shared/shape.js';

const roles = described(list(text), [ROLE]);
const rolesThat = (description: string) => described(list(text), doc([ROLE], description));

const membership = named(
  'MessagingMembership',
  struct({
    project: due(text, doc('text', 'name of a project')),
    roles: rolesThat('any known role; the roles that are there before are replaced'),
  }),
);
/** `topics` and `subscriptions` of items come from ACLs. Bodies cannot set them, so they are not read. */
const memberships = list(membership);

const personText = textUpTo(LIMITS.personText.value);
/** Of users, registrations and projects. */
export const descriptionText = textUpTo(LIMITS.description.value);
const PERSON = {
  first_name: personText,
  last_name: personText,
  organization: personText,
  description: descriptionText,
  email: personText,
};
const componentText = (description: string) => described(personText, doc('text', description, { maxLength: LIMITS.personText.value }));

const COMPONENT = {
  component: componentText('whose account it is, such as `monbox`'),
  component_project: componentText('name of the project of the component; with it the component belongs to one user'),
};

/** A user in a body (messaging contract 3.2). */
export const newUserBody = named(
  'MessagingNewUser',
  struct({ name: unsaid(text), ...PERSON, ...COMPONENT, projects: optional(memberships), service_roles: optional(roles) }),
);

/** Body of an update: omitted lists change nothing. */
export const userChangesBody = named(
  'MessagingUserChange',
  struct({
    name: nameBody('a new name'),
    ...PERSON,
    ...COMPONENT,
    projects: described(optional(memberships), doc([membership.schema], 'replaces all memberships, also when it is empty')),
    service_roles: described(optional(roles), doc([ROLE], 'replaces all service roles, also when it is empty')),
  }),
  'Empty texts and lists that are left out change nothing',
);

export const registrationBody = named('MessagingNewRegistration', struct({ name: due(nameBody('of the user to be created')), ...PERSON }));

export const memberBody = named(
  'MessagingMemberRequest',
  struct({ email: personText, projects: described(memberships, doc([membership.schema], 'only the item of this project counts')) }),
  'messaging contract 3.3',
);
export const rolesBody = named('MessagingMemberRoles', struct({ roles }));

/** Grant of an approval: roles in a project. A project that does not exist is created. */
export const grantBody = named(
  'MessagingGrant',
  struct({
    project: nameBody('of the project that the user gets, which is created if it is new; default: a new one with the name of the user'),
    roles: rolesThat('in that project; default `project_admin`'),
  }),
);

export const profileOf = (body: Omit<Infer<typeof registrationBody>, 'name'>, name: string): Profile => ({
  name,
  firstName: body.first_name,
  lastName: body.last_name,
  organization: body.organization,
  email: body.email,
  description: body.description,
});

export const userProfileOf = (body: Omit<Infer<typeof newUserBody>, 'projects' | 'service_roles' | 'name'>, name: string): UserProfile => ({
  ...profileOf(body, name),
  component: body.component,
  componentProject: body.component_project,
});
