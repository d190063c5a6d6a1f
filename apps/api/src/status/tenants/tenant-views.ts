import type { TenantDocument, TenantUserDocument } from '#projections/status/tenants/queries.js';

/** Shown of a tenant without databases of its own, which Logbook does not need: clients take a tenant without any for one that is not set up. */
const LOGBOOK_ITSELF = { store: 'logbook', server: '', port: 0, database: '', username: '', password: '' } as const;

/**
 * What an administrator sees of a tenant (status contract 8.3): everything; or id, info and topology only; or, of tenants with users of the web
 * interface, these members and just these users. `undefined` if the role does not see the tenant. Empty members are left out.
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

/** What an administrator sees of a single user: everything; or no key; or users of the web interface only. `undefined` if the role does not see the user. */
export const visibleUser = (role: string | undefined, user: TenantUserDocument): object | undefined => {
  const { id, name, email, roles, component } = user;
  if (role === 'super_admin') return userView(user);
  if (role === 'super_admin_restricted') return { id, name, email, ...nonEmpty('roles', roles), ...(component && { component }) };
  return usesWebInterface(user) ? userView(user) : undefined;
};

const usesWebInterface = ({ roles }: TenantUserDocument): boolean => roles.includes('admin_ui');

const nonEmpty = (member: string, values: readonly unknown[]): object => (values.length > 0 ? { [member]: values } : {});
