import type { Keys } from './access.js';

/** Holders of a key of a kind who may call a route: those who have one of the roles. */
export type Who = Readonly<{ keys: Keys; roles: readonly string[] }>;

export const mayCall = (who: Who, roles: readonly string[]): boolean => roles.some((role) => who.roles.includes(role));
