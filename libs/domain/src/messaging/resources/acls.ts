import { DomainError } from '#domain/shared/decider.js';
import { RESOURCE_LIMITS } from './resource-limits.js';

/** Resources with an ACL. `users`: user ids. */
type WithAcls = Readonly<{ values(): Iterable<Readonly<{ users: readonly string[] }>> }>;

/** The kinds of resources of a project that have an ACL. */
export type AclHolders = Readonly<{ topics: WithAcls; subscriptions: WithAcls }>;

export const distinct = (users: readonly string[]): readonly string[] => [...new Set(users)];

/** @throws DomainError `ACL_TOO_LARGE`, `PROJECT_FULL` if replacing the users of an ACL with these would exceed a limit */
export const requireAclRoom = ({ topics, subscriptions }: AclHolders, before: readonly string[], users: readonly string[]): void => {
  const { usersPerAcl, aclUsersPerProject } = RESOURCE_LIMITS;
  if (users.length <= before.length) return;
  if (users.length > usersPerAcl.value) throw new DomainError('ACL_TOO_LARGE', usersPerAcl);
  let total = users.length - before.length;
  for (const kind of [topics, subscriptions]) for (const item of kind.values()) total += item.users.length;
  if (total > aclUsersPerProject.value) throw new DomainError('PROJECT_FULL', { ...aclUsersPerProject, unit: 'users in ACLs' });
};
