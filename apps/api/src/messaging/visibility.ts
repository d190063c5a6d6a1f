import type { MessagingCaller } from './http-policy.js';

/** Roles that see every topic and subscription of a project. */
const ADMINISTRATORS = ['project_admin', 'service_admin'];

/**
 * The id of the user whose ACLs limit which resources the caller may see or use in the role; `undefined` for everybody else
 * (messaging contract 1.7; administrators are exempt, design 8, O11).
 */
export const onlyAccessible = (caller: MessagingCaller, role: 'publisher' | 'consumer'): string | undefined =>
  caller.kind === 'user' && caller.roles.includes(role) && !caller.roles.some((held) => ADMINISTRATORS.includes(held))
    ? caller.userId
    : undefined;
