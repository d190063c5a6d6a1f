import type { Static } from '#domain/shared/shape.js';
import type { TenantDocument, TenantUserDocument } from '#projections/status/tenants/queries.js';
import type { TENANT, USER } from './openapi.js';

/** Shown for a tenant without its own databases, which Logbook does not need: clients treat a tenant without any as not set up. */
const LOGBOOK_ITSELF = { store: 'logbook', server: '', port: 0, database: '', username: '', password: '' } as const;

/**
 * View of a tenant for an administrator (status contract 8.3): everything; or only id, info and topology; or, for tenants with users of the
 * web interface, these members and only these users. `undefined` if the role may not see the tenant. Empty members are omitted.
 */
export const tenantView = (role: string | undefined, tenant: TenantDocument): Static<typeof TENANT> | undefined => {
  const { id, info, topology, db_conf, users } = tenant;
  const node = tenant.node ? ({ node: true } as const) : {};
  if (role === 'super_admin')
    return { id, info, db_conf: filled(db_conf) ?? [LOGBOOK_ITSELF], topology, users: filled(users)?.map(userView), ...node };
  if (role === 'super_admin_restricted' || role === 'super_admin_viewer') return { id, info, topology, ...node };
  const shown = filled(users.filter(usesWebInterface));
  return shown && { id, info, topology, users: shown.map(userView), ...node };
};

/** A user with all members. */
export const userView = ({ id, name, email, api_key, roles, component }: TenantUserDocument): Static<typeof USER> => ({
  id,
  name,
  email,
  api_key,
  roles: filled(roles),
  component: component || undefined,
});

/** View of a user for an administrator: everything; or no key; or only users of the web interface. `undefined` without permission. */
export const visibleUser = (role: string | undefined, user: TenantUserDocument): Static<typeof USER> | undefined => {
  if (role === 'super_admin_restricted') return { ...userView(user), api_key: undefined };
  return role === 'super_admin' || usesWebInterface(user) ? userView(user) : undefined;
};

export const usesWebInterface = ({ roles }: TenantUserDocument): boolean => roles.includes('admin_ui');

const filled = <T>(values: readonly T[]): readonly T[] | undefined => (values.length > 0 ? values : undefined);
