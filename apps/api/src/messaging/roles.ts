import type { MessagingRole } from '#domain/messaging/accounts/roles.js';

/** Roles of which a caller needs one for a route (messaging contract 1.6). `anyone`: the route checks the key itself (1.3). */
export type Callers = readonly MessagingRole[] | 'anyone';

export const SERVICE_ADMINS = ['service_admin'] as const satisfies Callers;
export const ADMINS = ['service_admin', 'project_admin'] as const satisfies Callers;
/** Callers who may refresh the keys of components. */
export const COMPONENT_ADMINS = [...SERVICE_ADMINS, 'component_admin'] as const satisfies Callers;
export const PUBLISHERS = [...ADMINS, 'publisher'] as const satisfies Callers;
export const CONSUMERS = [...ADMINS, 'consumer'] as const satisfies Callers;
export const PULLERS = [...CONSUMERS, 'push_worker'] as const satisfies Callers;
export const METRICS_VIEWERS = ['service_admin', 'metrics_viewer', 'project_admin'] as const satisfies Callers;
