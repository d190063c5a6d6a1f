import type { Keys } from './access.js';

/** Holders of a key of a kind who may call a route: those who have one of the roles. */
export type Who = Readonly<{ keys: Keys; roles: readonly string[] }>;

/** Of users of tenants. */
export const inTenant = (...roles: readonly string[]): Who => ({ keys: 'tenant', roles });
const administrators = (...roles: readonly string[]): Who => ({ keys: 'admin', roles });

// Status contract 2, status extended contract 1, status contract of 2026, 2; where these say nothing, reads are like their siblings, and writes for
// admin and editor.
export const READERS = inTenant('admin', 'editor', 'viewer', 'admin_ui');
export const VIEWERS = inTenant('admin', 'editor', 'viewer');
export const OPERATORS = inTenant('admin', 'editor', 'admin_ui');
export const WRITERS = inTenant('admin', 'editor');
/** Of the tenant that the path parameter `node` names, if it is a node; and administrators. */
export const NODE_VIEWERS: Who = { keys: 'node', roles: ['super_admin', ...VIEWERS.roles] };
export const ADMINISTRATORS = administrators('super_admin', 'super_admin_restricted', 'super_admin_ui');
export const TENANT_LISTERS = administrators(...ADMINISTRATORS.roles, 'super_admin_viewer');
export const SUPER = administrators('super_admin');
/** Integrations: components of the infrastructure. Handlers find the admission of an administrator. */
export const INTEGRATIONS: Who = { keys: 'integration', roles: ['component_engine', 'component_monbox', 'component_poem'] };

export const mayCall = (who: Who, roles: readonly string[]): boolean => roles.some((role) => who.roles.includes(role));
