import type { TenantDocument, TenantUserDocument } from '#projections/status/tenants/queries.js';

/** Shown for a tenant without its own databases, which Logbook does not need: clients treat a tenant without any as not set up. */
const LOGBOOK_ITSELF = { store: 'logbook', server: '', port: 0, database: '', username: '', password: '' } as const;

/**
 * View of a tenant for an administrator (status contract 8.3): everything; or only id, info and topology; or, for tenants with users of the
 * web interface, these members and only these users. `undefined` if the role may not see the tenant. Empty members are omitted.
 */
export const tenantView = (role: string | undefined, tenant: TenantDocument): object | undefined => {
  const { id, info, topology, db_conf, users } = tenant;
  const node = tenant.node ? { node: true } : {};
  if (role === 'super_admin')
    return {
      id,
      info,
      db_conf: db_conf.length > 0 ? db_conf : [LOGBOOK_ITSELF],
      topology,
      ...nonEmpty('users', users.map(userView)),
      ...node,
    };
  if (role === 'super_admin_restricted' || role === 'super_admin_viewer') return { id, info, topology, ...node };
  const shown = users.filter(usesWebInterface);
  return shown.length > 0 ? { id, info, topology, users: shown.map(userView), ...node } : undefined;
};

/** A user with all members. */
export const userView = ({ id, name, email, api_key, roles, component }: TenantUserDocument): object => ({
  id,
  name,
  email,
  api_key,
  ...nonEmpty('roles', roles),
  ...(component && { component }),
});

/** View of a user for an administrator: everything; or no key; or only users of the web interface. `undefined` without permission. */
export const visibleUser = (role: string | undefined, user: TenantUserDocument): object | undefined => {
  const { id, name, email, roles, component } = user;
  if (role === 'super_admin') return userView(user);
  if (role === 'super_admin_restricted') return { id, name, email, ...nonEmpty('roles', roles), ...(component && { component }) };
  return usesWebInterface(user) ? userView(user) : undefined;
};

export const usesWebInterface = ({ roles }: TenantUserDocument): boolean => roles.includes('admin_ui');

const nonEmpty = (member: string, values: readonly unknown[]): object => (values.length > 0 ? { [member]: values } : {});
