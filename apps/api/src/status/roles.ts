const READERS = ['admin', 'editor', 'viewer', 'admin_ui'];
const WRITERS = ['admin', 'editor'];
const ADMINISTRATORS = ['super_admin', 'super_admin_restricted', 'super_admin_ui'];

/** Who may call what (status contract 2, its gaps filled as it recommends). A caller passes when it holds one of the roles. */
export const STATUS_ROLES = {
  'operationsProfiles.list': READERS,
  'operationsProfiles.get': READERS,
  'operationsProfiles.create': WRITERS,
  'operationsProfiles.update': WRITERS,
  'operationsProfiles.delete': WRITERS,
  'weights.list': READERS,
  'weights.get': READERS,
  'weights.create': WRITERS,
  'weights.update': WRITERS,
  'weights.delete': WRITERS,
  'tenants.list': ADMINISTRATORS,
  'tenants.get': ADMINISTRATORS,
  'tenants.create': ['super_admin'],
} as const satisfies Record<string, readonly string[]>;

/** `<resource>.<action>`, as in the contract. */
export type RouteName = keyof typeof STATUS_ROLES;

export const mayCall = (route: RouteName, roles: readonly string[]): boolean => {
  const allowed: readonly string[] = STATUS_ROLES[route];
  return roles.some((role) => allowed.includes(role));
};
