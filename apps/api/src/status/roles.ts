/**
 * Who may call what (status contract 2, status extended contract 1, status contract of 2026, 2; where these say nothing, reads are like their siblings,
 * and writes for admin and editor). A caller passes if it holds one of the roles.
 */
export const READERS = ['admin', 'editor', 'viewer', 'admin_ui'] as const;
export const VIEWERS = ['admin', 'editor', 'viewer'] as const;
export const OPERATORS = ['admin', 'editor', 'admin_ui'] as const;
export const WRITERS = ['admin', 'editor'] as const;
export const ADMINISTRATORS = ['super_admin', 'super_admin_restricted', 'super_admin_ui'] as const;
export const SUPER = ['super_admin'] as const;
/** Keys of integrations: what a component of the infrastructure may call. */
export const COMPONENTS = ['component_engine', 'component_monbox', 'component_poem'] as const;
/** Of a node: its users and administrators. */
export const NODE_READERS = [...SUPER, ...VIEWERS] as const;
