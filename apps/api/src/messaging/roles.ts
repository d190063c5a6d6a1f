import type { MessagingRole } from '#domain/messaging/accounts/roles.js';

const SA = ['service_admin'] as const;
const ADMINS = ['service_admin', 'project_admin'] as const;
const PUBLISHERS = [...ADMINS, 'publisher'] as const;
const CONSUMERS = [...ADMINS, 'consumer'] as const;
const PULLERS = [...CONSUMERS, 'push_worker'] as const;
const METRICS = ['service_admin', 'metrics_viewer', 'project_admin'] as const;

/** Who may call what (messaging contract 1.6): a caller passes with one of the roles. Routes that handle the key themselves are not listed. */
export const MESSAGING_ROLE_TABLE = {
  'ams:metrics': METRICS,
  'ams:vaMetrics': METRICS,
  'users:byToken': ['service_admin', 'push_worker'],
  'users:byUUID': ['service_admin', 'argo_api_authn'],
  'users:list': ADMINS,
  'users:show': SA,
  'users:create': SA,
  'users:update': SA,
  'users:refreshToken': SA,
  'users:delete': SA,
  'registrations:newUser': ['service_admin', 'register_admin'],
  'registrations:acceptNewUser': SA,
  'registrations:declineNewUser': SA,
  'registrations:show': SA,
  'registrations:list': SA,
  'registrations:delete': SA,
  'projects:list': SA,
  'projects:create': SA,
  'projects:show': ADMINS,
  'projects:update': ADMINS,
  'projects:delete': ADMINS,
  'projects:metrics': ADMINS,
  'projects:addUser': ADMINS,
  'projects:removeUser': ADMINS,
  'projects:showUser': ADMINS,
  'projects:createUser': ADMINS,
  'projects:updateUser': ADMINS,
  'projects:listUsers': ADMINS,
  'topics:list': PUBLISHERS,
  'topics:show': PUBLISHERS,
  'topics:publish': PUBLISHERS,
  'topics:metrics': PUBLISHERS,
  'topics:create': ADMINS,
  'topics:delete': ADMINS,
  'topics:acl': ADMINS,
  'topics:modifyAcl': ADMINS,
  'topics:attachSchema': ADMINS,
  'topics:detachSchema': ADMINS,
  'subscriptions:list': CONSUMERS,
  'subscriptions:offsets': CONSUMERS,
  'subscriptions:timeToOffset': CONSUMERS,
  'subscriptions:modifyOffset': CONSUMERS,
  'subscriptions:metrics': CONSUMERS,
  'subscriptions:modifyAckDeadline': CONSUMERS,
  'subscriptions:show': PULLERS,
  'subscriptions:pull': PULLERS,
  'subscriptions:acknowledge': PULLERS,
  'subscriptions:create': ADMINS,
  'subscriptions:delete': ADMINS,
  'subscriptions:listByTopic': ADMINS,
  'subscriptions:acl': ADMINS,
  'subscriptions:modifyAcl': ADMINS,
  'subscriptions:verifyPushEndpoint': ADMINS,
  'subscriptions:modifyPushConfig': ADMINS,
  'schemas:create': ADMINS,
  'schemas:show': ADMINS,
  'schemas:list': ADMINS,
  'schemas:update': ADMINS,
  'schemas:delete': ADMINS,
  'schemas:validateMessage': ADMINS,
} as const satisfies Record<string, readonly MessagingRole[]>;

/** A route that requires one of the roles that the table lists. */
export type GuardedRoute = keyof typeof MESSAGING_ROLE_TABLE;
/** A route that handles the key itself (messaging contract 1.3). */
export type OpenRoute = 'ams:healthStatus' | 'users:profile' | 'users:usageReport' | 'version:list';

export const mayCall = (route: GuardedRoute, roles: readonly string[]): boolean => {
  const allowed: readonly string[] = MESSAGING_ROLE_TABLE[route];
  return roles.some((role) => allowed.includes(role));
};
