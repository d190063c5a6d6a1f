import type { ResourceQueries } from '#projections/messaging/resources/queries.js';
import * as errors from './errors.js';
import type { MessagingCaller } from './http-policy.js';

/** Roles that see every topic and subscription of a project. */
const ADMINISTRATORS = ['project_admin', 'service_admin'];

/** Returns whether the caller administers the project or the service. */
export const isAdministrator = ({ kind, roles }: MessagingCaller): boolean =>
  kind === 'service' || roles.some((held) => ADMINISTRATORS.includes(held));

/**
 * Id of the user whose ACLs limit the visible or usable resources in the role; `undefined` for all other callers (messaging contract 1.7;
 * administrators are exempt, design 8, O11).
 */
export const onlyAccessible = (caller: MessagingCaller, role: 'publisher' | 'consumer'): string | undefined =>
  caller.kind === 'user' && caller.roles.includes(role) && !isAdministrator(caller) ? caller.userId : undefined;

/** For a topic or subscription. @throws MessagingError F01 if its ACL applies to the caller in the role and does not include the caller */
export const requireInAcl = async (
  resources: ResourceQueries,
  { projectId, id }: Readonly<{ projectId: string; id: string }>,
  caller: MessagingCaller,
  role: 'publisher' | 'consumer',
): Promise<void> => {
  const userId = onlyAccessible(caller, role);
  if (userId !== undefined && !(await resources.isInAcl(projectId, id, userId))) throw errors.forbidden();
};
