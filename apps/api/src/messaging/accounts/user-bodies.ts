import { type Infer, list, optional, struct, text } from '#api/shared/bodies/body-shape.js';
import type { Profile } from '#domain/messaging/accounts/account-commands.js';

/** `topics` and `subscriptions` of items come from ACLs; a body cannot set them, so they are not read. */
const projectItems = list(struct({ project: text, roles: list(text) }));

/** A user in a body (messaging contract 3.2). In an update, lists that are left out change nothing. */
export const userBody = struct({
  name: text,
  first_name: text,
  last_name: text,
  organization: text,
  description: text,
  email: text,
  projects: optional(projectItems),
  service_roles: optional(list(text)),
});

export const registrationBody = struct({
  name: text,
  first_name: text,
  last_name: text,
  email: text,
  organization: text,
  description: text,
});

export const memberBody = struct({ email: text, projects: projectItems });
export const rolesBody = struct({ roles: list(text) });

/** What an approval may hand out: roles in a project, which is created if there is none of that name. */
export const grantBody = struct({ project: text, roles: list(text) });

export const profileOf = (body: Omit<Infer<typeof registrationBody>, 'name'>, name: string): Profile => ({
  name,
  firstName: body.first_name,
  lastName: body.last_name,
  organization: body.organization,
  email: body.email,
  description: body.description,
});
