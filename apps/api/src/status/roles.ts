import type { Keys } from './access.js';

/** Allowed callers of a route: holders of a key of this kind with one of the roles. */
export type AllowedCallers = Readonly<{ keys: Keys; roles: readonly string[] }>;

export const mayCall = (who: AllowedCallers, roles: readonly string[]): boolean => roles.some((role) => who.roles.includes(role));
